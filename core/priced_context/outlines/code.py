"""Definitions and references of one source file, by tree-sitter.

The wheels' own `tags.scm` say what is a definition; the family modules add what those leave out.
"""

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import tree_sitter

from priced_context.outlines.languages import Language
from priced_context.outlines.records import HOLD_METHODS, LONGEST_NAME, Entry

# A definition's text starts with what is wrapped around it or stands directly before it …
# fmt: off
_WRAPPERS = {
    "decorated_definition", "export_statement", "ambient_declaration", "template_declaration",
    "function_definition", "declaration", "field_declaration", "type_definition",
    "type_declaration", "pointer_declarator", "reference_declarator", "expression_statement",
}
# fmt: on
_LEADERS = frozenset({"attribute_item", "decorator"})
# … and these hold one only where they hold nothing else (`type ( A …; B … )` in Go holds two).
_GROUPS = frozenset({"type_declaration", "expression_statement"})

# Kinds as the language itself says them, where `tags.scm` knows only "class" or "interface".
_KINDS = {
    "struct_item": "struct",
    "struct_specifier": "struct",
    "struct_declaration": "struct",
    "enum_item": "enum",
    "enum_specifier": "enum",
    "enum_declaration": "enum",
    "union_item": "union",
    "union_specifier": "union",
    "type_item": "type",
    "trait_item": "trait",
    "trait_declaration": "trait",
    "record_declaration": "record",
}
_CALLS = frozenset({"reference.call", "reference.send"})
_DATA = frozenset({"constant", "field", "property", "variable"})
"""Listed only in a file that has nothing else: a line a constant would drown the rest."""
_ENCLOSES_ALL = frozenset({"namespace_definition", "namespace_declaration", "package_clause"})
"""Containers that say nothing about where a symbol is; their content counts as top-level."""

_FRAGMENTS = frozenset({"function_declarator"})
"""What is left of a macro's call where a declaration was looked for."""

DEEPEST = 64
"""Definitions nested deeper are left out."""
MOST_BROKEN_SHARE = 0.25
"""Part of a file inside syntax errors from which line patterns are tried too."""


class Grammar(NamedTuple):
    """One language, ready to parse and to be asked."""

    parser: tree_sitter.Parser
    query: tree_sitter.Query


class Tags(NamedTuple):
    """What one file defines and what it refers to."""

    entries: list[Entry]
    calls: list[str]
    """A name for each reference that may mean anything …"""
    types: list[str]
    """… and for each that can only mean a type."""
    is_broken: bool
    """So much of the file lies inside syntax errors that line patterns may find more."""


class _Definition(NamedTuple):
    node: tree_sitter.Node
    whole: tree_sitter.Node
    kind: str
    name: str
    detail: str


@cache
def grammar_of(language: Language) -> Grammar | None:
    """Return the grammar with its queries, or None where its wheel is not installed."""
    try:
        module = import_module(language.grammar)
        folders = [Path(str(import_module(wheel).__file__)).parent for wheel in language.tags]
    except ImportError:
        return None
    shipped = [(folder / "queries" / "tags.scm").read_text("utf-8") for folder in folders]
    grammar = tree_sitter.Language(getattr(module, language.entry)())
    query = tree_sitter.Query(grammar, "\n".join([*shipped, language.query]))
    return Grammar(tree_sitter.Parser(grammar), query)


def tags_of(data: bytes, language: Language) -> Tags | None:
    """Return the tags of a source file, or None where its grammar is missing."""
    grammar = grammar_of(language)
    if grammar is None:
        return None
    root = grammar.parser.parse(data).root_node
    definitions: dict[int, _Definition] = {}
    calls: list[str] = []
    types: list[str] = []
    ends: list[int] = []
    for _, captures in tree_sitter.QueryCursor(grammar.query).matches(root):
        if "name" not in captures:
            continue
        name = captures["name"][0]
        for capture, nodes in captures.items():
            if capture.startswith("reference."):
                word = data[name.start_byte : name.end_byte].decode("utf-8", "replace")
                (calls if capture in _CALLS else types).append(word)
            elif capture.startswith("definition.") and _is_near_the_top(nodes[0], ends):
                found = _definition(nodes[0], name, capture[len("definition.") :], captures)
                known = definitions.get(name.start_byte)
                if known is None or _size(found.node) <= _size(known.node):
                    definitions[name.start_byte] = found
    return Tags(_entries(list(definitions.values())), calls, types, _is_broken(root))


