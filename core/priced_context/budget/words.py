"""How a ledger is put into words."""

import math

from priced_context.budget.counters import ESTIMATE, EXACT
from priced_context.budget.ledger import OutboundRequestBudget
from priced_context.room import ELIGIBLE_BELOW


def percent(share: float) -> str:
    """Cut, not rounded: 39.99% must not read as the 40.0% that decides otherwise."""
    return f"{math.floor(round(share * 1000, 6)) / 10:.1f}%"


def decision(budget: OutboundRequestBudget) -> str:
    """Return the threshold's verdict in one sentence, with what it could not take into account."""
    part, whole = ELIGIBLE_BELOW
    limit = f"{part / whole:.0%}"
    free = f"{percent(budget.free_ratio)} of the window is free"
    if budget.compaction_eligible:
        return f"eligible for compaction: {free}, less than {limit}{_but(budget)}"
    return f"compaction held: {free}, {limit} or more{_but(budget)}"


def _but(budget: OutboundRequestBudget) -> str:
    """Name the first thing that no offline count knows, and how many more there are."""
    if budget.account.count.exactness == EXACT:
        return ""
    unknown = [row for row in budget.rows if row.note and row.exactness == ESTIMATE]
    if not unknown:
        return ""
    more = f" and {len(unknown) - 1} more" if unknown[1:] else ""
    return f"; beside {unknown[0].origin} ({unknown[0].note}){more}"
