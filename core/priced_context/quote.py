"""`ctx price`: what reading whole files would cost."""

import argparse
import json

from priced_context.console import Trouble, say
from priced_context.files import size_of_regular
from priced_context.prices import (
    CLAUDE_NEWER,
    LABELS,
    NOT_CLAUDES,
    bucket_of,
    family_of,
    generation_of,
    price_read,
)
from priced_context.records import UNPRICED, Read
from priced_context.wording import printable

NEWEST = "claude-opus-5-5"


def main(arguments: list[str]) -> int:
    """Print a line a file; 1 where one of them has no price."""
    parser = argparse.ArgumentParser(
        "ctx price", description="Price whole files as a Read of them would be billed, uncapped."
    )
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--model", default=NEWEST, help=f"whose tokens (default: {NEWEST})")
    parser.add_argument("--json", action="store_true", help="print JSON, one object a file")
    options = parser.parse_args(arguments)

    model, family = options.model, family_of(options.model)
    if family == CLAUDE_NEWER and generation_of(model) == NOT_CLAUDES:
        say(f"no model {model!r} is known: priced as the newest of Claude's ({family})")
        model = NEWEST
    missing = []
    for path in options.files:
        size_bytes = size_of_regular(path)
        if size_bytes < 0:
            missing.append(path)
            continue
        print(line(path, size_bytes, family, as_json=options.json))
    if not options.json:
        print(f"priced for {model}")
    if missing:
        raise Trouble(f"not a file that can be read: {', '.join(map(printable, missing))}")
    return 0


def line(path: str, size_bytes: int, family: str, *, as_json: bool) -> str:
    """Return what is printed of one file."""
    try:
        price = price_read(Read(path, size_bytes, line_prefix="tab"), family)
    except OSError as error:
        raise Trouble(f"{printable(path)}: {error.strerror}") from error
    is_priced = price.basis != UNPRICED
    label = LABELS[bucket_of(price.tokens)] if is_priced else "binary" if size_bytes else "empty"
    if as_json:
        found = {"path": path, "bytes": size_bytes, "tokens": price.tokens, "bucket": label}
        return json.dumps(found | {"lines": price.lines, "basis": price.basis})
    tokens = f"{price.tokens:,}" if is_priced else "no price"
    return f"{label:>8}  {tokens:>9}  {printable(path)}"
