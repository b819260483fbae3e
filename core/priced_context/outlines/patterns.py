"""Outlines by line patterns: for languages without a grammar, and files that one cannot parse."""

import re

from priced_context.outlines.nesting import Mark, entries_of_marks
from priced_context.outlines.records import LONGEST_NAME, Entry

_CODE = re.compile(
    r"(?P<indent>[ \t]*)"
    r"(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|sealed"
    r"|async|pub(?:\([a-z]+\))?|unsafe|override|virtual|inline|open|data|local)\s+)*"
    r"(?P<kind>class|struct|interface|trait|enum|union|record|protocol|object|namespace|module"
    r"|defmodule|impl|def|defp|func|function\*?|fun|fn|sub|proc|macro_rules!|type)\s+"
    r"(?P<name>[A-Za-z_$][\w$]*(?:(?:::|\.)[\w$]+)*[!?]?)"
)
_SQL = re.compile(
    r"(?P<indent>\s*)CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP(?:ORARY)?\s+|UNIQUE\s+)*"
    r"(?P<kind>TABLE|VIEW|INDEX|FUNCTION|PROCEDURE|TRIGGER|TYPE|SCHEMA)\s+"
    r"(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>[\w.\"`\[\]]+)",
    re.IGNORECASE,
)
_SECTION = re.compile(r"(?P<indent>)\[(?P<name>[^\]]+)\]\s*$")
_CSS = re.compile(r"(?P<indent>[ \t]*)(?P<name>[.#@:\w&*\[][^{};]*?)\s*\{\s*$")
_BLOCK = re.compile(
    r"(?P<indent>[ \t]*)(?P<kind>message|service|enum|rpc|type|input|interface|resource|module"
    r"|data|variable|output|provider|task|query|mutation|scalar|directive)\s+\"?"
    r"(?P<name>[\w.]+\"?(?:\s+\"[\w.-]+\")?)"
)
_MAKE = re.compile(r"(?P<indent>)(?P<name>[A-Za-z0-9_.%/$(){}-]+)\s*::?(?!=)")
_CMAKE = re.compile(
    r"(?P<indent>[ \t]*)(?P<kind>function|macro|add_library|add_executable)\s*\(\s*"
    r"(?P<name>[\w:.-]+)",
    re.IGNORECASE,
)
_DOCKER = re.compile(r"(?P<indent>)(?P<kind>FROM)\s+(?P<name>\S+(?:\s+AS\s+\S+)?)", re.IGNORECASE)
_MARKUP = re.compile(
    r"(?P<indent>\s*)<(?P<kind>h[1-6]|section|template|script|style|article|main|nav|form|table)\b"
    r"(?P<name>[^>]*>?[^<]*)",
    re.IGNORECASE,
)
_TEX = re.compile(
    r"(?P<indent>)\\(?P<kind>(?:sub)*section|chapter|part|begin)\*?\{(?P<name>[^}]*)\}"
)
_R = re.compile(r"(?P<indent>[ \t]*)(?P<name>[\w.]+)\s*(?:<-|=)\s*function\b")
_LISP = re.compile(r"(?P<indent>\s*)\((?P<kind>def[\w-]*|ns)\s+(?:\^\S+\s+)*(?P<name>[^\s()\[\]]+)")
_ERLANG = re.compile(r"(?P<indent>)(?P<name>[a-z]\w*)\(.*\)\s*(?:when\b.*)?->")
_HASKELL = re.compile(
    r"(?P<indent>\s*)(?:(?P<kind>data|newtype|class|instance|type|module)\s+(?P<name>[A-Z][\w.]*)"
    r"|(?P<function>[a-z_][\w']*)\s*::)"
)
_OBJECTIVE_C = re.compile(
    r"(?P<indent>)(?:@(?P<kind>interface|implementation|protocol)\s+(?P<name>\w+)"
    r"|[-+]\s*\([^)]*\)\s*(?P<function>\w+))"
)

# suffix or whole name → (what its lines are called where the pattern does not say, pattern)
PATTERNS: dict[str, tuple[str, re.Pattern[str]]] = {
    "sql": ("", _SQL),
    "r": ("function", _R),
    **dict.fromkeys(("clj", "cljs", "cljc", "el", "lisp", "scm"), ("", _LISP)),
    "erl": ("function", _ERLANG),
    "hs": ("function", _HASKELL),
    **dict.fromkeys(("m", "mm"), ("method", _OBJECTIVE_C)),
    **dict.fromkeys(("ini", "cfg", "conf", "properties", "editorconfig"), ("section", _SECTION)),
    **dict.fromkeys(("css", "scss", "less"), ("rule", _CSS)),
    **dict.fromkeys(("proto", "graphql", "gql", "tf", "hcl"), ("", _BLOCK)),
    **dict.fromkeys(("mk", "makefile", "gnumakefile"), ("target", _MAKE)),
    **dict.fromkeys(("cmake", "cmakelists.txt"), ("", _CMAKE)),
    "dockerfile": ("", _DOCKER),
    **dict.fromkeys(("html", "htm", "xml", "vue", "svelte"), ("", _MARKUP)),
    **dict.fromkeys(("tex", "sty", "cls"), ("", _TEX)),
}


def pattern_entries(lines: list[str], suffix: str) -> list[Entry]:
    """Return what the patterns of *suffix* find; those of code for any other."""
    kind, pattern = PATTERNS.get(suffix, ("", _CODE))
    marks = []
    for number, line in enumerate(lines, 1):
        if len(line) > 2_000:  # no line that a person wrote
            continue
        found = pattern.match(line)
        if found is None:
            continue
        groups = found.groupdict()
        name = " ".join(
            (groups["name"] or groups.get("function") or "").replace('"', "").split()
        ).strip("<>\"'")[:LONGEST_NAME]
        word = (groups.get("kind") or kind).lower()
        indent = len(groups["indent"].expandtabs(8))
        marks.append(Mark(number, indent, word, name or word))
    return entries_of_marks(marks, lines)
