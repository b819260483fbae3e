"""Prose by its headings: Markdown, reStructuredText, AsciiDoc."""

import re

from priced_context.outlines.nesting import Mark, entries_of_marks
from priced_context.outlines.records import LONGEST_NAME, Entry

SUFFIXES = frozenset({"md", "mdx", "markdown", "rst", "adoc", "asciidoc"})

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HASHES = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_EQUALS = re.compile(r"(={1,6})[ \t]+(.*\S)")
_RULE = re.compile(r"([=\-~^\"'`#*+:.<>_!$%&(),/;?@\[\]\\{|}])\1{2,}\s*$")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")


def prose_entries(lines: list[str], suffix: str) -> list[Entry]:
    """Return a heading's text as name; it runs to the next heading of its level or above."""
    find = {"rst": _rst_marks, "adoc": _asciidoc_marks, "asciidoc": _asciidoc_marks}
    return entries_of_marks(find.get(suffix, _markdown_marks)(lines), lines)


def _mark(line: int, level: int, title: str) -> Mark:
    return Mark(line, level, "h", " ".join(title.split())[:LONGEST_NAME])


def _markdown_marks(lines: list[str]) -> list[Mark]:
    marks = []
    fence = ""
    start = 0
    if lines and lines[0].strip() == "---":  # front matter
        start = next((i for i in range(1, len(lines)) if lines[i].strip() == "---"), -1) + 1
    for number, line in enumerate(lines[start:], start + 1):
        if found := _FENCE.match(line):
            run = found.group(1)
            if not fence:
                fence = run
            elif run[0] == fence[0] and len(run) >= len(fence) and not line.strip().strip(run[0]):
                fence = ""
        elif fence:
            continue
        elif (found := _HASHES.match(line)) and found.group(2):
            marks.append(_mark(number, len(found.group(1)), found.group(2)))
        elif (found := _SETEXT.match(line)) and number - 2 >= start:
            title = lines[number - 2]
            above = lines[number - 3].strip() if number - 3 >= start else ""
            if title.strip() and not above and not title.startswith(("    ", "\t", "|", "- ", ">")):
                marks.append(_mark(number - 1, 1 if "=" in line else 2, title))
    return marks


def _rst_marks(lines: list[str]) -> list[Mark]:
    """Levels are given to the underlines in the order in which the file first uses them."""
    marks: list[Mark] = []
    styles: list[tuple[str, bool]] = []
    for number, line in enumerate(lines, 1):
        found = _RULE.match(line)
        if found is None or number < 2:
            continue
        title = lines[number - 2]
        if not title.strip() or _RULE.match(title) or len(line.rstrip()) < len(title.strip()):
            continue
        over = number >= 3 and _RULE.match(lines[number - 3]) is not None
        if title[:1].isspace() and not over:
            continue
        style = (found.group(1), over)
        if style not in styles:
            styles.append(style)
        marks.append(_mark(number - 1 - over, styles.index(style), title))
    return marks


def _asciidoc_marks(lines: list[str]) -> list[Mark]:
    return [
        _mark(number, len(found.group(1)), found.group(2))
        for number, line in enumerate(lines, 1)
        if (found := _EQUALS.match(line))
    ]
