"""The commands that run a program in a small language; `programs` tells which lines it prints."""

from priced_context import files
from priced_context.records import UNKNOWN
from priced_context.shell import programs
from priced_context.shell.scope import (
    FAILED,
    PRESUMED,
    SUCCEEDED,
    UNTOLD,
    NotUnderstood,
    Scope,
    is_assignment,
    known,
    unread,
)
from priced_context.shell.streams import (
    Stream,
    edited,
    filtered,
    first_bytes,
    joined,
    laid_out_anew,
    part_of,
    sliced,
    text_of,
    words_of_its_own,
)
from priced_context.words import OPENING_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.programs import Selection
    from priced_context.shell.scope import Given, Table, Value


def sed(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    scripts = given.get("e", [])
    if not scripts and "f" not in given:
        scripts, operands = operands[:1], operands[1:]
    if "i" in given:
        return []
    each = scope.open_each(operands) if "s" in given else [scope.open_all(operands)]
    is_broken_off = scope.is_broken_off(operands)
    if scope.status == FAILED and len(operands) > 1:  # `q` may come first
        scope.status = UNTOLD
    if given.keys() & {"f", "z"} or is_broken_off:
        return filtered(joined(each))
    script = "\n".join(known(word) for word in scripts)
    return _selected(each, programs.selected_by_sed(script, is_quiet="n" in given))


def awk(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    program = ""
    if "f" not in given:
        program, operands = known(operands[0]) if operands else "", operands[1:]
    paths = [word for word in operands if not is_assignment(word)]
    settings = [str(word) for word in (*given.get("v", []), *operands)]
    each = scope.open_each(paths) if "FNR" in program else [scope.open_all(paths)]
    is_told = "f" not in given and scope.status != FAILED
    is_told &= not any(word.startswith(("RS=", "ORS=", "NR=", "FNR=")) for word in settings)
    if scope.status == FAILED and len(paths) > 1:  # mawk stops there, gawk goes on
        scope.status = UNTOLD
    if not is_told:
        return filtered(joined(each))
    return _selected(each, programs.selected_by_awk(program.replace("FNR", "NR")))


def python(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if given.get("m") == ["json.tool"]:
        return _parsed(scope.open_all(operands[:1]))
    code = _code(scope, given, operands, "c")
    if code is None:
        return unread(scope)
    return _opened(scope, *programs.opened_by_python(code))


def node(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    code = _code(scope, given, operands, "p", "e")
    if code is None:
        return unread(scope)
    return _opened(scope, *programs.opened_by_javascript(code, prints_value="p" in given))


def _code(scope: Scope, given: "Given", operands: "list[Value]", *names: str) -> str | None:
    """Return the program that stands in the line, as an option or a here-document.

    Its arguments are put where it asks for them: `sys.argv[1]` reads as the literal.
    """
    if OPENING_WORDS.isdisjoint(scope.words_there):
        return None
    code: str | None = None
    name = next((name for name in names if name in given), None)
    if name:
        code = known(given[name][-1])
    elif scope.stdin and operands[:1] in ([], ["-"]) and "m" not in given:
        code, operands = text_of(scope.stdin), operands[1:]
    for place, word in enumerate(operands[:8], 1):
        if code and isinstance(word, str):
            code = code.replace(f"sys.argv[{place}]", repr(word))
            code = code.replace(f"process.argv[{place}]", repr(word))
    return code


def _opened(scope: Scope, paths: "list[str]", selection: "Selection | None") -> "list[Stream]":
    """Return what a program prints of the files that it opens."""
    if selection is None:
        return unread(scope)
    if not paths:
        raise NotUnderstood
    streams = scope.open_all([*paths])
    if scope.status == FAILED:
        return []
    scope.status = PRESUMED
    if selection.byte_count is not None:
        return first_bytes(streams, selection.byte_count)
    return _selected([streams], selection)


def _selected(each: "list[list[Stream]]", selection: "Selection") -> "list[Stream]":
    """Return the lines of *selection*, counted in every list of *each* anew."""
    if selection.opens_others:
        raise NotUnderstood
    if selection.spans is None:
        return filtered(joined(each))
    if not selection.spans:
        return words_of_its_own()
    if selection.spans != [(1, None)]:
        each = [sliced(streams, selection.spans) for streams in each]
    streams = edited(joined(each), selection.prefix)
    return streams if selection.is_line_for_line else laid_out_anew(streams)


def jq(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if "n" in given or "i" in given:
        return words_of_its_own()
    query: Value = None
    if "f" not in given:
        query, operands = operands[0] if operands else ".", operands[1:]
    streams = scope.open_all(operands)
    scope.status = PRESUMED if scope.status == SUCCEEDED else FAILED
    if not isinstance(query, str):
        return filtered(streams)
    query = query.strip()
    if query in ("", "."):
        return _parsed(streams)
    if query == "empty":
        return []
    is_one_number = query.endswith("length") and "[]" not in query and "map" not in query
    return part_of(streams, is_short=is_one_number)


_DATA_ENDINGS = (".json", ".jsonl", ".ndjson", ".geojson", ".ipynb", ".har", ".yaml", ".yml")


def _parsed(streams: "list[Stream]") -> "list[Stream]":
    """Return all of *streams* laid out anew, if their files' names say that they are data."""
    paths = [read.path for stream in streams for read in stream.reads]
    if not all(path.endswith(_DATA_ENDINGS) for path in paths):
        return [Stream(UNKNOWN)]
    return laid_out_anew(streams)


def yq(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    """Both programs of that name: the one in Python takes jq's words, the one in Go fewer."""
    if operands and operands[0] in ("e", "eval", "ea", "eval-all"):
        operands = operands[1:]
    if len(operands) == 1 and files.exists(scope.resolve(operands[0])):
        raise NotUnderstood  # all of a file to the one, an error to the other
    return jq(scope, given, operands)


# The table.


_AWK = "+ F:field-separator v:assign f:file"


_JQ = (
    "* arg: argjson: slurpfile: rawfile: indent: f:from-file L: args jsonargs n=null-input "
    "i=in-place i=inplace"
)


READERS: "Table" = {
    "awk": (awk, _AWK),
    "gawk": (awk, _AWK),
    "jq": (jq, _JQ),
    "mawk": (awk, _AWK),
    "nawk": (awk, _AWK),
    "sed": (sed, "n=quiet n=silent e:expression f:file i?in-place E=regexp-extended r s=separate "
            "u=unbuffered z=null-data l:line-length posix debug sandbox follow-symlinks"),
    "yq": (yq, _JQ + " I: o:output-format p:input-format"),
    "node": (node, "+ * e:eval p:print r:require input-type:"),
    "nodejs": (node, "+ * e:eval p:print r:require input-type:"),
    "python": (python, "+ * c: m: W: X: check-hash-based-pycs:"),
}  # fmt: skip
