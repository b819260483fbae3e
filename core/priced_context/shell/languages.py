"""The commands that run a program in a small language.

What each program prints is told by a module of its own (`sed`, `awk`, `python`, `javascript`),
imported only where such a program stands.
"""

from priced_context import files
from priced_context.records import UNKNOWN
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
from priced_context.shell.selections import is_data
from priced_context.shell.streams import (
    ANEW,
    IN_ORDER,
    ONE_LINE,
    Stream,
    edited,
    filtered,
    first_bytes,
    has_content,
    joined,
    laid_out_anew,
    part_of,
    sliced,
    text_of,
    words_of_its_own,
)
from priced_context.words import READING_WORDS, may_read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from priced_context.shell.acts import Act
    from priced_context.shell.scope import Given, Table, Value
    from priced_context.shell.selections import Selection


def sed(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    scripts = given.get("e", [])
    if not scripts and "f" not in given:
        scripts, operands = operands[:1], operands[1:]
    if "i" in given:
        _note_edited(scope, scripts, operands)
        return []
    each = scope.open_each(operands) if "s" in given else [scope.open_all(operands)]
    is_broken_off = scope.is_broken_off(operands)
    if scope.status == FAILED and len(operands) > 1:  # `q` may come first
        scope.status = UNTOLD
    if given.keys() & {"f", "z"} or is_broken_off:
        return filtered(joined(each))
    script = "\n".join(known(word) for word in scripts)
    starts_anew = len(each) > 1
    from priced_context.shell.sed import selected_by_sed

    return _selected(each, selected_by_sed(script, is_quiet="n" in given, starts_anew=starts_anew))


def _note_edited(scope: Scope, scripts: "list[Value]", operands: "list[Value]") -> None:
    """Note what `sed -i` writes, unless it only edits within the lines."""
    from priced_context.shell.sed import selected_by_sed

    script = "\n".join(word for word in scripts if isinstance(word, str))
    if None in scripts or selected_by_sed(script, is_quiet=False).spans != [(1, None)]:
        for operand in operands:
            scope.note_written(operand)


def awk(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    program = ""
    if "f" not in given:
        program, operands = known(operands[0]) if operands else "", operands[1:]
    paths = [word for word in operands if not is_assignment(word)]
    settings = [str(word) for word in (*given.get("v", []), *operands)]
    each = scope.open_each(paths) if "FNR" in program else [scope.open_all(paths)]
    joins_lines = any(word.startswith(("RS=", "ORS=")) for word in settings)
    is_told = "f" not in given and scope.status != FAILED
    is_told &= not any(word.startswith(("RS=", "ORS=", "NR=", "FNR=")) for word in settings)
    if scope.status == FAILED and len(paths) > 1:  # mawk stops there, gawk goes on
        scope.status = UNTOLD
    if not is_told:
        return _some(joined(each), ONE_LINE if joins_lines else ANEW)
    from priced_context.shell.awk import selected_by_awk

    streams = _selected(each, selected_by_awk(program, starts_anew=len(each) > 1))
    # END runs, and may print, where there was no line to read
    return streams or (words_of_its_own() if "END" in program else [])


def python(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if given.get("m") == ["json.tool"]:
        return _parsed(scope.open_all(operands[:1]))
    code, arguments = _program(scope, given, operands, "c")
    if code is None:
        return unread(scope)
    from priced_context.shell.python import acts_of_python

    return _followed(scope, code, lambda: acts_of_python(code, arguments))


def node(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    code, arguments = _program(scope, given, operands, "p", "e")
    if code is None:
        return unread(scope)
    from priced_context.shell.javascript import acts_of_javascript

    prints_value = "p" in given
    return _followed(
        scope, code, lambda: acts_of_javascript(code, arguments, prints_value=prints_value)
    )


def _program(
    scope: Scope, given: "Given", operands: "list[Value]", *names: str
) -> "tuple[str | None, list[str | None]]":
    """Return the program that stands in the line, as an option or a here-document.

    And its arguments. None where it does not stand there, or with no word that reads.
    """
    if READING_WORDS.isdisjoint(scope.words_there) and not has_content(scope.stdin or []):
        return None, []
    code: str | None = None
    name = next((name for name in names if name in given), None)
    if name and given[name] == ["e"]:  # `node -pe`
        code, operands = known(operands[0]) if operands else None, operands[1:]
    elif name:
        code = known(given[name][-1])
    elif scope.stdin and operands[:1] in ([], ["-"]) and "m" not in given:
        code, operands = text_of(scope.stdin), operands[1:]
    return code, [word if isinstance(word, str) else None for word in operands]


def _followed(scope: Scope, code: str, follow: "Callable[[], list[Act]]") -> "list[Stream]":
    """Return what a program prints that opens its files itself.

    Raises:
        NotUnderstood: it is not followed.
    """
    from priced_context.shell import acts
    from priced_context.shell.tokens import MAX_TOKENS, Unfollowed

    scope.step(min(len(code), MAX_TOKENS))
    try:
        followed = follow()
    except Unfollowed:
        raise NotUnderstood from None
    output: list[list[Stream]] = []
    status = PRESUMED
    for act in followed:
        if act.what == acts.WRITES:
            scope.note_written(act.path)
        elif act.what == acts.RUNS:
            if act.path is None or may_read(act.path):
                output.append([Stream(UNKNOWN)])
        elif act.what == acts.FAILS:
            scope.status = FAILED
            break
        elif act.what == acts.MAY_FAIL:
            status = UNTOLD
        elif act.what == acts.PRINTS and not act.selection:
            output.append(words_of_its_own())
        else:
            streams = _file(scope, act.path)
            if act.selection:
                output.append(_printed(streams, act.selection))
            elif scope.status == FAILED and act.what == acts.OPENS:
                break
            elif scope.status == FAILED:
                status = UNTOLD
    else:
        scope.status = status
    if len(output) > 1:
        output = [laid_out_anew(streams) for streams in output]
    return joined(output)


def _file(scope: Scope, path: "str | None") -> "list[Stream]":
    """Return what a file holds that a program opens; of standard input nobody tells."""
    from priced_context.shell.values import STDIN

    if path == STDIN:
        return [Stream(UNKNOWN)] if has_content(scope.stdin or []) else []
    return scope.open_all([path])


def _printed(streams: "list[Stream]", selection: "Selection") -> "list[Stream]":
    if selection.byte_count is not None and streams:
        return first_bytes(streams, selection.byte_count)
    return _selected([streams], selection)


def _selected(each: "list[list[Stream]]", selection: "Selection") -> "list[Stream]":
    """Return the lines of *selection*, counted in every list of *each* anew."""
    if selection.opens_others:
        raise NotUnderstood
    if selection.spans is None:
        return _some(joined(each), selection.order)
    if not selection.spans:
        return words_of_its_own()
    if selection.spans != [(1, None)]:
        each = [sliced(streams, selection.spans) for streams in each]
    if selection.is_part:
        return filtered(joined(each))
    streams = edited(joined(each), selection.prefix)
    return streams if selection.order == IN_ORDER else laid_out_anew(streams, order=selection.order)


def _some(streams: "list[Stream]", order: int) -> "list[Stream]":
    """Return some part of *streams*; in ONE_LINE a single line of it may be all."""
    part = filtered(streams)
    for stream in part:
        stream.order = ONE_LINE if order == ONE_LINE else ANEW
    return part


def jq(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if given.keys() & {"slurpfile", "rawfile"} and "n" in given:
        raise NotUnderstood
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
        return _parsed(streams, ONE_LINE if "c" in given else ANEW)
    if query == "empty":
        return []
    if query.endswith(("tojson", "tostring", "@json")):
        return _some(streams, ONE_LINE)
    is_one_number = query.endswith("length") and "[]" not in query and "map" not in query
    return part_of(streams, is_short=is_one_number)


def _parsed(streams: "list[Stream]", order: int = ANEW) -> "list[Stream]":
    """Return all of *streams* laid out anew, if their files' names say that they are data."""
    paths = [read.path for stream in streams for read in stream.reads]
    if not all(is_data(path) for path in paths):
        return [Stream(UNKNOWN)]
    return laid_out_anew(streams, order=order)


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
    "i=in-place i=inplace c=compact-output"
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
