"""What flows through a pipe: stretches of files, and how their lines lie in it.

The output of a command is a list of streams, one after the other. An empty list is no output
at all; a stream of kind NONE is text that is nobody's file: names, counts, messages.
"""

from priced_context import files
from priced_context.records import DUMP, DUMP_OBJECT, FILTERED, NONE, UNKNOWN, Read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Span = tuple[int, int | None]
    """First line and count as in `Read`: (1, 5) is the first five, (-5, None) the last five,
    (1, -5) all but the last five."""

# Output held to this many lines or bytes is short: `git log | head -20` is nothing to price.
# The client's own Grep stops at 250 lines; 16 KiB is its inline budget.
SHORT_LINES = 250
SHORT_BYTES = 16_384

IN_ORDER = 1
BACKWARDS = -1
ANEW = 0
ONE_LINE = 2


class Stream:
    """One piece of a command's output."""

    __slots__ = ("is_edited", "kind", "order", "reads", "text")

    kind: str
    reads: "list[Read]"
    order: int
    """IN_ORDER: line for line as the reads stand; BACKWARDS: each from its last line; ANEW: in
    lines of another make; ONE_LINE: all of it is one."""
    is_edited: bool
    """Whether its bytes are other ones than the files hold."""
    text: str | None
    """All of it, where that is known without running anything."""

    def __init__(
        self,
        kind: str = NONE,
        reads: "list[Read] | None" = None,
        order: int = IN_ORDER,
        text: str | None = None,
        *,
        is_edited: bool = False,
    ) -> None:
        self.kind = kind
        self.reads = reads or []
        self.order = order
        self.text = text
        self.is_edited = is_edited


class Uncounted(Exception):  # noqa: N818 - an answer, not a failure
    """Where a range begins or ends hangs on a number of lines that is too dear to count."""


def words_of_its_own() -> "list[Stream]":
    """Return the output of a command that prints something short, but nothing of a file."""
    return [Stream(NONE)]


def joined(each: "Iterable[list[Stream]]") -> "list[Stream]":
    """Return several outputs as one."""
    return [stream for streams in each for stream in streams]


def has_content(streams: "list[Stream]") -> bool:
    """Return whether anything in *streams* may come from a file."""
    return any(stream.kind != NONE for stream in streams)


def text_of(streams: "list[Stream]") -> str | None:
    """Return all that *streams* hold, where it is known."""
    texts = [stream.text for stream in streams]
    return None if None in texts else "".join(text or "" for text in texts)


def edited(streams: "list[Stream]", prefix: str = "", growth: float = 1.0) -> "list[Stream]":
    """Return *streams* with every line kept in its place, but changed."""
    return [
        Stream(
            stream.kind,
            [_copied(read, prefix, growth) for read in stream.reads],
            stream.order,
            is_edited=True,
        )
        for stream in streams
    ]


def laid_out_anew(
    streams: "list[Stream]", growth: float = 1.0, order: int = ANEW
) -> "list[Stream]":
    """Return *streams* with all their lines still there, but nobody knows where."""
    changed = edited(streams, growth=growth)
    for stream in changed:
        stream.order = order
    return changed


def backwards(streams: "list[Stream]") -> "list[Stream]":
    changed = edited(streams)
    for stream in changed:
        if stream.order == IN_ORDER:
            stream.order = BACKWARDS
        elif stream.order == BACKWARDS:
            stream.order = IN_ORDER
    return changed


def filtered(streams: "list[Stream]") -> "list[Stream]":
    """Return what a filter leaves of *streams*: some part of each."""
    kinds = {DUMP: FILTERED, DUMP_OBJECT: FILTERED}
    return [Stream(kinds.get(stream.kind, stream.kind), stream.reads, ANEW) for stream in streams]


def sliced(streams: "list[Stream]", spans: "list[Span]") -> "list[Stream]":
    """Return the lines *spans* of *streams* taken as one text, in that order."""
    spans = [span for span in spans if span[1] != 0]
    if _is_line_for_line(streams):
        order = streams[0].order
        reads = [read for stream in streams for read in stream.reads]
        try:
            kept = [part for span in spans for part in _cut(reads, span, order == BACKWARDS)]
            is_edited = any(stream.is_edited for stream in streams)
            return [Stream(DUMP, kept, order, is_edited=is_edited)] if kept else []
        except Uncounted:
            pass
    lines = [_most_lines(span) for span in spans]
    is_short = None not in lines and sum(line or 0 for line in lines) <= SHORT_LINES
    is_short &= all(stream.order != ONE_LINE for stream in streams)
    return part_of(streams, is_short=is_short)


def first_bytes(streams: "list[Stream]", count: int | None) -> "list[Stream]":
    """Return the first *count* bytes of *streams*, or with a negative count the last.

    None is some part with no bound known.
    """
    if count is not None and _is_as_it_stands(streams):
        read = _copied(streams[0].reads[0])
        read.byte_count = count
        return [Stream(DUMP, [read], ANEW)] if count else []
    return part_of(streams, is_short=count is not None and abs(count) <= SHORT_BYTES)


def part_of(streams: "list[Stream]", *, is_short: bool) -> "list[Stream]":
    """Return a part of *streams* that is not known line by line: little, or nobody knows."""
    if any(stream.kind == UNKNOWN for stream in streams):
        return [Stream(UNKNOWN)]
    if is_short:
        return words_of_its_own() if streams else []
    return filtered(streams)


