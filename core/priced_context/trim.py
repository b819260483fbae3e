"""A result that nobody could price, cut after the fact: off by default (`cut_unpriced`).

The PostToolUse hook. For a dump out of git, for output of no known size and for a server's file
that is not on this machine, when the result is over the budget of one read: its middle becomes one
line. The client replaces the text in its own log too, so the whole stands in the session's state.
"""

import posix
from time import time_ns

from priced_context.files import make_directory, replace
from priced_context.gate import (
    decoded_stdin,
    note_failure,
    print_answer,
    start_clock,
    stop_clock,
)
from priced_context.places import is_id, project_of, result_file, session_folder
from priced_context.reads import intake_of_call
from priced_context.records import BASH, DUMP_OBJECT, UNBOUNDED, ToolCall
from priced_context.wire import decode_result, encode_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from priced_context.records import Window


def main(state: str) -> None:
    """Answer the PostToolUse payload on stdin and exit 0."""
    try:
        start_clock()
        call, response, use_id = decoded_stdin(decode_result)
        print_answer(answer(call, response, use_id, state))
    except Exception as error:  # our bug must not lose a result
        note_failure(state, error)
    finally:
        posix._exit(0)  # noqa: SLF001 - its public name


def answer(call: ToolCall, response: "Any", use_id: str, state: str) -> bytes:
    """Return the JSON that replaces the result of a call; b"" to leave it as it is."""
    text = text_of(call, response)
    folder = session_folder(state, call.session_id, call.agent_id)
    if not text or not folder or not is_id(use_id):
        return b""

    from priced_context.memory import recall
    from priced_context.policy import budget_of, name_of_command
    from priced_context.prices import family_of, price_text
    from priced_context.settings import STEER, is_switched_off, settings_of
    from priced_context.window import window_of
    from priced_context.wording import quoted_name

    project = project_of(call)
    settings = settings_of(state, project)
    if not settings.cut_unpriced or not is_unpriced(call, state, settings.tools):
        return b""
    if settings.mode != STEER or is_switched_off(state, call.session_id):
        return b""
    window = window_of(call, state, project, settings, time_ns() // 1_000_000)
    budget = budget_of(window, settings)
    tokens = price_text(text.encode("utf-8", "replace"), family_of(window.model), "", 1)
    if budget is None or tokens < budget:
        return b""
    if name_of_command(call) in recall(folder, window.compacted_ms).told_buckets:
        return b""  # let through on purpose
    command = f"{quoted_name(state + '/ctx')} get out:{use_id}"
    cut = cut_middle(text, budget / tokens, command, tokens, window)
    said = encode_result(replaced(response, cut))
    stop_clock()
    place = result_file(folder, use_id)
    make_directory(place[: place.rfind("/")])
    replace(place, text.encode("utf-8", "surrogatepass"))
    return said


def is_unpriced(call: ToolCall, state: str, more_tools: "list[str]") -> bool:
    """Say whether the call's result had no price before it ran, and is not a program's output."""
    intake = intake_of_call(call, state)
    if call.tool == BASH:
        return intake.kind in (DUMP_OBJECT, UNBOUNDED)
    from priced_context.tools import is_reader

    return not intake.reads and is_reader(call.tool, more_tools)


def text_of(call: ToolCall, response: "Any") -> str:
    """Return the text that the model is shown; "" where it is not plain text, or is a preview."""
    if call.tool == BASH:
        is_whole = type(response) is dict and "persistedOutputPath" not in response
        text = response.get("stdout") if is_whole else ""
    elif type(response) is list and len(response) == 1 and type(response[0]) is dict:
        text = response[0].get("text")
    else:
        text = response
    return text if type(text) is str else ""


def replaced(response: "Any", text: str) -> "Any":
    """Return the response in its own shape with another text."""
    if type(response) is dict:
        return response | {"stdout": text}
    if type(response) is list:
        return [response[0] | {"text": text}]
    return text


def cut_middle(text: str, share: float, command: str, tokens: int, window: "Window") -> str:
    """Keep the first and last lines of *text* that fit into *share* of it, and say what is gone."""
    from priced_context.cuts import FIT_SHARE
    from priced_context.prices import tag

    kept_letters = int(len(text) * share * FIT_SHARE / 2)
    first_end = text.rfind("\n", 0, kept_letters) + 1 or kept_letters
    last_start = text.find("\n", len(text) - kept_letters) + 1 or len(text) - kept_letters
    gone = text[first_end:last_start]
    first_line = text.count("\n", 0, first_end) + 1
    last_line = first_line + gone.count("\n") - gone.endswith("\n")
    price = tag(int(tokens * len(gone) / len(text)), window.tokens)
    note = f"[lines {first_line}-{last_line} are left out: {price}. {command} prints everything]\n"
    return text[:first_end] + note + text[last_start:]
