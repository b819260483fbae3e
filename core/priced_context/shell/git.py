"""git, and its verbs that print files, objects and histories. Imported only where git is run."""

from priced_context import files
from priced_context.records import DUMP_OBJECT, UNBOUNDED
from priced_context.shell.scope import (
    PRESUMED,
    UNTOLD,
    NotUnderstood,
    Scope,
    known,
    last,
    number,
    options,
    unread,
)
from priced_context.shell.streams import (
    SHORT_LINES,
    Stream,
    edited,
    filtered,
    sliced,
    words_of_its_own,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.scope import Given, Table, Value


def git(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    verb = operands[0] if operands else ""
    if not isinstance(verb, str) or verb not in scope.words_there or verb not in VERBS:
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


_SUMMARIES = frozenset(
    "stat shortstat numstat name-only name-status summary dirstat compact-summary raw s no-patch "
    "q quiet check".split()
)
_PATCHES = frozenset({"p", "u", "U", "patch-with-stat", "L", "c", "cc"})

# Lines of one commit in `git log`, and what a summary of its files adds: a guess on the safe side.
COMMIT_LINES = 10
SUMMARY_LINES = 10

# `abcdef12 (Some Author 2025-01-31 12:00:00 +0100  17) ` is 55 bytes before lines of about 35.
BLAME_GROWTH = 2.6


def show(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    names = [known(word) for word in operands]
    objects = [name for name in names if ":" in name and not name.startswith((":/", ":("))]
    return _objects(scope, objects) if objects else _changes(given)


def cat_file(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    names = [known(word) for word in operands]
    if not names:
        raise NotUnderstood  # --batch
    name = names[-1]
    is_hash = not name.strip("0123456789abcdef")
    # A name that is no path and no hash is a commit's or a tag's.
    is_short = given.keys() & {"t", "s", "e"} or not (":" in name or is_hash)
    return words_of_its_own() if is_short else _objects(scope, [name])


def _objects(scope: Scope, names: "list[str]") -> "list[Stream]":
    """Return the dumps of objects; what is a directory here lists its few names."""
    folders = [
        name
        for name in names
        if name.endswith((":", "/")) or files.is_directory(scope.resolve(name.rpartition(":")[2]))
    ]
    return [Stream(DUMP_OBJECT) for name in names if name not in folders] or words_of_its_own()


def diff_(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if "no-index" in given and not given.keys() & _SUMMARIES:
        from priced_context.shell.filters import diff

        return diff(scope, {}, operands)
    return _changes(given)


def _changes(given: "Given") -> "list[Stream]":
    is_short = given.keys() & _SUMMARIES and not given.keys() & _PATCHES
    return words_of_its_own() if is_short else [Stream(UNBOUNDED)]


def log(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if given.keys() & _PATCHES or not given.keys() & {"n", "#"}:
        return [Stream(UNBOUNDED)]
    layout = last(given, "format", "pretty")
    is_one_line = "oneline" in given or layout == "oneline"
    if isinstance(layout, str) and "%" in layout:
        is_one_line = not any(long in layout for long in ("%b", "%B", "%n"))
    lines = 1 if is_one_line else COMMIT_LINES
    lines += SUMMARY_LINES if given.keys() & _SUMMARIES - {"s", "no-patch"} else 0
    is_long = number(last(given, "n", "#")) * lines > SHORT_LINES
    return [Stream(UNBOUNDED)] if is_long else words_of_its_own()


def stash(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    is_long = operands[:1] == ["show"] and given.keys() & _PATCHES
    return [Stream(UNBOUNDED)] if is_long else words_of_its_own()


def reflog(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    return log(scope, {**given, "oneline": [""]}, operands)


def blame(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    if len(operands) > 1:
        return [Stream(DUMP_OBJECT)]
    if not operands:
        return words_of_its_own()
    streams = scope.open_all(operands)
    ranges = [known(word) for word in given.get("L", [])]
    if any(char in text for text in ranges for char in "/:^-"):
        return filtered(streams)
    if ranges:
        from priced_context.shell.copies import line_range

        streams = sliced(streams, [line_range(_span_of(text)) for text in ranges])
    return edited(streams, growth=BLAME_GROWTH)


def _span_of(text: str) -> str:
    """Return blame's `10,20`, `10,+5` or `10` as `line_range` reads it; +5 is five lines here."""
    first, comma, end = text.partition(",")
    if end.startswith("+"):
        end = f"+{number(end) - 1}"
    return f"{first}:{end}" if comma else f"{first}:"


def grep(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    from priced_context.shell.searches import patterns_of, search

    patterns, paths = patterns_of(given, operands)
    is_files = paths and all(files.size_of_regular(scope.resolve(path)) >= 0 for path in paths)
    if is_files:
        return search(scope, given, patterns, paths, is_recursive=False)
    return search(scope, given, patterns, ["/"], is_recursive=True)


def ls_files(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    is_files = operands and all(
        files.size_of_regular(scope.resolve(word)) >= 0 for word in operands
    )
    return words_of_its_own() if is_files else [Stream(UNBOUNDED)]


_CHANGES = (
    "* U:unified M? C? B? S: G: O: l: L: n:max-count # p=patch u s q=quiet diff-filter: since: "
    "after: until: before: author: committer: grep: skip: date:"
)
_BLAME = "* L: S: C? M? since: contents: ignore-rev: ignore-revs-file: abbrev:"

READERS: "Table" = {
    "git": (git, "+ * C: c: git-dir: work-tree: namespace: exec-path?"),
}

VERBS: "Table" = {
    "annotate": (blame, _BLAME),
    "blame": (blame, _BLAME),
    "cat-file": (cat_file, "* batch? batch-check? path:"),
    "diff": (diff_, _CHANGES),
    "grep": (grep, "* # A: B: C: e: f: m:max-count O? threads: max-depth: c=count q=quiet "
             "l=files-with-matches l=name-only L=files-without-match n=line-number v o w F"),
    "log": (log, _CHANGES),
    "ls-files": (ls_files, "* x:exclude X:exclude-from exclude-per-directory:"),
    "reflog": (reflog, _CHANGES),
    "show": (show, _CHANGES),
    "stash": (stash, _CHANGES),
    "whatchanged": (diff_, _CHANGES),
}  # fmt: skip
