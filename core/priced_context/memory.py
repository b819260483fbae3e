"""What one agent was told, append-only: `ms<TAB>verdict<TAB>tokens<TAB>path`, a line a file.

A verdict is one of VERDICTS. A row `forgotten` says that a compaction ran: the agent no longer has
what was told before it.
"""

from priced_context.files import (
    append_line,
    as_field,
    as_path,
    make_directory,
    read_small,
    size_of_regular,
)
from priced_context.prices import bucket_of
from priced_context.records import DENY, NO_ROOM, REWRITE
from priced_context.settings import OBSERVE

SLICE = "slice"
"""A range that passed, and adds to its file."""
VERDICTS = (DENY, REWRITE, NO_ROOM, OBSERVE, SLICE)
"""OBSERVE: it passed, and would have been refused or cut in another mode."""
FORGOTTEN = "forgotten"


class Memory:
    """What an agent was told of each file since its last compaction."""

    __slots__ = ("refusals", "slice_tokens", "told_buckets")

    refusals: int
    """Of how many files it was told."""
    told_buckets: "dict[str, int]"
    """The highest bucket quoted for each path."""
    slice_tokens: "dict[str, int]"
    """Tokens that passed in ranges, for each path."""

    def __init__(self) -> None:
        self.refusals = 0
        self.told_buckets = {}
        self.slice_tokens = {}

    def add(self, verdict: str, path: str, tokens: int) -> None:
        if verdict == SLICE:
            self.slice_tokens[path] = self.slice_tokens.get(path, 0) + tokens
        else:
            self.refusals += 1
            self.told_buckets[path] = max(self.told_buckets.get(path, 0), bucket_of(tokens))


def recall(folder: str, since_ms: int, *, observes: bool = False) -> Memory:
    """Return what stands in the agent's *folder*, newer than *since_ms*; torn lines are skipped.

    What was only observed counts as told to whoever *observes*: nobody was told.
    """
    memory = Memory()
    for told_ms, verdict, tokens, path in rows_of(folder):
        if verdict == FORGOTTEN:
            memory = Memory()
        elif told_ms >= since_ms and (observes or verdict != OBSERVE):
            memory.add(verdict, path, tokens)
    return memory


def rows_of(folder: str) -> "list[tuple[int, str, int, str]]":
    """Return (Unix ms, verdict, tokens, path) of every whole line, oldest first."""
    rows = []
    for line in read_small(folder + "/told").split(b"\n"):
        fields = line.split(b"\t")
        if len(fields) != 4 or not fields[0].isdigit() or not fields[2].isdigit():
            continue
        try:
            verdict, path = fields[1].decode("ascii"), as_path(fields[3])
            rows.append((int(fields[0]), verdict, int(fields[2]), path))
        except ValueError:  # not UTF-8, or a number that no price has
            continue
    return rows


def remember(folder: str, now_ms: int, verdict: str, told: "list[tuple[str, int]]") -> bool:
    """Write what the agent is told, in one write; False where that fails.

    What cannot be remembered must not be refused: it would be refused for ever.
    """
    rows = [b"%d\t%s\t%d\t%s\n" % (now_ms, verdict.encode(), n, as_field(p)) for p, n in told]
    try:
        make_directory(folder)
        append_line(folder + "/told", b"".join(rows))
    except (OSError, ValueError):
        return False
    return True


def forget(folder: str, now_ms: int) -> None:
    """Note that a compaction runs; without a memory there is nothing to forget."""
    if size_of_regular(folder + "/told") > 0:
        remember(folder, now_ms, FORGOTTEN, [("", 0)])
