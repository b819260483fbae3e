"""`repo:PATH`, `repo:PATH:FIRST-LAST`, `repo:PATH#Symbol`: from what is asked for to a file.

`repo:` counts from the directory that the client works in and never leads out of it. A handle may
end in `@HASH`, the xxhash of the span as it was seen.
"""

import os
import re

import msgspec

from priced_context.access import Access
from priced_context.console import Trouble
from priced_context.outlines import Outline, Symbol
from priced_context.wording import shown_name

PREFIX = "repo:"
HASH_DIGITS = 8

_HASH = re.compile(r"@([0-9a-f]{4,16})$")
_LINES = re.compile(r":(\d{1,9})(?:-(\d{1,9})?)?$")


class Handle(msgspec.Struct, frozen=True):
    """A file that may be shown, and what of it is asked for."""

    path: str
    """Absolute, links followed: what was checked is what is opened."""
    name: str
    """`repo:PATH` inside the working directory, else the absolute path."""
    lines: tuple[int, int] | None = None
    """First and last line, 1-based; a last of 0: to the end."""
    symbol: str = ""
    hash: str = ""


def parse(text: str, access: Access) -> Handle:
    """Return what *text* asks for.

    A file's own name may hold `:`, `#` or `@`: the longest name that exists counts.

    Raises:
        Trouble: no such file, or one that must not be shown.
    """
    for rest, lines, symbol, digest in _readings(text):
        path = _absolute(rest, access)
        if os.path.lexists(path):
            return Handle(
                _shown_path(text, path, access), name_of(path, access), lines, symbol, digest
            )
    shortest = list(_readings(text))[-1][0]
    refusal = access.refusal(_absolute(shortest, access))
    if refusal:
        raise Trouble(f"{shown_name(text, '')} {refusal}")
    raise Trouble(f"{shown_name(shortest, '')}: no such file in {access.project}")


def _readings(text: str) -> list[tuple[str, tuple[int, int] | None, str, str]]:
    """Return the ways to read a handle, as (path, lines, symbol, hash), longest path first."""
    ways: list[tuple[str, tuple[int, int] | None, str, str]] = [(text, None, "", "")]
    hashed = _HASH.search(text)
    whole = [(text, "")]
    for rest, digest in [(text[: hashed.start()], hashed[1]), *whole] if hashed else whole:
        if digest:
            ways.append((rest, None, "", digest))
        if found := _LINES.search(rest):
            first = int(found[1])
            last = int(found[2]) if found[2] else 0 if "-" in found[0] else first
            ways.append((rest[: found.start()], (first, last), "", digest))
        at = len(rest)
        while (at := rest.rfind("#", 0, at)) > 0:
            ways.append((rest[:at], None, rest[at + 1 :], digest))
    return ways


def _absolute(text: str, access: Access) -> str:
    """Return the path that *text* names, `..` folded as text.

    Raises:
        Trouble: `repo:` leads out of the working directory.
    """
    if not text.startswith(PREFIX):
        return os.path.abspath(text)
    path = os.path.normpath(os.path.join(access.project, text.removeprefix(PREFIX).lstrip("/")))
    if path != access.project and not path.startswith(access.project.rstrip("/") + "/"):
        raise Trouble(f"{shown_name(text, '')} leads out of {access.project}; `repo:` never does")
    return path


def _shown_path(text: str, path: str, access: Access) -> str:
    if refusal := access.refusal(path):
        raise Trouble(f"{shown_name(text, '')} {refusal}")
    return os.path.realpath(path)


def name_of(path: str, access: Access) -> str:
    """Return how a file is named to the reader."""
    root = access.project.rstrip("/") + "/"
    return PREFIX + path[len(root) :] if path.startswith(root) else path


def find(outline: Outline, symbol: str) -> Symbol:
    """Return the symbol of that name: as its handle says, or the only one that ends in it.

    Raises:
        Trouble: there is none, or several; the sentence names some.
    """
    exact = [found for found in outline.symbols if found.fragment == symbol]
    ending = [found for found in outline.symbols if found.fragment.endswith(f".{symbol}")]
    found = exact or ending
    if len(found) == 1:
        return found[0]
    word = symbol.rpartition(".")[2].lower()
    near = found or [s for s in outline.symbols if word and word in s.fragment.lower()]
    names = ", ".join(f"#{shown_name(s.fragment, '')}" for s in near[:5])
    what = "names several symbols" if found else "names no symbol"
    where = shown_name(outline.name, "")
    hint = f"; there are {names}" if names else f"; `ctx stats {where}` lists them"
    raise Trouble(f"#{shown_name(symbol, '')} {what} of {where}{hint}")
