"""The bill of the previous request plus what changed since: an exact base, an estimated tail."""

from collections import Counter as Tally

from priced_context.budget.apportion import reweigh
from priced_context.budget.counters import BILLED, ESTIMATE, Count, Counter, TiktokenCounter
from priced_context.budget.request import Request
from priced_context.budget.rules import Rule


class BilledCounter:
    """Counts the parts that a billed request had too by that bill, and the rest by *inner*.

    The bill is `input_tokens` with cache reads and cache writes added. A part that is gone since
    is taken out of the base at *inner*'s count. Of another model's request no bill helps: then
    *inner* counts alone, and the ledger says so.
    """

    name = "bill"
    version = "1"
    exactness = BILLED

    def __init__(self, previous: Request, billed_tokens: int, inner: Counter | None = None) -> None:
        self.previous = previous
        self.billed_tokens = billed_tokens
        self.inner = inner or TiktokenCounter()

    def count(self, request: Request, rules: tuple[Rule, ...] = ()) -> Count:
        now = self.inner.count(request, rules)
        before = self.inner.count(self.previous, rules)
        if request.shape.model != self.previous.shape.model:
            return now
        left = Tally(entry.seal for entry in before.entries)
        kept = []
        for index, entry in enumerate(now.entries):
            if left[entry.seal]:
                left[entry.seal] -= 1
                kept.append(index)
        gone = sum(
            sum(entry.tokens) * left[entry.seal]
            for entry in {entry.seal: entry for entry in before.entries}.values()
        )
        base = self.billed_tokens - gone
        entries, frames = reweigh([now.entries[index] for index in kept], now.frames, base)
        merged = list(now.entries)
        for index, entry in zip(kept, entries, strict=True):
            merged[index] = entry
        known = frozenset(kept)
        return Count(
            merged,
            frames,
            f"{self.name} {self.version}, tail by {now.counter}",
            self.exactness,
            tuple(BILLED if i in known else ESTIMATE for i in range(len(merged))),
        )
