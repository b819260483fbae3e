"""What the guard would have done in sessions that are over, and how near its prices were.

Every call runs through the hook's own decode, intake, price and judgement; the files are those of
the log (`stand_ins`), the window is what the log's tail said at that moment.
"""

import tempfile
from copy import copy
from pathlib import Path

import msgspec

from priced_context.bills import Reminders, billed_tokens, reads_of, text_tokens
from priced_context.bounds import line_count_for
from priced_context.caps import frame_tokens
from priced_context.files import kind_of, resolve
from priced_context.gate import Case, billed, considered, verdict_on
from priced_context.memory import SLICE, Memory
from priced_context.policy import ENDLESS, name_of_command
from priced_context.prices import family_of, generation_of, prefix_tokens, price_text
from priced_context.reads import intake_of_call, is_worth_a_price
from priced_context.records import (
    CAPPED,
    DUMP,
    PASS,
    READ,
    REWRITE,
    UNBOUNDED,
    Bill,
    Intake,
    ToolCall,
    Verdict,
    Window,
)
from priced_context.room import COMPACTION_RESERVE, DEFAULT_RESERVATION
from priced_context.settings import Settings, settings_of
from priced_context.stand_ins import StandIns
from priced_context.transcript import (
    EDITS,
    Call,
    Log,
    Shown,
    Turn,
    shown_by_read,
    subagent_logs,
)
from priced_context.window import Usage, reservation_of, window_from
from priced_context.wire import decode_call

WINDOWS = {"own": 0, "200k": 200_000, "1M": 1_000_000}
"""The windows a session is replayed for; 0: the session's own."""


class Refusal(msgspec.Struct):
    """A read that the guard would not simply have let run."""

    path: str
    agent_id: str
    response: int
    """Which response of the main loop it came after, from 0."""
    action: str
    reason: str
    read_tokens: int
    """What the log shows that the read cost."""
    shown_tokens: int
    """What a rewritten read would have shown all the same."""
    own_tokens: int
    """What our text would have cost."""
    paid_anyway: bool = False
    """The agent read the file again, or edited it, before the next compaction."""

    @property
    def kept_out_tokens(self) -> int:
        """Net; negative where our text was all that came of it."""
        kept = 0 if self.paid_anyway else self.read_tokens - self.shown_tokens
        return kept - self.own_tokens


class PricedTurn(msgspec.Struct, frozen=True):
    """A turn that added nothing but the results of Reads, priced and billed."""

    message_id: str
    model: str
    kinds: list[str]
    """Of the files read, as `files.kind_of` says."""
    price_tokens: float
    """With the frames of parallel results."""
    content_tokens: float
    """The part of it that a calibration corrects: without line numbers and frames; 0 where
    the client's caps decided."""
    bytes4_tokens: float
    """What a quarter of the bytes read says."""
    bill_tokens: int


class ReadSeen(msgspec.Struct, frozen=True):
    """A call that brought text of files in, for the page's picture."""

    path: str
    agent_id: str
    response: int
    tokens: int


class Replay(msgspec.Struct):
    """One session, replayed."""

    path: str
    session_id: str = ""
    models: list[str] = msgspec.field(default_factory=list)
    window_tokens: int | None = None
    """The session's own, as last believed."""
    used_tokens: list[int] = msgspec.field(default_factory=list)
    """Of the main loop, a figure a response."""
    compacted_responses: list[int] = msgspec.field(default_factory=list)
    reads: list[ReadSeen] = msgspec.field(default_factory=list)
    refusals: dict[str, list[Refusal]] = msgspec.field(default_factory=dict)
    """By window, as `WINDOWS` names them."""
    priced_turns: list[PricedTurn] = msgspec.field(default_factory=list)
    skipped_lines: int = 0


def replay_session(path: Path, state: str) -> Replay:
    """Replay the session whose main log (or lone subagent's log) *path* is.

    Raises:
        Trouble: it is no session log, or cannot be read.
    """
    replay = Replay(str(path))
    with tempfile.TemporaryDirectory(prefix="ctx-replay-") as scratch:
        replayer = _Replayer(replay, StandIns(Path(scratch), state), state)
        for part in [path, *subagent_logs(path)]:
            log = Log(part)
            for turn in log:
                replayer.play(turn)
            replay.skipped_lines += log.skipped_lines
    return replay


