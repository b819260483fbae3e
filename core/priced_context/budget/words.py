"""How a ledger is put into words."""

import math

from priced_context.budget.ledger import OutboundRequestBudget
from priced_context.room import ELIGIBLE_BELOW


def percent(share: float) -> str:
    """Cut, not rounded: 39.99% must not read as the 40.0% that decides otherwise."""
    return f"{math.floor(round(share * 1000, 6)) / 10:.1f}%"


def decision(budget: OutboundRequestBudget) -> str:
    """Return the threshold's verdict in one sentence."""
    part, whole = ELIGIBLE_BELOW
    limit = f"{part / whole:.0%}"
    share = percent(budget.free_ratio)
    if budget.compaction_eligible:
        return f"eligible for compaction: {share} of the window is free, less than {limit}"
    return f"compaction held: {share} of the window is free, {limit} or more"
