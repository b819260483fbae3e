"""`<state>/precompact`: one compaction, from the client's question to its answer.

Silence lets it through. What is printed then is appended to the summary prompt, so nothing else
may be. Whatever is missing or broken ends in silence.
"""

import posix
from time import sleep, time_ns

from priced_context.files import make_directory, read_small, replace
from priced_context.gate import decoded_stdin, note_failure, print_answer
from priced_context.memory import forget
from priced_context.places import project_of, session_folder
from priced_context.records import ToolCall
from priced_context.room import is_eligible
from priced_context.settings import STEER, is_switched_off, settings_of
from priced_context.window import window_of
from priced_context.wire import encode, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from priced_context.budget.session import Live
    from priced_context.settings import Settings


LOG_DELAY_SECONDS = 0.2
"""The client asks of itself before its log has the last response: 20 ms later it had it, always
(tests/e2e/test_compaction.py). The compaction takes many seconds."""
HELD = "/held"
"""The file of an agent that holds the id of its last response when it was last held."""


def main(state: str) -> None:
    """Answer the PreCompact payload on stdin and exit 0."""
    try:
        print_answer(answer(decoded_stdin(parse), state).encode("utf-8", "replace"))
    except Exception as error:  # our bug must not keep a full window from being compacted
        note_failure(state, error)
    finally:
        posix._exit(0)  # noqa: SLF001 - its public name


def answer(payload: "Any", state: str) -> str:
    """Return a block as JSON, what the summary is to keep as text, or "" to say nothing.

    Raises:
        ValueError: the payload is not the client's.
    """
    asker, instructions = _asker(payload)
    folder = session_folder(state, asker.session_id, asker.agent_id)
    if not folder:
        return ""
    project = project_of(asker)
    settings = settings_of(state, project)
    is_on = settings.mode == STEER and not is_switched_off(state, asker.session_id)
    is_automatic = payload.get("trigger") != "manual"
    if is_on and is_automatic:
        sleep(LOG_DELAY_SECONDS)
    now_ms = time_ns() // 1_000_000
    window = window_of(asker, state, project, settings, now_ms)
    if not is_on or window.tokens is None or window.free_tokens is None:
        said = ""
    elif is_eligible(window.free_tokens, window.tokens):
        forget(folder, now_ms)  # first: what follows may fail, and the compaction runs all the same
        return _what_to_keep(_live(asker, state, project), settings, state)
    elif is_forced(instructions):
        said = ""
    else:
        live = _live(asker, state, project)
        said = _hold(live, folder, is_automatic=is_automatic)
    if not said:
        forget(folder, now_ms)
    return said


def is_forced(instructions: str) -> bool:
    """Say whether what the user wrote after `/compact` begins with `force`."""
    return instructions.split()[:1] == ["force"]


def _asker(payload: "Any") -> "tuple[ToolCall, str]":
    """Return the agent whose window it is, and the user's instructions.

    Raises:
        ValueError: the payload is no object.
    """
    if type(payload) is not dict:
        raise ValueError("the payload is not an object")
    fields = {name: value for name, value in payload.items() if type(value) is str}
    session_id, agent_id = fields.get("session_id", ""), fields.get("agent_id", "")
    cwd, transcript_path = fields.get("cwd", ""), fields.get("transcript_path", "")
    asker = ToolCall("", {}, session_id, agent_id, cwd, transcript_path)
    return asker, fields.get("custom_instructions", "")


def _live(asker: ToolCall, state: str, project: str) -> "Live":
    from pathlib import Path

    from priced_context.budget.session import Session, live

    transcript = Path(asker.transcript_path)
    return live(Session(asker.session_id, asker.agent_id, transcript, project), state)


def _hold(live: "Live", folder: str, *, is_automatic: bool) -> str:
    """Return the block, remembered; "" where the compaction must go through.

    What cannot be remembered is not held: it would be held for ever.
    """
    from priced_context.compaction.decision import hold_reason, reason_to_pass

    if reason_to_pass(live, held_id(folder), is_automatic=is_automatic):
        return ""
    try:
        make_directory(folder)
        replace(folder + HELD, live.conversation.last_id.encode())
    except (OSError, ValueError):
        return ""
    return encode({"decision": "block", "reason": hold_reason(live.budget)})


def held_id(folder: str) -> str:
    """Return the id of the last response when this agent's compaction was last held, or ""."""
    return read_small(folder + HELD).decode("utf-8", "replace")


def _what_to_keep(live: "Live", settings: "Settings", state: str) -> str:
    """Return the analyst's words for the summary prompt, made once for this very request."""
    from pathlib import Path

    from priced_context.compaction.analyst import instructions_for
    from priced_context.compaction.once import once

    fingerprint = live.budget.request_fingerprint
    return once(
        Path(state, "analyses"),
        fingerprint,
        lambda: instructions_for(live, settings.analyst, state),
    )
