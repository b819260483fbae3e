"""Which lines of its input a small program prints: a `Selection`, and the regions it is made of."""

from priced_context.shell.streams import ANEW, IN_ORDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.streams import Span

    Region = list[tuple[int, int]] | None
    """Line intervals, first and last; None: some lines that only running can tell."""

# The number of the last line, whatever it is: `$` in sed. One less is the line before it.
END = 1 << 60
ALL = [(1, END)]

# A program with more pieces, or a longer one, is not followed; it bounds the work.
MAX_INTERVALS = 64
MAX_CHARS = 10_000


class Untold(Exception):  # noqa: N818 - an answer: some lines
    """Which lines it prints, only running tells."""


class Selection:
    """The lines that a program prints."""

    __slots__ = ("byte_count", "is_part", "opens_others", "order", "prefix", "spans")

    spans: "list[Span] | None"
    """None: some lines; empty: none, but perhaps words of its own."""
    order: int
    """How they come out, as in `Stream.order`: line for line, one line, in lines anew."""
    prefix: str
    """What is put before each line, as in `Read.line_prefix`."""
    byte_count: int | None
    """Only so many bytes, from the start."""
    is_part: bool
    """Whether of each line only a part is printed, as a field is."""
    opens_others: bool
    """Whether it prints files or commands beside its input: `r`, `e`, `getline`."""

    def __init__(
        self,
        spans: "list[Span] | None" = None,
        order: int = IN_ORDER,
        prefix: str = "",
        byte_count: int | None = None,
        *,
        is_part: bool = False,
        opens_others: bool = False,
    ) -> None:
        self.spans = spans
        self.order = order
        self.prefix = prefix
        self.byte_count = byte_count
        self.is_part = is_part
        self.opens_others = opens_others


class Lines:
    """Runs a program's commands over all lines at once, as regions."""

    def __init__(self) -> None:
        self.alive = list(ALL)
        """The lines that reach the next command."""
        self.printed: list[tuple[int, int]] = []

    def selection(self, *, is_line_for_line: bool, prefix: str = "") -> Selection:
        in_order = sorted(self.printed)
        is_doubled = any(
            one[1] >= next_one[0] for one, next_one in zip(in_order, in_order[1:], strict=False)
        )
        order = IN_ORDER if is_line_for_line and not is_doubled else ANEW
        return Selection(_spans_of(self.printed), order, prefix)

    def print(self, region: "Region") -> None:
        self.printed += self._told(region)

    def drop(self, region: "Region") -> None:
        self.alive = self._known(both(self.alive, others(region)))

    def stop(self, region: "Region", *, prints_last: bool) -> None:
        """End the run at the first line of *region*."""
        reached = self._told(region)
        if not reached:
            return
        last_line = min(low for low, _ in reached)
        self.printed = self._known(both(self.printed, [(1, last_line)]))
        if prints_last:
            self.printed.append((last_line, last_line))
        self.alive = self._known(both(self.alive, [(1, last_line - 1)]))

    def _told(self, region: "Region") -> "list[tuple[int, int]]":
        return self._known(both(self.alive, region))

    def _known(self, region: "Region") -> "list[tuple[int, int]]":
        if region is None or len(region) + len(self.printed) > MAX_INTERVALS:
            raise Untold
        return region


_DATA_ENDINGS = (".json", ".jsonl", ".ndjson", ".geojson", ".ipynb", ".har", ".yaml", ".yml")


def is_data(path: str) -> bool:
    """Return whether a file's name says that it parses as data."""
    return path.endswith(_DATA_ENDINGS)


def both(one: "Region", other: "Region") -> "Region":
    """Return the lines in both regions."""
    if one is None or other is None:
        return None
    pairs = [(max(a, c), min(b, d)) for a, b in one for c, d in other]
    return [(low, high) for low, high in pairs if low <= high]


def others(region: "Region") -> "Region":
    """Return the lines outside *region*."""
    if region is None:
        return None
    outside: Region = ALL
    for low, high in region:
        outside = both(outside, [(1, low - 1), (high + 1, END)])
    return outside


def _spans_of(intervals: "list[tuple[int, int]]") -> "list[Span]":
    """Return *intervals* in order as spans, those that touch as one."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(intervals):
        if joined and joined[-1][1] == low - 1:
            low = joined.pop()[0]  # noqa: PLW2901
        joined.append((low, high))
    return [_span(low, high) for low, high in joined]


def _span(low: int, high: int) -> "Span":
    if low == END:
        return (-1, None)
    if high >= END - 1:
        return (low, None if high == END else -1)
    return (low, high - low + 1)
