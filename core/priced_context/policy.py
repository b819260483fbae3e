"""May this call pass? Pure: prices, window and memory in, an objection or none out."""

from priced_context.prices import EDGES, bucket_of
from priced_context.records import DUMP, NO_ROOM, UNPRICED, Bill, Intake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.memory import Memory
    from priced_context.records import Price, Read, ToolCall, Window
    from priced_context.settings import Settings

OVER, SLICES, ENDLESS = "over", "slices", "endless"
"""Why a call is objected to: one read is over its budget, or the ranges of a file together are,
or its output may fill the client's cap. NO_ROOM: it does not fit into what the window has left."""

LARGEST_BUDGET = 12_000
LARGEST_SHARE = 0.02
"""The budget of one read is at most the larger of these, in tokens and as a part of the window."""
SMALLEST_REFUSAL_TOKENS = 600
"""Twice what a refusal itself costs; less is never refused."""
SMALLEST_ROOM_TOKENS = EDGES[2]
"""With less room than this no range worth reading fits: the client compacts, and we let it."""


FEWEST_LINES = 5
"""Where a budget buys fewer, lines are endless: neither a cut nor a range of them is any use."""
BOUND = "bound"
"""What a person reads of a rewrite that takes nothing away: a command whose output was bounded."""
LONGEST_COMMAND = 500
"""Letters of a command by which it is known again."""


class Objection:
    """Why a call should not simply run."""

    __slots__ = ("budget_tokens", "reads", "reason", "tokens", "told")

    reason: str
    tokens: int
    """What is quoted: the call's price, or that of all ranges of its file."""
    reads: "list[tuple[Read, Price]]"
    """The reads objected to, which the agent was not told of at this price."""
    budget_tokens: int
    """What a read may cost here; an estimate from bytes while the window is unknown."""
    told: "list[tuple[str, int]]"
    """What is remembered: each file with its own price, or the call's where it is alone."""

    def __init__(
        self,
        reason: str,
        tokens: int,
        reads: "list[tuple[Read, Price]]",
        budget_tokens: int,
        told: "list[tuple[str, int]] | None" = None,
    ) -> None:
        self.reason = reason
        self.tokens = tokens
        self.reads = reads
        self.budget_tokens = budget_tokens
        if told is None:
            is_alone = len(reads) == 1
            told = [(read.path, tokens if is_alone else price.tokens) for read, price in reads]
        self.told = told


def budget_of(window: "Window", settings: "Settings") -> int | None:
    """Return what one read may cost in tokens, at a bucket's edge; None: window unknown.

    The edge nearest in ratio, so that one quoted bucket has one verdict.
    """
    free = window.free_tokens
    if free is None or window.tokens is None:
        return None
    highest = settings.read_budget_max or max(LARGEST_BUDGET, int(window.tokens * LARGEST_SHARE))
    highest = max(highest, settings.project_budget_max)
    budget = max(settings.read_budget_min, min(int(free * settings.read_budget_share), highest))
    return min(EDGES, key=lambda edge: max(edge / budget, budget / edge))


def judge(
    intake: "Intake", bill: "Bill", window: "Window", memory: "Memory", settings: "Settings"
) -> Objection | None:
    """Return why the call should not simply run, or None where it may.

    An agent hears of a file once for each bucket of its price, so no call can loop; only a read
    that the window has no room for is refused again.
    """
    if intake.kind != DUMP or bill.tokens < SMALLEST_REFUSAL_TOKENS:
        return None
    pairs = [
        pair for pair in zip(intake.reads, bill.prices, strict=True) if pair[1].basis != UNPRICED
    ]
    budget = budget_of(window, settings)
    free = window.free_tokens
    if free is not None and free < SMALLEST_ROOM_TOKENS:
        return None
    if free is not None and free < bill.tokens:
        return Objection(NO_ROOM, bill.tokens, pairs, min(free, budget or free))

    is_alone = len(pairs) == 1
    news = [
        (read, price)
        for read, price in pairs
        if memory.told_buckets.get(read.path, -1)
        < bucket_of(bill.tokens if is_alone else price.tokens)
    ]
    tokens = bill.tokens
    if len(news) < len(pairs):
        tokens = min(tokens, sum([price.tokens for _, price in news]))
    if budget is None:
        chars = sum([price.chars for read, price in news])
        if chars <= settings.inline_budget_bytes:
            return None
        share = settings.inline_budget_bytes / chars
        return Objection(OVER, tokens, news, int(tokens * share))
    if tokens >= max(budget, SMALLEST_REFUSAL_TOKENS):
        return Objection(OVER, tokens, news, budget)
    if is_alone and not pairs[0][0].is_whole:
        return _judge_slices(pairs[0], tokens, memory, budget)
    return None


def judge_unbounded(
    call: "ToolCall", bill: "Bill", window: "Window", memory: "Memory", settings: "Settings"
) -> Objection | None:
    """Return an objection to a command of unknown output where the client's cap is over budget.

    A command is told once, by its own words.
    """
    budget = budget_of(window, settings)
    if budget is None or bill.tokens < budget:
        return None
    name = name_of_command(call)
    if memory.told_buckets.get(name, -1) >= bucket_of(bill.tokens):
        return None
    return Objection(ENDLESS, bill.tokens, [], budget, [(name, bill.tokens)])


def name_of_command(call: "ToolCall") -> str:
    """Return the name by which the memory knows a call that is not a file's."""
    words = call.tool_input.get("command", call.tool_input)
    return f"$ {call.tool} {str(words)[:LONGEST_COMMAND]}"


def is_command(name: str) -> bool:
    """Say whether a name in the memory is a command's; a file's is an absolute path."""
    return name.startswith("$ ")


def without_allowed(
    intake: "Intake", bill: "Bill", globs: "list[str]", project: str
) -> "tuple[Intake, Bill]":
    """Return the call without the files that the user lets through; `*` matches `/` too.

    A glob without a leading `/` or `*` counts from the project folder.
    """
    rooted = [glob if glob[:1] in ("/", "*") else f"{project}/{glob}" for glob in globs]
    kept = [
        (read, price)
        for read, price in zip(intake.reads, bill.prices, strict=True)
        if not any(matches(read.path, glob) for glob in rooted)
    ]
    let_through = sum([price.tokens for price in bill.prices]) - sum([p.tokens for _, p in kept])
    return (
        Intake(intake.kind, [read for read, _ in kept], intake.tool, lifts_caps=intake.lifts_caps),
        Bill(max(0, bill.tokens - let_through), bill.basis, [price for _, price in kept]),
    )


def matches(text: str, glob: str) -> bool:
    """Say whether all of *text* matches; `*` is any letters, `?` is one. Linear but for one star.

    `fnmatch` would bring `re` into the hook, and double its time (benchmarks/import_costs.py).
    """
    at = text_at = 0
    star, resume = -1, 0
    while text_at < len(text):
        if at < len(glob) and glob[at] == "*":
            star, resume = at, text_at
            at += 1
        elif at < len(glob) and glob[at] in ("?", text[text_at]):
            at += 1
            text_at += 1
        elif star >= 0:  # let the last star take one letter more
            resume += 1
            at, text_at = star + 1, resume
        else:
            return False
    return not glob[at:].strip("*")


def _judge_slices(
    pair: "tuple[Read, Price]", tokens: int, memory: "Memory", budget: int
) -> Objection | None:
    """Object once where a file is read in ranges that together pass one budget."""
    path = pair[0].path
    before = memory.slice_tokens.get(path, 0)
    if not before or path in memory.told_buckets or before + tokens < budget:
        return None
    return Objection(SLICES, before + tokens, [pair], budget)
