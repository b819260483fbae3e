"""The commands that print files: what each makes of its operands and of its standard input.

One entry of `READERS` a command: a function and its options, spelled for `scope.options`. To
add a command, add its function and entry here, its word to `words.READING_WORDS`, and its
cases to `tests/golden/shell.txt`.
"""

from priced_context import files
from priced_context.records import NONE, UNBOUNDED, UNKNOWN
from priced_context.shell.scope import (
    FAILED,
    MAX_FILES,
    PRESUMED,
    SUCCEEDED,
    UNTOLD,
    NotUnderstood,
    Scope,
    known,
    last,
    number,
    options,
)
from priced_context.shell.streams import (
    SHORT_BYTES,
    SHORT_LINES,
    Stream,
    backwards,
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
from priced_context.words import OPENING_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from priced_context.shell.programs import Selection
    from priced_context.shell.scope import Command, Given, Value
    from priced_context.shell.streams import Span

# Lines as they stand, or changed within.


def cat(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    streams = scope.open_all(operands)
    if not given:
        return streams
    return edited(streams, "cat-n" if "n" in given or "b" in given else "")


def tac(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    streams = scope.open_all(operands)
    return laid_out_anew(streams) if given else backwards(streams)


def nl(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    return edited(scope.open_all(operands), "cat-n")


def line_edit(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`rev`, `expand`: a line out for every line in."""
    return edited(scope.open_all(operands))


def layout(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`fold`, `column`, `paste`: all of the text, in other lines."""
    streams = scope.open_all(operands)
    if scope.status == FAILED:  # some of them stop there, some go on and call it success
        scope.status = UNTOLD
        return filtered(streams)
    return laid_out_anew(streams)


def less(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    """Without a terminal it copies, from the first line whatever `+100` says."""
    paths = [word for word in operands if not str(word).startswith("+")]
    streams = scope.open_all(paths)
    if scope.status == FAILED:  # for `less` a directory is none
        scope.status = UNTOLD
    # A file that is named twice comes once.
    return streams if len(paths) < 2 else laid_out_anew(streams)


def more(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    """Without a terminal it copies, with a heading of three lines."""
    if any(str(word).startswith("+") for word in operands):
        raise NotUnderstood
    return laid_out_anew(scope.open_all(operands))


def bat(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    each = scope.open_each(operands)
    if "L" in given:
        return words_of_its_own()
    if "d" in given:
        return filtered(joined(each))
    if "r" in given:
        spans = [line_range(known(word)) for word in given["r"]]
        each = [sliced(streams, spans) for streams in each]
    return edited(joined(each), "cat-n" if "n" in given else "")


def line_range(text: str) -> "Span":
    """Return the span of `10:20`, `:20`, `10:`, `-10:`, `10:+5` or `10`."""
    first, colon, end = text.partition(":")
    start = number(first or "1")
    if not colon:
        return (start, 1)
    if not end:
        return (start, None)
    if start < 1 or end.startswith("-"):
        raise NotUnderstood
    if end.startswith("+"):
        return (start, number(end) + 1)
    return (start, max(number(end) - start + 1, 0))


# Ends of files.


def head(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if "z" in given:
        raise NotUnderstood
    each = scope.open_each(operands)
    if "c" in given:
        count = number(given["c"][-1])
        return _headed(given, _bytes_of_each(each, count if count >= 0 else None))
    span = (1, number(last(given, "n", "#", default="10")))
    return _headed(given, [sliced(streams, [span]) for streams in each])


def tail(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if not given and len(operands) == 2 and str(operands[0]).startswith("+"):
        given, operands = {"n": operands[:1]}, operands[1:]  # `tail +5 file`, as of old
    if "z" in given or ("#" in given and len(operands) > 1):
        raise NotUnderstood
    each = scope.open_each(operands)
    text = known(last(given, "c", "n", "#", default="10"))
    count = abs(number(text))
    is_from_start = text.startswith("+")
    if not count and not is_from_start:  # it leaves without a look
        scope.status = SUCCEEDED
        return []
    if _is_broken_off(scope, operands):
        return filtered(joined(each))
    if "c" in given:
        return _headed(given, _bytes_of_each(each, None if is_from_start else -count))
    span: Span = (max(count, 1) if is_from_start else -count, None)
    return _headed(given, [sliced(streams, [span]) for streams in each])


def _bytes_of_each(each: "list[list[Stream]]", count: int | None) -> "list[list[Stream]]":
    return [first_bytes(streams, count) for streams in each]


def _headed(given: "Given", each: "list[list[Stream]]") -> "list[Stream]":
    """Return the streams of several files with their names between them: `==> a.txt <==`."""
    names = words_of_its_own() if "v" in given or (len(each) > 1 and "q" not in given) else []
    return joined(names + streams for streams in each)


def dd(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    settings = dict(known(word).partition("=")[::2] for word in operands)
    if "of" in settings:
        return words_of_its_own()
    streams = scope.open_all([settings["if"]] if "if" in settings else [])
    if settings.keys() - {"if", "bs", "count", "status"}:
        return filtered(streams)
    if "count" in settings:
        return first_bytes(streams, number(settings["count"]) * number(settings.get("bs", "512")))
    return streams


# Filters.


def part(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`cut`, `strings`: a part of every file."""
    return filtered(scope.open_all(operands))


def sort(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    streams = scope.open_all(operands)
    if "c" in given or "C" in given:
        return words_of_its_own()
    if "o" in given:
        scope.note_written(last(given, "o"))
        return []
    if scope.status == FAILED:  # all or nothing
        return []
    return filtered(streams) if "u" in given else laid_out_anew(streams)


def uniq(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    return filtered(scope.open_all(operands[:1])) if len(operands) < 2 else []


def shuf(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if given.keys() & {"e", "i", "o"}:
        return words_of_its_own()
    if len(operands) > 1:
        scope.status = FAILED
        return words_of_its_own()
    streams = laid_out_anew(scope.open_all(operands))
    return sliced(streams, [(1, number(last(given, "n")))]) if "n" in given else streams


def diff(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if "q" in given:
        return words_of_its_own()
    paths = [scope.resolve(word) for word in operands if isinstance(word, str)]
    if "r" in given or (paths and all(files.is_directory(path) for path in paths)):
        return [Stream(UNBOUNDED)]
    streams = filtered(scope.open_all(operands))
    is_silent = scope.status == FAILED or (len(set(paths)) < len(paths) and "y" not in given)
    scope.status = UNTOLD
    return [] if is_silent else streams


def opaque(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`zcat` and its like: what comes out is longer than a stat tells."""
    return [Stream(UNKNOWN)] if has_content(scope.open_all(operands)) else []


def gzip(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if "l" in given or "t" in given:
        return words_of_its_own()
    return opaque(scope, given, operands) if "c" in given or not operands else []


# Bytes as digits. A growth is the bytes printed for a byte of the file, from the length of a
# line in that layout: `xxd` prints 68 for 16.


def xxd(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if "r" in given or len(operands) > 1:
        raise NotUnderstood
    growths = {"p": 2.04, "b": 11.0, "i": 6.2}
    growth = next((growths[name] for name in growths if name in given), 4.25)
    return _digits(scope, given, operands, growth, skip="s", limit="l")


def hexdump(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if "e" in given or "f" in given:
        raise NotUnderstood
    growths = {"C": 4.94, "b": 4.5, "c": 4.5}
    growth = next((growths[name] for name in growths if name in given), 3.0)
    return _digits(scope, given, operands, growth, skip="s", limit="n")


def hd(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    return hexdump(scope, {**given, "C": [""]}, operands)


def od(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    layout_ = known(last(given, "t")) or ("x2" if "x" in given else "")
    growth = 4.0  # octal words: 64 bytes for 16
    if given.keys() & {"a", "b", "c"} or layout_[:1] in ("a", "c"):
        growth = 4.5
    elif layout_.startswith("x"):
        growth = 3.5 if layout_.startswith("x1") else 3.0
    return _digits(scope, given, operands, growth, skip="j", limit="N")


def base64(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if "d" in given or "D" in given:
        raise NotUnderstood
    return laid_out_anew(scope.open_all(operands), 77 / 57)


def base32(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if "d" in given:
        raise NotUnderstood
    return laid_out_anew(scope.open_all(operands), 77 / 47.5)


def _digits(
    scope: Scope,
    given: "Given",
    operands: "list[Value]",
    growth: float,
    *,
    skip: str,
    limit: str,
) -> "list[Stream]":
    """Return a dump in digits, of a part where the options *skip* or *limit* are given."""
    streams = scope.open_all(operands)
    count = _any_number(given[limit][-1]) if limit in given else None
    if skip in given:
        is_short = count is not None and count * growth <= SHORT_BYTES
        streams = part_of(streams, is_short=is_short)
    elif count is not None:
        streams = first_bytes(streams, count)
    return laid_out_anew(streams, growth)


def _any_number(value: "Value") -> int:
    """Return a count, which may be spelled in hexadecimal."""
    text = known(value)
    if not text.startswith("0x"):
        return abs(number(text))
    try:
        return int(text[:16], 16)
    except ValueError:
        raise NotUnderstood from None


# Programs in small languages: `programs` tells which lines they print.


def sed(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    scripts = given.get("e", [])
    if not scripts and "f" not in given:
        scripts, operands = operands[:1], operands[1:]
    if "i" in given:
        return []
    each = scope.open_each(operands) if "s" in given else [scope.open_all(operands)]
    is_broken_off = _is_broken_off(scope, operands)
    if scope.status == FAILED and len(operands) > 1:  # `q` may come first
        scope.status = UNTOLD
    if given.keys() & {"f", "z"} or is_broken_off:
        return filtered(joined(each))
    script = "\n".join(known(word) for word in scripts)
    return _selected(each, _programs().selected_by_sed(script, is_quiet="n" in given))


def _is_broken_off(scope: Scope, operands: "list[Value]") -> bool:
    """Return whether an operand is a directory: `sed` and `tail` may stop there.

    They go on behind a file that is missing.
    """
    return scope.status == FAILED and any(
        isinstance(word, str) and files.is_directory(scope.resolve(word)) for word in operands
    )


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
    return _selected(each, _programs().selected_by_awk(program.replace("FNR", "NR")))


def is_assignment(word: "Value") -> bool:
    name, equals, _ = word.partition("=") if isinstance(word, str) else ("", "", "")
    return bool(equals) and name.isidentifier()


def python(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if given.get("m") == ["json.tool"]:
        return _parsed(scope.open_all(operands[:1]))
    code = _code(scope, given, operands, "c")
    if code is None:
        return unread(scope)
    return _opened(scope, *_programs().opened_by_python(code))


def node(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    code = _code(scope, given, operands, "p", "e")
    if code is None:
        return unread(scope)
    return _opened(scope, *_programs().opened_by_javascript(code, prints_value="p" in given))


def _code(scope: Scope, given: "Given", operands: "list[Value]", *names: str) -> str | None:
    """Return the program that stands in the line, as an option or a here-document.

    Its arguments are put where it asks for them: `sys.argv[1]` reads as the literal.
    """
    if OPENING_WORDS.isdisjoint(scope.standing):
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


def unread(scope: Scope) -> "list[Stream]":
    """Return the output of a program that is in no table.

    What a pipe brings to it may come out again; what it is given by `<` is its own business.
    """
    is_fed = scope.has_piped_stdin and has_content(scope.stdin or [])
    return [Stream(UNKNOWN)] if is_fed else words_of_its_own()


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


def _programs() -> "ModuleType":
    """Import `programs` where there is one; most lines have none."""
    from priced_context.shell import programs

    return programs


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


# Searches.

# Patterns that every line matches.
_EVERY_LINE = frozenset({"", "^", "$", ".*", "^.*", ".*$", "^.*$"})


def grep(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    patterns, operands = patterns_of(given, operands)
    is_recursive = "r" in given or "R" in given or last(given, "d") == "recurse"
    if is_recursive and not operands:
        operands = ["."]
    return search(scope, given, patterns, operands, is_recursive=is_recursive)


def rgrep(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    return grep(scope, {**given, "r": [""]}, operands)


def fgrep(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    return grep(scope, {**given, "F": [""]}, operands)


def rg(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`rg` and `ag`: where no path is named, standard input is searched, else the directory."""
    if "files" in given:
        return [Stream(UNBOUNDED)]
    if "type-list" in given:
        return words_of_its_own()
    patterns, operands = patterns_of(given, operands)
    if not operands and scope.stdin is None:
        operands = ["."]
    if "passthru" in given:
        patterns = [""]
    return search(scope, given, patterns, operands, is_recursive=True)


def ag(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    return [Stream(UNBOUNDED)] if "g" in given else rg(scope, given, operands)


def patterns_of(given: "Given", operands: "list[Value]") -> "tuple[list[Value], list[Value]]":
    """Return the patterns of a search, and its paths."""
    if "e" in given or "f" in given:
        return given.get("e", []), operands
    return operands[:1], operands[1:]


def search(
    scope: Scope,
    given: "Given",
    patterns: "list[Value]",
    operands: "list[Value]",
    *,
    is_recursive: bool,
) -> "list[Stream]":
    """Return what a search prints, by grep's one-letter options."""
    if len(operands) > MAX_FILES:
        raise NotUnderstood
    each = [
        [Stream(UNBOUNDED)]
        if is_recursive and isinstance(word, str) and files.is_directory(scope.resolve(word))
        else scope.open(word)
        for word in operands or ["-"]
    ]
    scope.status = UNTOLD
    if given.keys() & {"q", "c", "l", "L", "count-matches"}:
        return words_of_its_own()
    limit = number(last(given, "m")) if "m" in given else None
    takes_all = not _EVERY_LINE.isdisjoint(word for word in patterns if isinstance(word, str))
    if "F" in given:
        takes_all = "" in patterns
    if takes_all and not given.keys() & {"v", "o", "x", "w", "json"}:
        if limit is not None:
            each = [sliced(streams, [(1, limit)]) for streams in each]
        return edited(joined(each), "grep-n" if "n" in given else "")
    has_context = given.keys() & {"A", "B", "C", "#"}
    is_short = limit is not None and not has_context and limit * len(each) <= SHORT_LINES
    return part_of(joined(each), is_short=is_short)


# Listings. `tree -L 2` and `find -maxdepth 2` still count as short.

SHORT_DEPTH = 2


def ls(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    paths = [scope.resolve(word) for word in operands or ["."] if isinstance(word, str)]
    scope.status = SUCCEEDED if all(files.exists(path) for path in paths) else FAILED
    is_long = "R" in given and any(files.is_directory(path) for path in paths)
    return [Stream(UNBOUNDED)] if is_long else words_of_its_own()


def tree(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    paths = [scope.resolve(word) for word in operands or ["."] if isinstance(word, str)]
    is_short = "o" in given or ("L" in given and number(last(given, "L")) <= SHORT_DEPTH)
    is_long = not is_short and any(files.is_directory(path) for path in paths)
    return [Stream(UNBOUNDED)] if is_long else words_of_its_own()


def fd(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if "x" in given or "X" in given:
        raise NotUnderstood
    is_flat = "d" in given and number(last(given, "d")) <= SHORT_DEPTH
    is_short = is_flat or "1" in given or "max-results" in given
    return words_of_its_own() if is_short else [Stream(UNBOUNDED)]


def find(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    words = [word for word in operands if word not in ("-H", "-L", "-P")]
    start = 0
    while start < len(words) and not str(words[start]).startswith(("-", "(", "!")):
        start += 1
    paths, expression = words[:start] or ["."], words[start:]
    output, acts = _executed(scope, expression)
    prints = not acts or any(word in expression for word in ("-print", "-print0", "-ls", "-printf"))
    is_short = "-quit" in expression
    if "-maxdepth" in expression[:-1]:
        is_short |= number(expression[expression.index("-maxdepth") + 1]) <= SHORT_DEPTH
    trees = [path for path in paths if path is None or files.is_directory(scope.resolve(path))]
    scope.status = PRESUMED
    if prints and trees and not is_short:
        output.append(Stream(UNBOUNDED))
    return output or words_of_its_own()


def _executed(scope: Scope, expression: "list[Value]") -> "tuple[list[Stream], bool]":
    """Return what find's `-exec` commands print, and whether the expression does anything."""
    output: list[Stream] = []
    acts = False
    command: list[Value] | None = None
    for word in expression:
        if command is not None:
            if word in (";", "+"):
                streams = scope.run(command)  # for every file found, if there is one
                output += [Stream(UNKNOWN) if s.kind != NONE else s for s in streams]
                command = None
            else:
                command.append(None if "{}" in str(word) else word)
        elif word in ("-exec", "-execdir", "-ok", "-okdir"):
            acts, command = True, []
        elif word in ("-delete", "-fprint", "-fprintf", "-fls"):
            acts = True
    return output, acts


def git(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    verb = operands[0] if operands else ""
    if not isinstance(verb, str) or verb not in scope.standing:
        return unread(scope)
    from priced_context.shell.git import VERBS

    if verb not in VERBS:
        return unread(scope)
    function, spec = VERBS[verb]
    outside = scope.cwd
    if "C" in given:
        scope.cwd = scope.resolve(last(given, "C"))
    try:
        return function(scope, *options(operands[1:], spec))
    finally:
        scope.cwd = outside
        is_question = verb == "grep" or not {"--quiet", "--exit-code"}.isdisjoint(operands[1:])
        scope.status = UNTOLD if is_question else PRESUMED


# The table. A spec is one line for `options`, single blanks between its entries.

_GREP = (
    "* # e:regexp f:file m:max-count A:after-context B:before-context C:context D:devices "
    "d:directories include: exclude: exclude-dir: exclude-from: label: binary-files: "
    "r=recursive R=dereference-recursive q=quiet q=silent c=count l=files-with-matches "
    "L=files-without-match v=invert-match o=only-matching x=line-regexp w=word-regexp "
    "n=line-number F=fixed-strings"
)
_RG = (
    "* A:after-context B:before-context C:context e:regexp f:file g:glob j:threads m:max-count "
    "M:max-columns r:replace t:type T:type-not E:encoding d:max-depth color: colors: engine: "
    "context-separator: dfa-size-limit: field-context-separator: field-match-separator: iglob: "
    "ignore-file: max-filesize: path-separator: pre: pre-glob: regex-size-limit: sort: sortr: "
    "type-add: type-clear: q=quiet c=count count-matches l=files-with-matches files type-list "
    "L=files-without-match v=invert-match o=only-matching x=line-regexp w=word-regexp json "
    "n=line-number F=fixed-strings passthru=passthru passthru=passthrough"
)
_AG = (
    "* A:after B:before C:context G:file-search-regex W:width m:max-count p:path-to-ignore "
    "ignore: ignore-dir: depth: workers: pager: c=count l=files-with-matches v=invert-match "
    "L=files-without-matches o=only-matching w=word-regexp g passthru=passthrough F=literal"
)
_JQ = (
    "* arg: argjson: slurpfile: rawfile: indent: f:from-file L: args jsonargs n=null-input "
    "i=in-place i=inplace"
)
_BAT = (
    "* l:language H:highlight-line r:line-range m:map-syntax n=number d=diff L=list-languages "
    "L=list-themes style: color: decorations: paging: pager: wrap: tabs: theme: theme-dark: "
    "theme-light: terminal-width: file-name: italic-text: diff-context: ignored-suffix: "
    "squeeze-limit: strip-ansi: binary: nonprintable-notation:"
)
_AWK = "+ F:field-separator v:assign f:file"
_FD = "* d:max-depth 1 max-results: e:extension E:exclude t:type x=exec X=exec-batch"
_HEXDUMP = "e: f: n: s: C=canonical b c d o v x"

READERS: "dict[str, tuple[Command, str | None]]" = {
    "ack": (ag, _AG),
    "ag": (ag, _AG),
    "awk": (awk, _AWK),
    "base32": (base32, "d=decode i=ignore-garbage w:wrap"),
    "base64": (base64, "d=decode D i=ignore-garbage w:wrap b:"),
    "bat": (bat, _BAT),
    "batcat": (bat, _BAT),
    "bzcat": (opaque, "*"),
    "cat": (cat, "n=number b=number-nonblank s=squeeze-blank E=show-ends T=show-tabs "
            "A=show-all v=show-nonprinting e t u"),
    "column": (layout, "* c:columns d o:output-separator s:separator N:table-columns l: i: n: "
               "p: r: R:table-right H:table-hide O:table-order W:table-wrap E:table-noextreme"),
    "comm": (part, "1 2 3 z=zero-terminated total check-order nocheck-order output-delimiter:"),
    "cut": (part, "b:bytes c:characters d:delimiter f:fields n s=only-delimited complement "
            "z=zero-terminated output-delimiter:"),
    "dd": (dd, None),
    "diff": (diff, "* # y=side-by-side q=brief r=recursive U: C: W: I: F: x:exclude S: D: "
             "X:exclude-from starting-file: label: L: ifdef: horizon-lines: to-file: from-file: "
             "width:"),
    "egrep": (grep, _GREP),
    "expand": (line_edit, "i=initial t:tabs"),
    "fd": (fd, _FD),
    "fdfind": (fd, _FD),
    "fgrep": (fgrep, _GREP),
    "find": (find, None),
    "fmt": (layout, "# c=crown-margin p:prefix s=split-only t=tagged-paragraph u=uniform-spacing "
            "g:goal w:width"),
    "fold": (layout, "b=bytes s=spaces w:width"),
    "gawk": (awk, _AWK),
    "grep": (grep, _GREP),
    "gunzip": (gzip, "* c=stdout l=list t=test S:"),
    "gzip": (gzip, "* c=stdout d=decompress l=list t=test S:"),
    "hd": (hd, _HEXDUMP),
    "head": (head, "# n:lines c:bytes q=quiet q=silent v=verbose z=zero-terminated"),
    "hexdump": (hexdump, _HEXDUMP),
    "iconv": (line_edit, "f:from-code t:to-code c s=silent"),
    "join": (part, "a: e: i=ignore-case j: o: t: v: 1: 2: z=zero-terminated header check-order "
             "nocheck-order"),
    "jq": (jq, _JQ),
    "less": (less, "* # b: h: j: k: o: O: p: P: t: T: x: y: z: D:"),
    "ls": (ls, "* I:ignore w:width T:tabsize R=recursive hide: block-size: color? sort: time:"),
    "mawk": (awk, _AWK),
    "more": (more, "# n:lines d=silent f=logical l=no-pause c=print-over p=clean-print "
             "s=squeeze u=plain"),
    "nawk": (awk, _AWK),
    "nl": (nl, "b:body-numbering d:section-delimiter f:footer-numbering h:header-numbering "
           "i:line-increment l:join-blank-lines n:number-format p=no-renumber "
           "s:number-separator v:starting-line-number w:number-width"),
    "od": (od, "* A:address-radix j:skip-bytes N:read-bytes t:format w? S?"),
    "paste": (layout, "d:delimiters s=serial z=zero-terminated"),
    "pr": (layout, "* # D: e? h: i? l: n? N: o: s? S? w: W:"),
    "rev": (line_edit, ""),
    "rg": (rg, _RG),
    "rgrep": (rgrep, _GREP),
    "sed": (sed, "n=quiet n=silent e:expression f:file i?in-place E=regexp-extended r s=separate "
            "u=unbuffered z=null-data l:line-length posix debug sandbox follow-symlinks"),
    "shuf": (shuf, "e=echo i:input-range n:head-count o:output random-source: r=repeat z"),
    "sort": (sort, "b=ignore-leading-blanks d=dictionary-order f=ignore-case h=human-numeric-sort "
             "g=general-numeric-sort i=ignore-nonprinting M=month-sort n=numeric-sort m=merge "
             "R=random-sort r=reverse V=version-sort sort: random-source: c?check C k:key "
             "o:output s=stable S:buffer-size t:field-separator T:temporary-directory u=unique "
             "z=zero-terminated parallel: batch-size: compress-program: debug"),
    "strings": (part, "* # n:bytes t:radix e:encoding T:target s: U:"),
    "tac": (tac, "b=before r=regex s:separator"),
    "tail": (tail, "# n:lines c:bytes f F follow? q=quiet q=silent v=verbose z=zero-terminated "
             "s:sleep-interval pid: max-unchanged-stats: retry"),
    "tree": (tree, "* L: P: I: o: H: T: filelimit: charset: timefmt: sort?"),
    "unexpand": (line_edit, "a=all t:tabs first-only"),
    "uniq": (uniq, "c=count d=repeated D all-repeated group f:skip-fields i=ignore-case "
             "s:skip-chars u=unique z=zero-terminated w:check-chars"),
    "xxd": (xxd, "* c:cols g:groupsize l:len s:seek o: n:name r=revert p=ps p=postscript b i"),
    "xzcat": (opaque, "*"),
    "yq": (yq, _JQ + " I: o:output-format p:input-format"),
    "zcat": (opaque, "*"),
    "zgrep": (opaque, "* e: f: m: A: B: C:"),
    "zless": (opaque, "*"),
    "zmore": (opaque, "*"),
    "zstdcat": (opaque, "*"),
}  # fmt: skip
"""What brings a file into the output by its own name."""

INTERPRETERS: "dict[str, tuple[Command, str]]" = {
    "git": (git, "+ * C: c: git-dir: work-tree: namespace: exec-path?"),
    "node": (node, "+ * e:eval p:print r:require input-type:"),
    "nodejs": (node, "+ * e:eval p:print r:require input-type:"),
    "python": (python, "+ * c: m: W: X: check-hash-based-pycs:"),
}
"""What reads as a word behind it says: a verb of git's, an `open` in a program."""
