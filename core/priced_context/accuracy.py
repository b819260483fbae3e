"""How far a price was from the bill: shares of turns, as `ctx replay --json` prints them."""

from collections.abc import Sequence
from statistics import median
from typing import TypedDict

from priced_context.prices import EDGES, bucket_of


class Accuracy(TypedDict):
    n: int
    exact_bucket: float | None
    """Share with the bill in the bucket that was quoted; None where n is 0."""
    off_by_two: float | None
    """Share with the bill two or more buckets away."""
    median: float | None
    """Of |price - bill| / bill."""
    p95: float | None


def accuracy_of(pairs: Sequence[tuple[float, float]]) -> Accuracy:
    """Return the accuracy of (price, bill) pairs, in tokens."""
    if not pairs:
        return Accuracy(n=0, exact_bucket=None, off_by_two=None, median=None, p95=None)
    apart = [abs(bucket_of(int(price)) - bucket_of(int(bill))) for price, bill in pairs]
    errors = sorted(abs(price - bill) / max(bill, 1) for price, bill in pairs)
    return Accuracy(
        n=len(pairs),
        exact_bucket=round(apart.count(0) / len(pairs), 4),
        off_by_two=round(sum(1 for steps in apart if steps > 1) / len(pairs), 4),
        median=round(median(errors), 4),
        p95=round(errors[-(-95 * len(errors) // 100) - 1], 4),
    )


def is_over_smallest_bucket(bill: float) -> bool:
    """Say whether a bill is past the first edge: below it every price is right."""
    return bill >= EDGES[0]
