"""The ledger of a live session: its request rebuilt from the log, its total the provider's own.

The total is what guard and status line believe is in use, so all of them are left with the same
free tokens. The rows share it out: their weights are estimates, their sum is not.
"""

import os
import statistics
import time
from pathlib import Path

import msgspec

from priced_context.budget.apportion import reweigh
from priced_context.budget.content import STABLE_SYSTEM
from priced_context.budget.conversation import Conversation, Message, read_conversation
from priced_context.budget.counters import Count, FramedCounter
from priced_context.budget.framing import Frame, Words
from priced_context.budget.ledger import (
    OutboundRequestBudget,
    Policy,
    compile_outbound_request_budget,
)
from priced_context.budget.request import Request, disassemble
from priced_context.budget.rules import Rule
from priced_context.console import NoSession, Trouble
from priced_context.folders import client_folder
from priced_context.places import agent_log, is_id, own_session, slug_of
from priced_context.prices import (
    CLAUDE_NEWER,
    CLAUDE_OLDER,
    O200K,
    PEEK_PIECE_BYTES,
    PEEK_PIECES,
    features,
    tokens_per_byte,
)
from priced_context.records import ToolCall, Window
from priced_context.settings import settings_of
from priced_context.window import window_of

SHARED_OUT = "known total, estimated shares"
"""The exactness of a row here."""


class Session(msgspec.Struct, frozen=True):
    """Where one agent of one session is found."""

    session_id: str
    agent_id: str
    """"" for the main loop."""
    transcript: Path
    """The main loop's log."""
    project: str

    @property
    def name(self) -> str:
        """As its state folder is called: SESSION, or SESSION.AGENT."""
        return f"{self.session_id}.{self.agent_id}" if self.agent_id else self.session_id

    @property
    def log(self) -> Path:
        """The agent's own log."""
        return Path(agent_log(str(self.transcript), self.session_id, self.agent_id))


class Live(msgspec.Struct, frozen=True):
    """One agent's next request as far as its log shows it."""

    session: Session
    window: Window
    conversation: Conversation
    budget: OutboundRequestBudget

    @property
    def pending_tokens(self) -> int:
        """About what came in since the last bill; no part of the ledger until it is billed."""
        pending = self.conversation.pending
        if not pending:
            return 0
        request = disassemble(_body(self.conversation.model, pending), api="anthropic")
        return sum(sum(entry.tokens) for entry in ClassCounter().count(request).entries)

    @property
    def typical_growth(self) -> int | None:
        """The median by which a response fills the window; None: there were too few."""
        growths = [growth for growth in self.conversation.growths if growth]
        return int(statistics.median(growths)) if growths else None

    @property
    def largest_growth(self) -> int:
        return max(self.conversation.growths, default=0)


