"""How much of a window is free: the one formula of the product.

Guard, ledger, status line and compaction all call this, so their numbers agree to the token.
"""

DEFAULT_RESERVATION = 20_000
"""Tokens kept for the answer where no request body is at hand, as the client itself reckons."""

COMPACTION_RESERVE = 13_000
"""The client compacts when less than this is left beside the answer's reservation."""


def safety_margin(input_tokens: int) -> int:
    """Return the tokens kept for what an estimate may miss: 1,000 or 2% of the input."""
    return max(1_000, input_tokens // 50)


def free_tokens(
    window_tokens: int, input_tokens: int, reservation_tokens: int, margin_tokens: int
) -> int:
    """Return what is left of the window; negative where the request is already too large."""
    return window_tokens - input_tokens - reservation_tokens - margin_tokens


ELIGIBLE_BELOW = (40, 100)
"""Free share of the window below which it may be compacted; compared in whole tokens."""


def is_eligible(free: int, window_tokens: int) -> bool:
    """At exactly 40.0% free: no."""
    part, whole = ELIGIBLE_BELOW
    return free * whole < part * window_tokens
