"""One tool call, from the host's bytes to its answer: read this module from top to bottom.

Later stages are imported where they are reached: most calls leave before them.
"""

import posix
from _signal import (  # type: ignore[import-not-found]  # builtin; `signal` imports enum
    SIGALRM,
    alarm,
    signal,
)
from time import time_ns

from priced_context.files import size_of_regular
from priced_context.reads import intake_of_call, is_worth_a_price
from priced_context.wire import decode_call, encode_verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from priced_context.memory import Memory
    from priced_context.policy import Objection
    from priced_context.records import Bill, Intake, ToolCall, Verdict, Window
    from priced_context.settings import Settings

PIECE_BYTES = 1 << 16
"""What a pipe of Linux holds."""
LIMIT_SECONDS = 2
"""A call that is not answered by then passes; the client would wait five, and the agent with it."""
REFUSALS_OF_ONE_LINE = 3
"""From the next one on a refusal names the map of the repository too."""
SLICE_TOKENS = 600
"""A range that costs less does not count; as little is never refused either."""


def main(state: str) -> None:
    """Answer the PreToolUse payload on stdin, a verdict or nothing on stdout, and exit 0.

    *state* is the folder that docs/files.md describes. Ends the process at once: tearing the
    interpreter down takes a sixth of its whole time (benchmarks/import_costs.py).
    """
    try:
        start_clock()
        print_answer(answer(decoded_stdin(decode_call), state))
    except Exception as error:  # our bug must not stop the agent: no verdict, one line in the log
        note_failure(state, error)
    finally:
        posix._exit(0)  # noqa: SLF001 - its public name


def answer(call: "ToolCall", state: str) -> bytes:
    """Return the JSON that answers a call; b"" to say nothing."""
    intake = intake_of_call(call, state)
    if not is_worth_a_price(intake):
        return b""

    from priced_context.memory import SLICE, remember
    from priced_context.places import project_of, session_folder
    from priced_context.window import keep_model

    folder = session_folder(state, call.session_id, call.agent_id)
    if not folder:  # an agent without a name cannot be remembered, so it is never refused
        return b""
    now_ms = time_ns() // 1_000_000
    project = project_of(call)
    case = weigh(call, intake, state, project, now_ms)
    if is_silenced(case, state):
        return b""
    # A clock that went back over a compaction must not make us forget at once what is told now.
    told_ms = max(now_ms, case.window.compacted_ms)
    if not call.agent_id:  # a subagent's model says nothing of the next session's
        keep_model(state, project, case.window)
    if case.objection is None:
        if case.is_slice:
            remember(folder, told_ms, SLICE, [(intake.reads[0].path, case.bill.tokens)])
        return b""

    from priced_context.records import NO_ROOM, PASS
    from priced_context.settings import OBSERVE, menu_command

    verdict = verdict_on(case, menu_command(call, case.settings, state))
    if verdict.action == PASS:  # it fits after all, or has no safe bound
        return b""
    action = verdict.action if case.objection.reason != NO_ROOM else NO_ROOM
    if case.settings.mode == OBSERVE:
        action = OBSERVE
    said = encode_verdict(verdict)  # what cannot be said must not count as told
    stop_clock()
    if not remember(folder, told_ms, action, case.objection.told) or action == OBSERVE:
        return b""
    return said


class Case:
    """Everything that bears on one call, weighed."""

    __slots__ = ("bill", "call", "intake", "memory", "objection", "settings", "window")

    def __init__(
        self,
        call: "ToolCall",
        intake: "Intake",
        bill: "Bill",
        window: "Window",
        memory: "Memory",
        settings: "Settings",
        objection: "Objection | None",
    ) -> None:
        self.call = call
        self.intake = intake
        self.bill = bill
        self.window = window
        self.memory = memory
        self.settings = settings
        self.objection = objection

    @property
    def is_slice(self) -> bool:
        """A range of one file that passes and is worth counting."""
        reads = self.intake.reads
        return (
            len(reads) == 1
            and not reads[0].is_whole
            and reads[0].path not in self.memory.told_buckets
            and self.bill.tokens >= SLICE_TOKENS
        )


def weigh(call: "ToolCall", intake: "Intake", state: str, project: str, now_ms: int) -> Case:
    """Price the call against the window and what the agent knows. Writes nothing."""
    from priced_context.memory import recall
    from priced_context.places import session_folder
    from priced_context.settings import OBSERVE, settings_of
    from priced_context.window import window_of

    settings = settings_of(state, project)
    window = window_of(call, state, project, settings, now_ms)
    folder = session_folder(state, call.session_id, call.agent_id)
    memory = recall(folder, window.compacted_ms, observes=settings.mode == OBSERVE)
    bill = billed(intake, window, state)
    return considered(call, intake, bill, window, memory, settings, project)


