"""The commands that search files or list them."""

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
    last,
    number,
)
from priced_context.shell.streams import (
    SHORT_LINES,
    Stream,
    edited,
    joined,
    part_of,
    sliced,
    words_of_its_own,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.scope import Given, Table, Value

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
    if scope.status != FAILED or len(operands) != 1:
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
    streams = joined(each)
    is_short = limit is not None and not has_context and limit * len(each) <= SHORT_LINES
    is_short &= all(stream.kind != UNBOUNDED for stream in streams)  # the limit is a file's
    return part_of(streams, is_short=is_short)


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


# The table.


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


_FD = "* d:max-depth 1 max-results: e:extension E:exclude t:type x=exec X=exec-batch"


READERS: "Table" = {
    "ack": (ag, _AG),
    "ag": (ag, _AG),
    "egrep": (grep, _GREP),
    "fd": (fd, _FD),
    "fdfind": (fd, _FD),
    "fgrep": (fgrep, _GREP),
    "find": (find, None),
    "grep": (grep, _GREP),
    "ls": (ls, "* I:ignore w:width T:tabsize R=recursive hide: block-size: color? sort: time:"),
    "rg": (rg, _RG),
    "rgrep": (rgrep, _GREP),
    "tree": (tree, "* L: P: I: o: H: T: filelimit: charset: timefmt: sort?"),
}  # fmt: skip
