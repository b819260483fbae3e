"""The first of the ranked files that fit into a budget: `count(map_text(…)) <= budget`."""

from priced_context.outlines import fine_label
from priced_context.outlines.held import count, weight
from priced_context.prices import CLAUDE_NEWER, LABELS, price_text
from priced_context.repomap.index import File, Index
from priced_context.wording import counted, shown_name

TOP_SYMBOLS = 5


def map_text(index: Index, order: list[int], budget: int, prefix: str) -> str:
    """Return a line a file in *order*, as many as fit; *prefix* makes a path a handle."""
    foot = f"ctx stats {prefix}PATH is a file's menu; ctx get {prefix}PATH#NAME prints a symbol.\n"
    left = budget - 1 - weight(_head(index, len(order), LABELS[-1]) + foot)
    lines: list[str] = []
    for place in order:
        line = _line(index.files[place])
        left -= weight(line)
        if left < 0:
            break
        lines.append(line)
    body = "".join(lines) + foot
    tokens = price_text((_head(index, len(lines), "") + body).encode(), CLAUDE_NEWER, "", 0)
    text = _head(index, len(lines), fine_label(tokens)) + body
    return text if lines and count(text) <= budget else ""


def _head(index: Index, shown: int, own_label: str) -> str:
    files = counted(len(index.files), "source file")
    total = fine_label(sum(file.tokens for file in index.files))
    return f"{shown:,} of {files} ({total} tok in all); this map {own_label}\n"


def _line(file: File) -> str:
    used = sorted(file.definitions, key=lambda found: (-found.uses, found.fragment))
    names = list(dict.fromkeys(shown_name(found.fragment, "") for found in used))[:TOP_SYMBOLS]
    symbols = f": {', '.join(names)}" if names else ""
    path = shown_name(file.path, "")
    return f"{path} {fine_label(file.tokens)}·defs {len(file.definitions)}{symbols}\n"
