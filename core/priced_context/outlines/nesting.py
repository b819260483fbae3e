"""From first lines to ranges: headings, and lines that look like definitions."""

from collections.abc import Iterable
from typing import NamedTuple

from priced_context.outlines.records import Entry


class Mark(NamedTuple):
    """A line that opens something; it runs until the next mark of its level or above."""

    line: int
    level: int
    """A heading's level, or the width of the indentation."""
    kind: str
    name: str


def entries_of_marks(marks: Iterable[Mark], lines: list[str]) -> list[Entry]:
    """Return the entries that *marks*, in order, cut the file's *lines* into.

    Blank lines at an end belong to nothing.
    """
    entries: list[Entry] = []
    open_marks: list[tuple[int, Entry]] = []
    for mark in marks:
        _close(open_marks, mark.level, mark.line - 1, lines)
        entry = Entry(mark.kind, mark.name, mark.line, mark.line, len(open_marks))
        entries.append(entry)
        open_marks.append((mark.level, entry))
    _close(open_marks, -1, len(lines), lines)
    return entries


def _close(
    open_marks: list[tuple[int, Entry]], level: int, last_line: int, lines: list[str]
) -> None:
    while last_line > 1 and not lines[last_line - 1].strip():
        last_line -= 1
    while open_marks and open_marks[-1][0] >= level:
        entry = open_marks.pop()[1]
        entry.last_line = max(entry.first_line, last_line)