class _Replayer:
    def __init__(self, replay: Replay, stand_ins: StandIns, state: str) -> None:
        self._replay = replay
        self._stand_ins = stand_ins
        self._state = state
        self._settings: dict[str, Settings] = {}
        self._memories: dict[tuple[str, str], Memory] = {}
        self._open: dict[tuple[str, str], dict[str, Refusal]] = {}
        self._reminders = Reminders()
        for name in WINDOWS:
            replay.refusals[name] = []

    def play(self, turn: Turn) -> None:
        """Put the turn's calls to the guard, in the order of the log."""
        replay = self._replay
        replay.session_id = replay.session_id or turn.session_id
        if turn.model not in replay.models:
            replay.models.append(turn.model)
        if turn.cwd not in self._settings:
            self._settings[turn.cwd] = settings_of(self._state, turn.cwd)
            self._stand_ins.keep_directory(resolve(turn.cwd, "/"))
        window = window_from(
            _known_before(turn), {}, self._state, turn.cwd, self._settings[turn.cwd]
        )
        if not turn.agent_id:
            replay.window_tokens = window.tokens
            replay.used_tokens.append(turn.input_tokens + turn.output_tokens)
        self._check_price(turn, [self._ask(turn, call, window) for call in turn.calls])
        if turn.compacted_ms:
            if not turn.agent_id:
                replay.compacted_responses.append(len(replay.used_tokens) - 1)
            for name in WINDOWS:
                self._memories.pop((name, turn.agent_id), None)
                self._open.pop((name, turn.agent_id), None)

    @property
    def _response(self) -> int:
        return max(0, len(self._replay.used_tokens) - 1)

    def _ask(self, turn: Turn, call: Call, window: Window) -> "_Question | None":
        """Put one call to the guard; None where it brings in no text of a file."""
        if not call.has_result or call.is_error:
            return None
        path = call.tool_input.get("file_path")
        path = resolve(path, turn.cwd) if isinstance(path, str) else ""
        if call.tool in EDITS:
            self._note_edit(turn.agent_id, path, call)
            return None
        shown = None
        if call.tool == READ:
            shown = shown_by_read(call.text)
            if shown.first_line and path:
                self._stand_ins.keep_read(path, shown, call.total_lines)
        self._stand_ins.keep_printed("" if shown else call.text)
        tool_call = decode_call(_payload(turn, call))
        with self._stand_ins.in_place():
            intake = intake_of_call(tool_call, self._state)
            if not shown and self._stand_ins.fit_printed(call.text, intake.reads):
                intake = intake_of_call(tool_call, self._state)
            if intake.kind not in (DUMP, UNBOUNDED):
                return None
            for read in intake.reads:  # `cd` may go there later
                self._stand_ins.keep_directory(read.path.rpartition("/")[0] or "/")
            if shown and shown.prefix:  # as this client numbered lines
                intake.reads[0].line_prefix = shown.prefix
            bill = billed(intake, window, self._state)
            question = _Question(
                tool_call, intake, bill, window, _shown_tokens(call, shown, turn.model)
            )
            if is_worth_a_price(intake):
                self._judge(turn, call, question)
        return question

    def _judge(self, turn: Turn, call: Call, question: "_Question") -> None:
        for n, read in enumerate(question.intake.reads):
            tokens = 0 if n else question.shown_tokens  # a command's are counted once
            self._replay.reads.append(ReadSeen(read.path, turn.agent_id, self._response, tokens))
        for name, tokens in WINDOWS.items():
            memory = self._memories.setdefault((name, turn.agent_id), Memory())
            case = considered(
                question.call,
                question.intake,
                question.bill,
                _as_large_as(question.window, tokens) if tokens else question.window,
                memory,
                self._settings[turn.cwd],
                turn.cwd,
            )
            self._settle(name, turn, call, case, question.shown_tokens)

    def _settle(self, name: str, turn: Turn, call: Call, case: Case, cost: int) -> None:
        """Do what the gate does with a case, and keep the account of it."""
        memory, still_open = case.memory, self._open.setdefault((name, turn.agent_id), {})
        paths = [read.path for read in case.intake.reads]
        if case.objection is None:
            if case.is_slice:
                memory.add(SLICE, paths[0], case.bill.tokens)
            for path in paths or [name_of_command(case.call)]:
                refusal = still_open.get(path)
                if refusal and cost * 2 >= refusal.read_tokens:
                    refusal.paid_anyway = True
            return
        verdict = verdict_on(case)
        if verdict.action == PASS:  # what has no safe bound
            return
        for path, tokens in case.objection.told:
            memory.add(verdict.action, path, tokens)
        refusal = Refusal(
            case.objection.told[0][0],
            turn.agent_id,
            self._response,
            verdict.action,
            verdict.reason,
            cost,
            self._rewritten_tokens(case, verdict, call.text) if verdict.action == REWRITE else 0,
            text_tokens(verdict.reason, turn.model) + _frame(turn.model),
        )
        for path, _ in case.objection.told:
            still_open[path] = refusal
        self._replay.refusals[name].append(refusal)

    def _rewritten_tokens(self, case: Case, verdict: Verdict, printed: str) -> int:
        """Return what the bounded call would have brought in."""
        if case.objection is not None and case.objection.reason == ENDLESS:
            lines = printed.split("\n")[: line_count_for(case.objection.budget_tokens)]
            return text_tokens("\n".join(lines), case.window.model) + _frame(case.window.model)
        bounded = copy(case.call)
        bounded.tool_input = verdict.updated_input or {}
        intake = intake_of_call(bounded, self._state)
        return billed(intake, case.window, self._state).tokens

    def _note_edit(self, agent_id: str, path: str, call: Call) -> None:
        content = call.tool_input.get("content")
        if isinstance(content, str) and path:
            self._stand_ins.keep(path, content)
        for name in WINDOWS:
            refusal = self._open.get((name, agent_id), {}).get(path)
            if refusal:
                refusal.paid_anyway = True

    def _check_price(self, turn: Turn, asked: "list[_Question | None]") -> None:
        """Keep price and bill of a turn of reads; not where one is of a kind without a price."""
        reminder = self._reminders.tokens_after(turn)
        shown = reads_of(turn)
        bill = billed_tokens(turn, shown) - reminder if shown else 0
        if bill <= 0 or any(
            question is None and read.is_unnumbered
            for question, read in zip(asked, shown, strict=True)
        ):
            return
        frame, results = _frame(turn.model), len(shown)
        bills = [question.bill for question in asked if question is not None]
        alone = sum(bill.tokens - frame for bill in bills)
        is_capped = any(bill.basis == CAPPED for bill in bills)
        numbers = sum(
            prefix_tokens(read.prefix, read.first_line, read.line_count) for read in shown
        )
        self._replay.priced_turns.append(
            PricedTurn(
                turn.message_id,
                turn.model,
                [kind_of(str(call.tool_input.get("file_path"))) for call in turn.calls],
                alone + frame_tokens(generation_of(turn.model), results),
                0 if is_capped else alone - numbers,
                sum(len(read.text.encode("utf-8", "replace")) for read in shown) / 4,
                bill,
            )
        )