def billed(intake: "Intake", window: "Window", state: str) -> "Bill":
    """Price the call for the client and the model that the window names."""
    from priced_context.caps import limits_of
    from priced_context.prices import price_intake

    limits = limits_of(window.client_version)
    if size_of_regular(state + "/factors") < 0:
        return price_intake(intake, limits, window.model)
    from priced_context.factors import factors_of

    return price_intake(intake, limits, window.model, factors_of(state, window.model))


def considered(
    call: "ToolCall",
    intake: "Intake",
    bill: "Bill",
    window: "Window",
    memory: "Memory",
    settings: "Settings",
    project: str,
) -> Case:
    """Judge the priced call, without the files that the user lets through."""
    from priced_context.policy import judge, judge_unbounded, without_allowed
    from priced_context.records import UNBOUNDED

    if intake.kind == UNBOUNDED:
        objection = judge_unbounded(call, bill, window, memory, settings)
    else:
        objection = judge(intake, bill, window, memory, settings)
    if objection is not None and settings.allow and intake.reads:
        intake, bill = without_allowed(intake, bill, settings.allow, project)
        objection = judge(intake, bill, window, memory, settings)
    return Case(call, intake, bill, window, memory, settings, objection)


def is_silenced(case: Case, state: str) -> bool:
    """Say whether the user switched the guard off."""
    from priced_context.settings import OFF, is_switched_off

    return case.settings.mode == OFF or is_switched_off(state, case.call.session_id)


def verdict_on(case: Case, menu_command: str = "") -> "Verdict":
    """Turn an objection into words: a bounded call where that serves, else a refusal.

    *menu_command* is how the agent may run our verbs without being asked; "": it may not.
    """
    from priced_context.policy import ENDLESS, OVER
    from priced_context.records import DENY, READ, Verdict
    from priced_context.wording import map_offer, refusal

    objection = case.objection
    if objection is None:
        return Verdict()
    if objection.reason == ENDLESS:
        return _bounded(case, objection)
    may_cut = objection.reason == OVER and case.intake.tool == READ
    cut = _cut(case, objection) if may_cut else None
    if cut is not None:
        return cut
    words = refusal(case.call, case.intake, objection, case.window, menu_command)
    if menu_command and case.memory.refusals >= REFUSALS_OF_ONE_LINE:
        words += map_offer(menu_command)
    return Verdict(DENY, words)


def _bounded(case: Case, objection: "Objection") -> "Verdict":
    """Bound a command whose output has no known size; it passes where that is not safe."""
    from priced_context.bounds import bounded_input, line_count_for
    from priced_context.records import REWRITE, Verdict
    from priced_context.wording import bound_note

    line_count = line_count_for(objection.budget_tokens)
    bounded = bounded_input(case.call, line_count)
    if bounded is None:
        return Verdict()
    return Verdict(REWRITE, bound_note(objection, line_count, case.window), bounded)


def _cut(case: Case, objection: "Objection") -> "Verdict | None":
    """Cut a Read to the lines that fit; None where a refusal serves better."""
    from priced_context.cuts import cut_of
    from priced_context.prices import family_of
    from priced_context.records import REWRITE, Verdict
    from priced_context.wording import cut_note

    cut = cut_of(case.intake, objection.budget_tokens, family_of(case.window.model))
    if cut is None:
        return None
    if cut.line_count >= cut.asked_lines:  # it fits after all
        return Verdict()
    bounded = case.call.tool_input | {"offset": cut.first_line, "limit": cut.line_count}
    note = cut_note(case.call, case.intake, objection, cut, case.window)
    return Verdict(REWRITE, note, bounded)


class OverdueError(Exception):
    """The call took too long; no OSError, for those are dealt with where they arise."""


def start_clock() -> None:
    """Let an OverdueError end this process's work after LIMIT_SECONDS."""
    signal(SIGALRM, _give_up)
    alarm(LIMIT_SECONDS)


def stop_clock() -> None:
    """Let what follows run to its end: what is remembered must be heard too."""
    alarm(0)


def _give_up(_signal: int, _frame: object) -> None:
    raise OverdueError(f"no answer within {LIMIT_SECONDS} s")


def decoded_stdin(decode: "Callable[[bytes], Any]") -> "Any":
    """Return what *decode* makes of stdin, as soon as its last brace is there: it may never end.

    Raises:
        ValueError: *decode* refuses what stands there to its end.
    """
    pieces = []
    while True:
        piece = posix.read(0, PIECE_BYTES)
        pieces.append(piece)
        # a full piece has more behind it: parsing each of a large payload would take seconds
        if not piece or (len(piece) < PIECE_BYTES and piece.endswith((b"}", b"}\n"))):
            try:
                return decode(b"".join(pieces))
            except ValueError:
                if not piece:
                    raise


def print_answer(answer: bytes) -> None:
    while answer:
        answer = answer[posix.write(1, answer) :]


def note_failure(state: str, error: Exception) -> None:
    from priced_context.log import note

    note(state, error)
