"""The commands that print files in another form, or a part of them: sorted, cut, in digits."""

from priced_context import files
from priced_context.records import UNBOUNDED, UNKNOWN
from priced_context.shell.scope import (
    FAILED,
    UNTOLD,
    NotUnderstood,
    Scope,
    known,
    last,
    number,
)
from priced_context.shell.streams import (
    ANEW,
    IN_ORDER,
    ONE_LINE,
    SHORT_BYTES,
    Stream,
    edited,
    filtered,
    first_bytes,
    has_content,
    laid_out_anew,
    part_of,
    sliced,
    words_of_its_own,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.scope import Given, Table, Value

# All of the text, changed or in other lines.


def line_edit(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`rev`, `expand`: a line out for every line in."""
    return edited(scope.open_all(operands))


def layout(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`fold`, `fmt`, `pr`: all of the text, in other lines."""
    return _reshaped(scope, operands, ANEW)


def column(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    return _reshaped(scope, operands, IN_ORDER if "t" in given else ANEW)


def paste(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    return _reshaped(scope, operands, ONE_LINE if "s" in given else ANEW)


def _reshaped(scope: Scope, operands: "list[Value]", order: int) -> "list[Stream]":
    streams = scope.open_all(operands)
    if scope.status == FAILED:  # some of them stop there, some go on and call it success
        scope.status = UNTOLD
        return filtered(streams)
    return edited(streams) if order == IN_ORDER else laid_out_anew(streams, order=order)


# Parts, and other orders.


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
    if "c" in given or not operands:
        return opaque(scope, given, operands)
    for word in operands:  # each becomes another file
        scope.note_written(word)
        scope.note_written(str(word).removesuffix(".gz"))
    return []


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
    return _encoded(scope, given, operands, 77 / 57)


def base32(scope: Scope, given: "Given", operands: "list[Value]") -> "list[Stream]":
    return _encoded(scope, given, operands, 77 / 47.5)


def _encoded(
    scope: Scope, given: "Given", operands: "list[Value]", growth: float
) -> "list[Stream]":
    if "d" in given or "D" in given:
        return opaque(scope, given, operands)
    order = ONE_LINE if last(given, "w") == "0" else ANEW
    return laid_out_anew(scope.open_all(operands), growth, order)


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


# The table.


_HEXDUMP = "e: f: n: s: C=canonical b c d o v x"


READERS: "Table" = {
    "base32": (base32, "d=decode i=ignore-garbage w:wrap"),
    "base64": (base64, "d=decode D i=ignore-garbage w:wrap b:"),
    "bzcat": (opaque, "*"),
    "column": (column, "* c:columns d o:output-separator s:separator N:table-columns l: i: n: "
               "p: r: R:table-right H:table-hide O:table-order W:table-wrap E:table-noextreme"),
    "comm": (part, "1 2 3 z=zero-terminated total check-order nocheck-order output-delimiter:"),
    "cut": (part, "b:bytes c:characters d:delimiter f:fields n s=only-delimited complement "
            "z=zero-terminated output-delimiter:"),
    "diff": (diff, "* # y=side-by-side q=brief r=recursive U: C: W: I: F: x:exclude S: D: "
             "X:exclude-from starting-file: label: L: ifdef: horizon-lines: to-file: from-file: "
             "width:"),
    "expand": (line_edit, "i=initial t:tabs"),
    "fmt": (layout, "# c=crown-margin p:prefix s=split-only t=tagged-paragraph u=uniform-spacing "
            "g:goal w:width"),
    "fold": (layout, "b=bytes s=spaces w:width"),
    "gunzip": (gzip, "* c=stdout l=list t=test S:"),
    "gzip": (gzip, "* c=stdout d=decompress l=list t=test S:"),
    "hd": (hd, _HEXDUMP),
    "hexdump": (hexdump, _HEXDUMP),
    "iconv": (line_edit, "f:from-code t:to-code c s=silent"),
    "join": (part, "a: e: i=ignore-case j: o: t: v: 1: 2: z=zero-terminated header check-order "
             "nocheck-order"),
    "od": (od, "* A:address-radix j:skip-bytes N:read-bytes t:format w? S?"),
    "paste": (paste, "d:delimiters s=serial z=zero-terminated"),
    "pr": (layout, "* # D: e? h: i? l: n? N: o: s? S? w: W:"),
    "rev": (line_edit, ""),
    "shuf": (shuf, "e=echo i:input-range n:head-count o:output random-source: r=repeat z"),
    "sort": (sort, "b=ignore-leading-blanks d=dictionary-order f=ignore-case h=human-numeric-sort "
             "g=general-numeric-sort i=ignore-nonprinting M=month-sort n=numeric-sort m=merge "
             "R=random-sort r=reverse V=version-sort sort: random-source: c?check C k:key "
             "o:output s=stable S:buffer-size t:field-separator T:temporary-directory u=unique "
             "z=zero-terminated parallel: batch-size: compress-program: debug"),
    "strings": (part, "* # n:bytes t:radix e:encoding T:target s: U:"),
    "unexpand": (line_edit, "a=all t:tabs first-only"),
    "uniq": (uniq, "c=count d=repeated D all-repeated group f:skip-fields i=ignore-case "
             "s:skip-chars u=unique z=zero-terminated w:check-chars"),
    "xxd": (xxd, "* c:cols g:groupsize l:len s:seek o: n:name r=revert p=ps p=postscript b i"),
    "xzcat": (opaque, "*"),
    "zcat": (opaque, "*"),
    "zgrep": (opaque, "* e: f: m: A: B: C:"),
    "zless": (opaque, "*"),
    "zmore": (opaque, "*"),
    "zstdcat": (opaque, "*"),
}  # fmt: skip