class _Question(msgspec.Struct):
    """One call, as it is put to the guard."""

    call: ToolCall
    intake: Intake
    bill: Bill
    window: Window
    shown_tokens: int
    """What the log shows that its result cost."""


def _payload(turn: Turn, call: Call) -> bytes:
    """Return what the client gave its hooks on stdin."""
    return msgspec.json.encode(
        {
            "session_id": turn.session_id,
            "agent_id": turn.agent_id,
            "cwd": turn.cwd,
            "tool_name": call.tool,
            "tool_input": call.tool_input,
        }
    )


def _known_before(turn: Turn) -> Usage:
    """Return what a hook could know; of an agent's first response, what that itself says."""
    usage = copy(turn.belief)
    if usage.is_empty or not usage.model:
        usage.is_empty = False
        usage.model, usage.used_tokens = turn.model, turn.input_tokens
        usage.client_version = turn.client_version
    return usage


def _as_large_as(window: Window, tokens: int) -> Window:
    """Return the window as if it had so many tokens.

    A session that grew larger would have been compacted on the way, so its use starts again.
    """
    used = window.used_tokens
    if used is not None:
        used %= tokens - DEFAULT_RESERVATION - COMPACTION_RESERVE
    return Window(
        tokens,
        used,
        "configured",
        window.model,
        window.client_version,
        reservation_of(window.model),
    )


def _shown_tokens(call: Call, shown: Shown | None, model: str) -> int:
    """Return what the log shows that the call's result cost."""
    if shown is None or not shown.first_line:
        return text_tokens(call.text, model) + _frame(model)
    raw = shown.text.encode("utf-8", "replace")
    if not raw:
        return _frame(model)
    return price_text(raw, family_of(model), shown.prefix, shown.last_line) + _frame(model)


def _frame(model: str) -> int:
    return frame_tokens(generation_of(model))
