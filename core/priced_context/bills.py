"""What the results of a turn were really billed.

The provider bills whole requests. So a turn's results cost the growth of the next request, less
what the model itself said, less what the client added. Logs without attachments do not show what
it added; its reminder of the task list is known all the same, other text stays in the bill.
"""

import json

from priced_context.prices import family_of, price_text
from priced_context.transcript import Shown, Turn, shown_by_read

# What a response costs beyond its texts, names and arguments: fitted to 130 responses whose
# count the log has (median error 3%). Only old logs need it: they stop counting mid-stream.
RESPONSE_TOKENS = 21
CALL_TOKENS = 14
ARGUMENT_TOKENS = 17

# The client reminds an agent of its task list when so many messages have passed without it, and
# again after as many. In a recorded session of client 2.1.39 the 22 turns of reads and commands
# where that falls due grew by a median of 117 tokens more than their texts, the 102 others by 5.
REMINDER_MESSAGES = 10
REMINDER_TOKENS = 109
TASK_TOOLS = ("TodoWrite", "TaskCreate", "TaskUpdate")


class Reminders:
    """When an agent was reminded of its task list, in a log that does not say so."""

    def __init__(self) -> None:
        self._messages: dict[str, int] = {}

    def tokens_after(self, turn: Turn) -> int:
        """Return what the reminder that followed *turn* cost; 0: none did. Ask of every turn."""
        messages = self._messages.get(turn.agent_id, 0) + turn.messages
        is_due = messages >= REMINDER_MESSAGES
        uses_tasks = any(call.tool in TASK_TOOLS for call in turn.calls)
        is_reset = is_due or uses_tasks or bool(turn.compacted_ms)
        self._messages[turn.agent_id] = 0 if is_reset else messages
        is_silent = uses_tasks or turn.has_attachments
        return REMINDER_TOKENS if is_due and not is_silent else 0


def text_tokens(text: str, model: str) -> int:
    """Return the tokens of a text as it stands."""
    raw = text.encode("utf-8", "replace")
    return price_text(raw, family_of(model), "", 0) if raw else 0


def own_tokens(turn: Turn) -> int:
    """Return what the model's own response adds to its next request.

    The provider's count, where the log has it to the end; else estimated from the content.
    """
    if turn.is_complete:
        return turn.output_tokens
    estimate = RESPONSE_TOKENS + sum(text_tokens(text.strip(), turn.model) for text in turn.said)
    for call in turn.calls:
        estimate += CALL_TOKENS + text_tokens(call.tool, turn.model)
        for name, value in call.tool_input.items():
            shown = value if isinstance(value, str) else json.dumps(value)
            estimate += ARGUMENT_TOKENS + text_tokens(name, turn.model)
            estimate += text_tokens(shown, turn.model)
    # A count from mid-stream is 1 to 30; one near the estimate was taken at the end.
    return turn.output_tokens if turn.output_tokens > estimate / 2 else estimate


def reads_of(turn: Turn) -> list[Shown]:
    """Return what the turn's Reads showed; [] unless they are all that the next request added."""
    if turn.has_other_input or turn.next_input_tokens is None:
        return []
    for call in turn.calls:
        if call.tool != "Read" or not call.has_result or call.is_error or not call.is_text:
            return []
    return [shown_by_read(call.text) for call in turn.calls]


def billed_tokens(turn: Turn, reads: list[Shown]) -> int:
    """Return what the results of a turn of reads were billed; 0 or less where text was dropped."""
    growth = (turn.next_input_tokens or 0) - turn.input_tokens
    added = [read.appended for read in reads if not read.is_unnumbered] + turn.reminders
    return growth - own_tokens(turn) - sum(text_tokens(text, turn.model) for text in added)