def _is_near_the_top(node: tree_sitter.Node, ends: list[int]) -> bool:
    """Say whether fewer than `DEEPEST` definitions hold this one; *ends*: where those end.

    To find a node's parent costs its depth, so that generated nesting would cost its square.
    """
    while ends and ends[-1] <= node.start_byte:
        ends.pop()
    ends.append(node.end_byte)
    return len(ends) <= DEEPEST


def _is_broken(root: tree_sitter.Node) -> bool:
    if not root.has_error:
        return False
    if root.type == "ERROR":
        return True
    lost = sum(_size(child) for child in root.children if child.type == "ERROR")
    return lost > MOST_BROKEN_SHARE * _size(root)


def _definition(
    node: tree_sitter.Node,
    name: tree_sitter.Node,
    kind: str,
    captures: dict[str, list[tree_sitter.Node]],
) -> _Definition:
    words = _plain_name(_text(name))
    if scope := captures.get("scope"):
        words = f"{_plain_name(_text(scope[0]))}.{words}"
    detail = _text(captures["detail"][0]) if "detail" in captures else ""
    return _Definition(node, _whole(node), _KINDS.get(node.type, kind), words, detail)


def _whole(node: tree_sitter.Node) -> tree_sitter.Node:
    """Return the definition with its decorators, its `export`, its template's head."""
    parent = node.parent
    while parent is not None and parent.type in _WRAPPERS:
        if parent.type in _GROUPS and parent.named_child_count > 1:
            break
        node, parent = parent, parent.parent
    return node


def _entries(definitions: list[_Definition]) -> list[Entry]:
    """Nest what lies inside something else, and leave out what only repeats or clutters."""
    if any(found.kind not in _DATA for found in definitions):
        definitions = [found for found in definitions if found.kind not in _DATA]
    definitions.sort(key=lambda found: (found.whole.start_byte, -found.whole.end_byte))
    functions = [found for found in definitions if found.kind in ("function", "method")]
    defined = {found.name for found in functions if not _is_declaration(found)}
    entries: list[Entry] = []
    holders: list[tuple[int, Entry]] = []
    for found in definitions:
        while holders and holders[-1][0] <= found.whole.start_byte:
            holders.pop()
        holder = holders[-1][1] if holders else None
        in_function = holder is not None and holder.kind not in HOLD_METHODS
        if found.node.type in _ENCLOSES_ALL or found.whole.type in _FRAGMENTS:
            continue
        if _is_declaration(found) and (in_function or found.name in defined):
            continue
        first_line, last_line = _lines(found.whole)
        if holder and _is_same_type(found, holder, first_line, last_line):
            holder.name = found.name
            continue
        is_method = found.kind == "function" and holder is not None and not in_function
        kind = "method" if is_method else found.kind
        entry = Entry(kind, found.name, first_line, last_line, len(holders), found.detail)
        entries.append(entry)
        holders.append((found.whole.end_byte, entry))
    return entries


def _is_same_type(found: _Definition, holder: Entry, first_line: int, last_line: int) -> bool:
    """`typedef struct tag { … } name;` is one thing, and goes by its second name."""
    is_typedef = found.whole.type == "type_definition"
    return is_typedef and (holder.first_line, holder.last_line) == (first_line, last_line)


def _is_declaration(found: _Definition) -> bool:
    """A prototype: it gives way to the definition in the same file."""
    return found.whole.type == "declaration" and found.kind in ("function", "method")


def _lines(node: tree_sitter.Node) -> tuple[int, int]:
    first = node.start_point.row + 1
    before = node.prev_sibling
    while before is not None and before.type in _LEADERS:
        first = before.start_point.row + 1
        before = before.prev_sibling
    end = node.end_point
    last = end.row + (1 if end.column else 0)
    return first, max(first, last)


def _size(node: tree_sitter.Node) -> int:
    return node.end_byte - node.start_byte


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _plain_name(text: str) -> str:
    """Return a name on one line: `&'a Foo<T>::bar` is `Foo.bar`."""
    text = re.sub(r"^&(?:'\w+\s+)?(?:mut\s+)?", "", text)
    while (shorter := re.sub(r"<[^<>]*>", "", text)) != text:
        text = shorter
    text = "".join(text.split()).replace("::", ".").strip("\"'`")
    return text[:LONGEST_NAME] or "?"
