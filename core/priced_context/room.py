"""How much room a context window has left: the one formula of the whole product.

The guard, the ledger, the status line and the compaction all subtract here, so they can never
disagree about the same request.
"""

DEFAULT_RESERVATION = 20_000
"""Tokens kept for the answer where no request says how many: what the client itself reckons
with (at most the model's own maximum output)."""


def safety_margin(input_tokens: int) -> int:
    """Return the tokens held back for counting error: 2% of the input, at least 1,000."""
    return max(1000, input_tokens // 50)


def free_tokens(
    window_tokens: int, input_tokens: int, reservation_tokens: int, margin_tokens: int
) -> int:
    """Return what is left of the window; negative where the request is overfull."""
    return window_tokens - input_tokens - reservation_tokens - margin_tokens