def live(session: Session, state: str) -> Live:
    """Return the ledger of the session as its log, its status line and the settings now stand.

    Raises:
        Trouble: the log cannot be read, or the size or use of the window is not known.
    """
    conversation = read_conversation(session.log, session.agent_id)
    call = ToolCall(
        "", {}, session.session_id, session.agent_id, transcript_path=str(session.transcript)
    )
    settings = settings_of(state, session.project)
    window = window_of(call, state, session.project, settings, time.time_ns() // 1_000_000)
    if window.tokens is None or window.used_tokens is None:
        raise Trouble(
            f"{session.log}: the window is not known yet; config.toml may name it (window_tokens)"
        )
    model = conversation.model or window.model
    body = _body(model, conversation.billed, conversation.system, conversation.tools)
    policy = Policy(
        model_context_tokens=window.tokens, output_reservation_tokens=window.reservation_tokens
    )
    budget = compile_outbound_request_budget(
        disassemble(body, api="anthropic"), counter=BillCounter(window, conversation), policy=policy
    )
    return Live(session, window, conversation, budget)


def _body(model: str, messages: list[Message], system: bytes = b"", tools: bytes = b"") -> bytes:
    """Return the request as the API takes it; what the log does not show is left out."""
    members = [b'"model":' + msgspec.json.encode(model)]
    if tools:
        members += [b'"system":' + system, b'"tools":' + tools]
    members.append(b'"messages":[' + b",".join(message.encode() for message in messages) + b"]")
    return b"{" + b",".join(members) + b"}"


class ClassCounter(FramedCounter):
    """The guard's own prices: byte classes of four stretches of a long text, of all of a short one.

    Off by 2.5% at the median. tiktoken is closer on prose, but takes 0.4 s to build, and here the
    total is known anyway.
    """

    name = "byte classes"
    version = "1"

    def words(self, family: str) -> Words:
        model = family if family in (CLAUDE_OLDER, CLAUDE_NEWER) else O200K

        def count(text: str) -> float:
            raw = text.encode()
            sample = _spread(raw)
            return tokens_per_byte(features(sample), len(sample), model) * len(raw)

        return count


def _spread(raw: bytes) -> bytes:
    if len(raw) <= PEEK_PIECE_BYTES * PEEK_PIECES:
        return raw
    step = (len(raw) - PEEK_PIECE_BYTES) / (PEEK_PIECES - 1)
    starts = [int(step * piece) for piece in range(PEEK_PIECES)]
    return b"".join([raw[start : start + PEEK_PIECE_BYTES] for start in starts])


class BillCounter:
    """Shares the tokens in use out over the parts of the request.

    Where the log shows neither system prompt nor tools, they are what the first bill of this model
    has over the messages before it: the fewer of those, the less an estimate of them can err.
    """

    name = "bill"
    version = "1"
    exactness = SHARED_OUT

    def __init__(self, window: Window, conversation: Conversation) -> None:
        self.window = window
        self.conversation = conversation

    def count(self, request: Request, rules: tuple[Rule, ...] = ()) -> Count:
        now = ClassCounter().count(request, rules)
        used = self.window.used_tokens or 0
        unseen = min(self._unseen_tokens(now), used)
        entries, frames = reweigh(now.entries, now.frames, used - unseen)
        missing = used - sum(sum(entry.tokens) for entry in entries)
        missing -= sum(frame.tokens for frame in frames)
        if missing:
            note = "not in the log: measured as the first bill less the messages before it"
            frames = [*frames, Frame(STABLE_SYSTEM, "$.system", "system and tools", missing, note)]
        counter = f"{total_source(self.window)} (total), {now.counter} (shares)"
        return Count(entries, frames, counter, self.exactness)

    def _unseen_tokens(self, count: Count) -> int:
        conversation = self.conversation
        first = conversation.first_of(conversation.model)
        if conversation.tools or first is None:
            return 0
        shown = sum(sum(entry.tokens) for entry in count.entries[: first.place])
        shown += sum(frame.tokens for frame in count.frames)
        return max(0, first.input_tokens - shown)


def total_source(window: Window) -> str:
    """Return in words who says how many tokens are in use."""
    if window.source == "status-line":
        return "the status line"
    if window.source == "fresh":
        return "a log without a bill"
    return "the client after its compaction" if window.compacted_ms else "the last bill"


def find_session(name: str = "") -> Session:
    """Return the session called *name*: an id, SESSION.AGENT for a subagent, or "" for this one.

    This one is the session whose shell this is, else the one last written to in this folder, else
    the last of all.

    Raises:
        Trouble: there is none.
    """
    name = name or own_session()
    session_id, _, agent_id = name.partition(".")
    if name and not (is_id(session_id) and (not agent_id or is_id(agent_id))):
        raise Trouble(f"{name!r} is not a session's id")
    projects = client_folder() / "projects"
    here = slug_of(os.getcwd())
    stem = session_id or "*"
    logs = list(projects.glob(f"{here}/{stem}.jsonl")) or list(projects.glob(f"*/{stem}.jsonl"))
    if not logs:
        if not session_id:
            raise NoSession(projects)
        missing = f"no log of session {session_id} in {projects}"
        raise Trouble(f"{missing}: has it had its first response?")
    transcript = max(logs, key=lambda path: path.stat().st_mtime_ns)
    return Session(transcript.stem, agent_id, transcript, _project_of(transcript))


def _project_of(transcript: Path) -> str:
    """Return the folder that the session was started in, as its log says."""
    with transcript.open("rb") as lines:
        for raw in lines:
            try:
                return msgspec.json.decode(raw, type=_Where).cwd
            except msgspec.MsgspecError:
                continue
    return os.getcwd()


class _Where(msgspec.Struct):
    cwd: str
