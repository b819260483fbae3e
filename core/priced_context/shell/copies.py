"""The commands that print files as they stand, or the lines at an end of them.

To add a command, add its function and its entry in `READERS` here or in another family, its word
to that family in `words.FAMILIES`, and its cases to `tests/golden/shell.txt`.
"""

from priced_context.shell.scope import (
    FAILED,
    SUCCEEDED,
    UNTOLD,
    NotUnderstood,
    Scope,
    known,
    last,
    number,
)
from priced_context.shell.streams import (
    backwards,
    edited,
    filtered,
    first_bytes,
    joined,
    laid_out_anew,
    sliced,
    words_of_its_own,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.scope import Given, Table, Value
    from priced_context.shell.streams import Span, Stream


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
    text = known(last(given, "n", "#", default="10"))
    span: Span = (1, number(text) or (None if text.startswith("-") else 0))
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
    if scope.is_broken_off(operands):
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
        scope.note_written(settings["of"])
        return words_of_its_own()
    streams = scope.open_all([settings["if"]] if "if" in settings else [])
    if settings.keys() - {"if", "bs", "count", "status"}:
        return filtered(streams)
    if "count" in settings:
        return first_bytes(streams, number(settings["count"]) * number(settings.get("bs", "512")))
    return streams


# The table. A spec is one line for `options`, single blanks between its entries.


_BAT = (
    "* l:language H:highlight-line r:line-range m:map-syntax n=number d=diff L=list-languages "
    "L=list-themes style: color: decorations: paging: pager: wrap: tabs: theme: theme-dark: "
    "theme-light: terminal-width: file-name: italic-text: diff-context: ignored-suffix: "
    "squeeze-limit: strip-ansi: binary: nonprintable-notation:"
)


READERS: "Table" = {
    "bat": (bat, _BAT),
    "batcat": (bat, _BAT),
    "cat": (cat, "n=number b=number-nonblank s=squeeze-blank E=show-ends T=show-tabs "
            "A=show-all v=show-nonprinting e t u"),
    "dd": (dd, None),
    "head": (head, "# n:lines c:bytes q=quiet q=silent v=verbose z=zero-terminated"),
    "less": (less, "* # b: h: j: k: o: O: p: P: t: T: x: y: z: D:"),
    "more": (more, "# n:lines d=silent f=logical l=no-pause c=print-over p=clean-print "
             "s=squeeze u=plain"),
    "nl": (nl, "b:body-numbering d:section-delimiter f:footer-numbering h:header-numbering "
           "i:line-increment l:join-blank-lines n:number-format p=no-renumber "
           "s:number-separator v:starting-line-number w:number-width"),
    "tac": (tac, "b=before r=regex s:separator"),
    "tail": (tail, "# n:lines c:bytes f F follow? q=quiet q=silent v=verbose z=zero-terminated "
             "s:sleep-interval pid: max-unchanged-stats: retry"),
}  # fmt: skip
