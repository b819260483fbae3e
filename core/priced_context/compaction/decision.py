"""May this session be compacted now? Pure: the ledger decides, and no hold may end a session.

A hold costs nothing only while the client has somewhere to go. Each reason below names a case in
which blocking was seen to end the session or to fight its user (docs/compaction.md).
"""

from priced_context.budget.ledger import OutboundRequestBudget
from priced_context.budget.session import Live
from priced_context.budget.words import percent
from priced_context.files import environment
from priced_context.records import Window
from priced_context.room import ELIGIBLE_BELOW, is_eligible

HARD_STOP_TOKENS = 3_000
"""Besides the answer's reservation the client keeps these, and sends nothing over that."""
COMPACTS_BEFORE_TOKENS = 13_000
"""The client compacts of itself so much before the reservation."""
LEAST_ROOM_TOKENS = 20_000
"""A turn may bring in so much even where none did yet."""


def reason_to_pass(live: Live, held_id: str, *, is_automatic: bool) -> str:
    """Return why the compaction must go through, in words; "" where it is held.

    *held_id* is the last response at the previous hold. An automatic compaction is held only where
    the log proves that the client asks by its own reckoning: once the API has refused a request,
    the client compacts or ends, and it logs the refusal after it has asked.
    """
    window, conversation = live.window, live.conversation
    free, size = live.budget.free_tokens, live.budget.model_context_tokens
    if is_eligible(free, size):
        return f"less than {ELIGIBLE_BELOW[0]}% of the window is free"
    if conversation.is_refused or conversation.is_unanswered:
        return "the API refused the last request"
    if is_automatic and conversation.is_unanswered is None:
        return "this client's log does not show whether the API refused a request"
    if not conversation.last_id:
        return "no response is logged yet"
    if conversation.last_id == held_id:
        return "it was held before, and nothing has happened since"
    used = live.budget.total_input_tokens + live.pending_tokens
    room = max(LEAST_ROOM_TOKENS, live.largest_growth)
    if hard_stop(window) - used < room:
        return f"a turn may need {room:,} tokens, and less is left before the client stops"
    if used + live.pending_tokens // 2 >= own_limit(window):  # the estimate may be short by half
        return "the window is full as far as the user lets it be filled"
    return ""


def hard_stop(window: Window) -> int:
    """Return the tokens in use from which on the client sends no request of the conversation."""
    size = window.model_tokens or window.tokens or 0
    return size - window.reservation_tokens - HARD_STOP_TOKENS


def own_limit(window: Window) -> float:
    """Return where the client compacts because its user set it lower; endless where not so."""
    size = window.tokens or 0
    effective = size - window.reservation_tokens
    limit = effective - COMPACTS_BEFORE_TOKENS
    percent = environment("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE")
    if percent.isdecimal() and 0 < len(percent) < 4 and 0 < int(percent) <= 100:
        return min(limit, effective * int(percent) // 100)
    return limit if size < (window.model_tokens or size) else float("inf")


def hold_reason(budget: OutboundRequestBudget) -> str:
    """Return what the user is told of a compaction that is held: the ledger in four lines."""
    window, free = budget.model_context_tokens, budget.free_tokens
    fixed = budget.stable_system_tokens + budget.tool_schema_tokens + budget.authority_tokens
    kept = budget.output_reservation_tokens + budget.safety_margin_tokens
    return (
        f"held, {percent(budget.free_ratio)} of the window is free ({free:,} of {window:,} tokens);"
        f" due below {ELIGIBLE_BELOW[0]}%.\n"
        f"In use {budget.total_input_tokens:,} as billed, about: system and tools {fixed:,},"
        f" history {budget.history_tokens:,}, evidence {budget.evidence_tokens:,},"
        f" task {budget.task_and_working_set_tokens:,}.\n"
        f"Kept back {kept:,}: answer {budget.output_reservation_tokens:,},"
        f" margin {budget.safety_margin_tokens:,}.\n"
        "To compact all the same: /compact force [instructions], or /compact once more."
    )
