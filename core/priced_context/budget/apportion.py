"""A known total spread over estimated rows, so that rows still add up to it exactly."""

from collections.abc import Sequence

import msgspec

from priced_context.budget.cache import Entry
from priced_context.budget.framing import Frame


def apportion(weights: Sequence[int], total: int) -> list[int]:
    """Return whole shares of *total* in proportion to *weights*; they add up to it.

    *total* is not negative and some weight is positive. Largest remainders first, so no share is
    a whole token from its exact value.
    """
    whole = sum(weights)
    shares = [weight * total // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda i: -(weights[i] * total % whole))
    for index in by_remainder[: total - sum(shares)]:
        shares[index] += 1
    return shares


def reweigh(
    entries: Sequence[Entry], frames: Sequence[Frame], total: int
) -> tuple[list[Entry], list[Frame]]:
    """Return the same entries and frames with tokens that add up to *total*.

    What weighs nothing keeps weighing nothing; where all of it does, nothing changes.
    """
    weights = [tokens for entry in entries for tokens in entry.tokens]
    weights += [frame.tokens for frame in frames]
    if total < 0 or sum(weights) <= 0 or min(weights) < 0:
        return list(entries), list(frames)
    shares = iter(apportion(weights, total))
    scaled = [_with_tokens(entry, [next(shares) for _ in entry.tokens]) for entry in entries]
    return scaled, [msgspec.structs.replace(frame, tokens=next(shares)) for frame in frames]


def _with_tokens(entry: Entry, tokens: list[int]) -> Entry:
    tally: dict[str, int] = {}
    for place, cost in zip(entry.places, tokens, strict=True):
        tally[place.kind] = tally.get(place.kind, 0) + cost
    return msgspec.structs.replace(entry, tokens=tuple(tokens), tally=tuple(tally.items()))
