"""`ctx stats`: the menu of a file, or every symbol of it as JSON."""

import argparse

import msgspec

from priced_context.access import access_from_here
from priced_context.console import Trouble, say_all
from priced_context.handles import HASH_DIGITS, Handle, find, parse
from priced_context.menus import MENU_CEILING
from priced_context.outlines import NotText, Outline, menu, outline_of, within, within_lines
from priced_context.outlines.source import load
from priced_context.prices import CLAUDE_NEWER, price_text
from priced_context.spans import hash_of

USAGE = "Print a file's menu: its symbols, each with its lines and its price in tokens."


def main(arguments: list[str], *, outside: bool = False) -> int:
    """Print one menu a handle; 1 where one of them has none."""
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
    troubles = []
    for text in options.handles:
        try:
            print(printed(parse(text, access), options), end="")
        except Trouble as trouble:
            troubles.append(trouble)
    return say_all(troubles)


def printed(handle: Handle, options: argparse.Namespace) -> str:
    """Return what is printed of one handle; raises Trouble where that is nothing."""
    outline = outline_at(handle)
    if options.json:
        return as_json(outline, handle if options.pin else None) + "\n"
    text = menu(outline, options.budget)
    if not text:
        raise Trouble(f"a menu of {handle.name} does not fit into {options.budget} tokens")
    return text


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
    lines = load(pinned.path).data.split(b"\n") if pinned else []
    rows = []
    for symbol in outline.symbols:
        handle = f"{outline.name}#{symbol.fragment}"
        if lines and symbol.first_line:
            span = b"\n".join(lines[symbol.first_line - 1 : symbol.last_line])
            handle += f"@{hash_of(span)[:HASH_DIGITS]}"
        row = {
            "kind": symbol.kind,
            "name": symbol.name,
            "first_line": symbol.first_line,
            "last_line": symbol.last_line,
            "tokens": symbol.tokens,
            "handle": handle,
        }
        rows.append(row | {"detail": symbol.detail} if symbol.detail else row)
    document = {
        "path": outline.name + outline.part,
        "tokens": outline.tokens,
        "menu_tokens": price_text(menu(outline).encode(), CLAUDE_NEWER, "", 0),
        "basis": outline.basis,
        "symbols": rows,
    }
    return msgspec.json.encode(document).decode()
