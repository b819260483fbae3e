"""`ctx stats`: the menu of a file, or every symbol of it as JSON."""

import argparse

from priced_context.access import access_from_here
from priced_context.console import Trouble
from priced_context.cuts import MENU_CEILING
from priced_context.handles import HASH_DIGITS, Handle, find, parse
from priced_context.outlines import NotText, Outline, menu, outline_of, within, within_lines

USAGE = "Print a file's menu: its symbols, each with its lines and its price in tokens."


def main(arguments: list[str], *, outside: bool = False) -> int:
    """Print one menu a handle."""
    parser = argparse.ArgumentParser("ctx stats", description=USAGE)
    parser.add_argument("handles", nargs="+", metavar="HANDLE", help="repo:PATH, or one part of it")
    parser.add_argument(
        "--budget",
        type=int,
        metavar="TOKENS",
        help=f"of the menu; at most {MENU_CEILING:,} (default: up to 600, by the file's price)",
    )
    parser.add_argument("--json", action="store_true", help="every symbol, an object a file")
    parser.add_argument("--pin", action="store_true", help="with --json: handles carry @HASH")
    options = parser.parse_args(arguments)

    access = access_from_here(outside=outside)
    for text in options.handles:
        handle = parse(text, access)
        outline = outline_at(handle)
        if options.json:
            print(as_json(outline, handle if options.pin else None))
        else:
            print(menu(outline, options.budget), end="")
    return 0


def outline_at(handle: Handle) -> Outline:
    """Return the outline of what a handle names.

    Raises:
        Trouble: a directory, a binary, no such symbol.
    """
    outline = whole_outline(handle)
    if handle.symbol:
        return within(outline, find(outline, handle.symbol))
    if handle.lines:
        first_line, last_line = handle.lines
        return within_lines(outline, first_line, last_line or outline.lines)
    return outline


def whole_outline(handle: Handle) -> Outline:
    """Return the outline of a handle's file.

    Raises:
        Trouble: a directory, a binary, unreadable.
    """
    try:
        return outline_of(handle.path, handle.name)
    except IsADirectoryError as error:
        raise Trouble(f"{handle.name} is a directory; `ctx map {handle.name}` ranks it") from error
    except NotText as error:
        raise Trouble(f"{handle.name} is {error}: nothing of it is printed") from error
    except OSError as error:
        raise Trouble(f"{handle.name} cannot be read: {error.strerror}") from error


def as_json(outline: Outline, pinned: Handle | None) -> str:
    """Return every symbol, unfolded; with *pinned*, handles carry the hash of their lines."""
    import msgspec

    from priced_context.spans import hash_of_lines

    rows = []
    for symbol in outline.symbols:
        handle = f"{outline.name}#{symbol.fragment}"
        if pinned and symbol.first_line:
            digest = hash_of_lines(pinned.path, symbol.first_line, symbol.last_line)
            handle += f"@{digest[:HASH_DIGITS]}"
        row = {
            "kind": symbol.kind,
            "name": symbol.name,
            "first_line": symbol.first_line,
            "last_line": symbol.last_line,
            "tokens": symbol.tokens,
            "handle": handle,
        }
        rows.append(row | {"detail": symbol.detail} if symbol.detail else row)
    return msgspec.json.encode(
        {
            "path": outline.name,
            "tokens": outline.tokens,
            "menu_tokens": menu_tokens(outline),
            "basis": outline.basis,
            "symbols": rows,
        }
    ).decode()


def menu_tokens(outline: Outline) -> int:
    """Return what the default menu of the outline costs."""
    from priced_context.prices import CLAUDE_NEWER, price_text

    text = menu(outline).encode()
    return price_text(text, CLAUDE_NEWER, "", 0) if text else 0