def _is_line_for_line(streams: "list[Stream]") -> bool:
    return (
        bool(streams)
        and streams[0].order in (IN_ORDER, BACKWARDS)
        and all(stream.kind == DUMP and stream.order == streams[0].order for stream in streams)
        and (streams[0].order == IN_ORDER or sum(len(stream.reads) for stream in streams) == 1)
        and all(read.byte_count is None for stream in streams for read in stream.reads)
    )


def _is_as_it_stands(streams: "list[Stream]") -> bool:
    """Return whether *streams* are one whole file, byte for byte."""
    if len(streams) != 1 or len(streams[0].reads) != 1 or streams[0].is_edited:
        return False
    return streams[0].kind == DUMP and streams[0].order == IN_ORDER and streams[0].reads[0].is_whole


def _most_lines(span: "Span") -> int | None:
    """Return how many lines *span* can hold at most, None where the file decides."""
    first, count = span
    if count is not None and count >= 0:
        return count
    return -first if first < 0 else None


def _copied(read: Read, prefix: str = "", growth: float = 1.0) -> Read:
    """Return a copy of *read*, perhaps with more in front of its lines, or longer."""
    return Read(
        read.path,
        read.size_bytes,
        read.first_line,
        read.line_count,
        read.byte_count,
        prefix or read.line_prefix,
        read.byte_growth * growth,
    )


# Ranges of ranges. A stretch is held as `Read` says it; where a further cut hangs on the number
# of lines in the file, they are counted, and no further than the cut needs.


def _cut(reads: "list[Read]", span: "Span", is_reversed: bool) -> "list[Read]":
    """Return the stretches that *span* leaves of *reads*, one after the other."""
    glued = reads if is_reversed else reads[:-1]  # a last line without newline joins the next
    if not all(files.has_final_newline(read.path) for read in glued):
        raise Uncounted
    if len(reads) == 1:
        read = _copied(reads[0])
        _narrow(read, span, is_reversed)
        return [] if read.line_count == 0 else [read]
    if sum(read.size_bytes for read in reads) > files.COUNTED_BYTES:
        raise Uncounted
    lengths = [_lines_of(read, read.size_bytes) for read in reads]  # no more lines than bytes
    first, count = span
    total = sum(lengths)
    start = first if first > 0 else max(1, total + 1 + first)
    end = total + min(count or 0, 0) if count is None or count < 0 else start + count - 1
    kept = []
    for read, length in zip(reads, lengths, strict=True):
        low, high = max(start, 1), min(end, length)
        if low <= high:
            kept += (
                [read]
                if (low, high) == (1, length)
                else _cut([read], (low, high - low + 1), is_reversed)
            )
        start, end = start - length, end - length
    return kept


def _narrow(read: Read, span: "Span", is_reversed: bool) -> None:
    """Cut *read* down to the lines of *span*, counted within it."""
    skip, keep_last, keep_first, drop_last = _skip, _keep_last, _keep_first, _drop_last
    if is_reversed:
        skip, keep_last, keep_first, drop_last = drop_last, keep_first, keep_last, skip
    first, count = span
    if first > 1:
        skip(read, first - 1)
    elif first < 0:
        keep_last(read, -first)
    if count is not None and count >= 0:
        keep_first(read, count)
    elif count is not None:
        drop_last(read, -count)


def _keep_first(read: Read, count: int) -> None:
    if read.line_count is None:
        read.line_count = count
    elif read.line_count >= 0:
        read.line_count = min(read.line_count, count)
    elif _lines_of(read, count) == count:
        read.line_count = count


def _drop_last(read: Read, count: int) -> None:
    if read.line_count is None or read.line_count < 0:
        read.line_count = (read.line_count or 0) - count
    else:
        read.line_count = max(0, _lines_of(read, read.line_count) - count)


def _keep_last(read: Read, count: int) -> None:
    if read.line_count is not None and read.line_count >= 0:
        there = _lines_of(read, read.line_count)
        if there > count:
            _skip(read, there - count)
            read.line_count = count
        return
    from_end = count - (read.line_count or 0)
    if read.first_line < 0:
        read.first_line = max(read.first_line, -from_end)
    elif read.first_line == 1 or _lines_of(read, count) == count:
        read.first_line = -from_end


def _skip(read: Read, count: int) -> None:
    if read.first_line > 0:
        read.first_line += count
    else:
        left = _counted(read.path, -read.first_line) - count
        if left <= 0:
            read.line_count = 0
            return
        read.first_line = -left
    if read.line_count is not None and read.line_count >= 0:
        read.line_count = max(0, read.line_count - count)


def _lines_of(read: Read, at_most: int) -> int:
    """Return the lines in the stretch of *read*, counted up to *at_most*."""
    count = read.line_count
    dropped = 0
    if count is not None:
        dropped = max(0, -count)
        at_most = min(at_most, count) if count >= 0 else at_most
    if read.first_line > 0:
        before = read.first_line - 1
        lines = _counted(read.path, before + at_most + dropped) - before - dropped
    else:
        lines = _counted(read.path, -read.first_line) - dropped
    return max(0, min(lines, at_most))


def _counted(path: str, at_most: int) -> int:
    lines = files.lines_in(path, at_most)
    if lines < 0:
        raise Uncounted
    return lines
