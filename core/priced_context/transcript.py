"""A session log, streamed into turns: what an agent said and called, what came back, for how much.

The client appends a line an event. One response of the model stands on several lines with the same
`message.id` and the same usage; results may stand between them. Formats from client 2.1.38 on;
lines that are torn, unknown or of another shape are counted and passed over.
"""

import re
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any

import msgspec

from priced_context.console import Trouble
from priced_context.window import Usage, unix_ms

LONGEST_LINE_BYTES = 32 << 20
"""A longer line is passed over in pieces; the client's largest (images) have about 5 MB."""
EDITS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
"""The client's tools that write files."""


class Call(msgspec.Struct):
    """One tool call of a response and, once it stands in the log, its result."""

    id: str
    tool: str
    tool_input: dict[str, Any]
    text: str = ""
    """What the model was shown: all text of the result."""
    has_result: bool = False
    is_error: bool = False
    is_text: bool = True
    """The result holds nothing but text: no image, no document."""
    total_lines: int = 0
    """Of the whole file behind a Read, as the client counted them; 0: not logged."""
    at_ms: int = 0
    """When the result was logged, Unix ms."""


class Hook(msgspec.Struct):
    """One run of a hook that the client logged, because it printed something."""

    command: str
    duration_ms: int | None


class Turn(msgspec.Struct):
    """One response of the model, and what came in before the agent's next one."""

    message_id: str
    session_id: str
    agent_id: str
    model: str
    client_version: str
    cwd: str
    belief: Usage
    """What the log's tail said before this response, which is what a hook could know."""
    input_tokens: int = 0
    """What the request was billed: plain, cache-read and cache-written input together."""
    output_tokens: int = 0
    is_complete: bool = False
    """The response had ended when it was logged; else `output_tokens` is how far it had come."""
    messages: int = 0
    """Lines of the response but for thoughts, which is how the client counts its messages."""
    said: list[str] = msgspec.field(default_factory=list)
    """Texts and thoughts of the response."""
    calls: list[Call] = msgspec.field(default_factory=list)
    reminders: list[str] = msgspec.field(default_factory=list)
    """What the client and its hooks added to the next request, as far as the log shows it."""
    has_attachments: bool = False
    """This log shows what the client adds; older ones never do."""
    has_other_input: bool = False
    """Something else came in: a prompt, a file, a compaction."""
    hooks: list[Hook] = msgspec.field(default_factory=list)
    compacted_ms: int = 0
    """When the context was compacted after this response; 0: it was not."""
    next_input_tokens: int | None = None
    """What the agent's next request was billed; None: there is none, or another model's."""


class Shown(msgspec.Struct, frozen=True):
    """The result of a Read, taken apart."""

    text: str
    """Of the file, without line numbers."""
    first_line: int
    """0: no numbered line, so no text of a file."""
    line_count: int
    prefix: str
    """A key of `caps.LINE_PREFIX_TOKENS`."""
    appended: str
    """What the client put around it: a reminder, or the note on a partial view."""

    @property
    def last_line(self) -> int:
        return self.first_line + self.line_count - 1

    @property
    def is_unnumbered(self) -> bool:
        """Text of another form, such as a notebook's; a bare reminder says the file is empty."""
        return not self.first_line and not self.appended.startswith("<system-reminder>")


class Log:
    """One log file; iterate over it once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.skipped_lines = 0
        """Torn or of another shape, so far."""
        self._agents: dict[str, _Agent] = {}

    def __iter__(self) -> Iterator[Turn]:
        """Yield every turn once its agent's next one begins or the log ends.

        Raises:
            Trouble: the file cannot be read, or no line of it is a session's.
        """
        number = first_skipped = 0
        is_session = False
        own_logs = {path.stem.removeprefix("agent-") for path in subagent_logs(self.path)}
        for number, raw in enumerate(_raw_lines(self.path), 1):
            try:
                line = _line_of(raw, own_logs)
                turn = self._agent(line).take(line) if line.type else None
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                self.skipped_lines += 1
                first_skipped = first_skipped or number
                continue
            is_session = is_session or bool(line.type)
            if turn is not None:
                yield turn
        if not is_session:
            where = (
                f"line {first_skipped or 1} is no JSON of one" if number else "the file is empty"
            )
            raise Trouble(f"{self.path}: not a session log, {where}")
        for agent in self._agents.values():
            if agent.turn is not None:
                yield agent.turn

    def belief(self, agent_id: str) -> Usage:
        """Return what the lines read so far say of an agent's window; "" is the main loop."""
        agent = self._agents.get(agent_id)
        return agent.belief if agent else Usage()

    def _agent(self, line: "_Line") -> "_Agent":
        agent_id = line.agent_id or ("sidechain" if line.is_sidechain else "")
        if agent_id not in self._agents:
            self._agents[agent_id] = _Agent(agent_id)
        return self._agents[agent_id]


def subagent_logs(log: Path) -> list[Path]:
    """Return the logs of a session's subagents: they stand in a folder beside its own."""
    found = log.with_suffix("").glob("subagents/agent-*.jsonl")
    return sorted(path for path in found if path.is_file())


_NUMBERED = re.compile(r" *([0-9]{1,9})(→|\t)(.*)", re.DOTALL)
_PREFIXES = {"→": "arrow6", "\t": "tab"}


def shown_by_read(result: str) -> Shown:
    """Take the result of a Read apart: every line of the file's carries its number."""
    lines: list[str] = []
    appended: list[str] = []
    first_line, prefix = 0, ""
    for line in result.split("\n"):
        found = _NUMBERED.match(line)
        if found is None or (first_line and int(found[1]) != first_line + len(lines)):
            appended.append(line)
            continue
        if not first_line:
            first_line, prefix = int(found[1]), _PREFIXES[found[2]]
        lines.append(found[3])
    return Shown("\n".join(lines), first_line, len(lines), prefix, "\n".join(appended).strip())


class _Agent:
    """The turn that an agent is in."""

    def __init__(self, agent_id: str) -> None:
        self.agent_id = agent_id
        self.turn: Turn | None = None
        self.has_attachments = False
        self.belief = Usage()
        self.belief.is_empty = True

    def take(self, line: "_Line") -> Turn | None:
        """Add a line; return the turn that it ends."""
        match line.type:
            case "assistant":
                return self._take_response(line)
            case "user" if self.turn is not None:
                _take_input(self.turn, line)
            case "attachment":
                self.has_attachments = True
                if self.turn is not None:
                    _take_attachment(self.turn, line)
            case "system" if (line.subtype or "").endswith("compact_boundary"):
                self._take_compaction(line)
        return None

    def _take_response(self, line: "_Line") -> Turn | None:
        message = msgspec.json.decode(line.message, type=_Response)
        if not message.model or message.model == "<synthetic>" or message.usage is None:
            return None
        ended = None
        if self.turn is None or self.turn.message_id != message.id:
            ended, self.turn = self.turn, self._new_turn(line, message)
            if ended is not None:
                ended.has_attachments = self.has_attachments
                if ended.model == self.turn.model:
                    ended.next_input_tokens = message.usage.input_total
        turn = self.turn
        turn.input_tokens = message.usage.input_total
        turn.output_tokens = max(turn.output_tokens, message.usage.output_tokens or 0)
        turn.is_complete = turn.is_complete or message.stop_reason is not None
        blocks = _blocks(message.content)
        turn.messages += any(block.type not in _THOUGHTS for block in blocks)
        for block in blocks:
            if block.type == "tool_use":
                turn.calls.append(Call(block.id or "", block.name or "", block.input or {}))
            elif block.text or block.thinking:
                turn.said.append(block.text or block.thinking or "")
        self._believe(line, message)
        return ended

    def _new_turn(self, line: "_Line", message: "_Response") -> Turn:
        return Turn(
            message.id or "",
            line.session_id or "",
            self.agent_id,
            message.model or "",
            line.version or "",
            line.cwd or "",
            copy(self.belief),
        )

    def _believe(self, line: "_Line", message: "_Response") -> None:
        model, usage = message.model or "", message.usage or _Usage()
        requested = line.requested_model or ""
        self.belief = belief = Usage()
        belief.model = requested if requested.startswith(model) else model
        belief.client_version = line.version or ""
        belief.at_ms = unix_ms(line.timestamp)
        belief.used_tokens = usage.input_total + (usage.output_tokens or 0)

    def _take_compaction(self, line: "_Line") -> None:
        if self.turn is not None:
            self.turn.has_other_input = True
        if line.subtype != "compact_boundary":
            return
        kept = msgspec.json.decode(line.compact_metadata or b"{}", type=_Compaction)
        self.belief = belief = copy(self.belief)
        belief.compacted_ms = belief.at_ms = unix_ms(line.timestamp)
        belief.used_tokens = kept.post_tokens
        belief.is_empty = False
        if self.turn is not None:
            self.turn.compacted_ms = belief.compacted_ms


def _take_input(turn: Turn, line: "_Line") -> None:
    message = msgspec.json.decode(line.message, type=_Input)
    calls = {call.id: call for call in turn.calls}
    for block in _blocks(message.content):
        call = calls.get(block.tool_use_id or "")
        if block.type != "tool_result" or call is None:
            turn.has_other_input = True
            continue
        parts = _blocks(msgspec.json.decode(block.content or b"[]", type=str | list[_Block]))
        call.has_result = True
        call.text = "\n".join([part.text or "" for part in parts])
        call.is_text = all(part.type == "text" for part in parts)
        call.is_error = block.is_error is True
        call.at_ms = unix_ms(line.timestamp)
        if call.tool == "Read":
            call.total_lines = _total_lines(line.tool_use_result)


def _total_lines(result: msgspec.Raw) -> int:
    try:
        found = msgspec.json.decode(result or b"{}", type=_ReadResult)
    except msgspec.ValidationError:  # a text: the call failed
        return 0
    return (found.file.total_lines if found.file else 0) or 0


def _take_attachment(turn: Turn, line: "_Line") -> None:
    found = msgspec.json.decode(line.attachment, type=_Attachment)
    kind = found.type or ""
    if line.rendered is None:
        content = found.content if isinstance(found.content, list) else [found.content]
        texts = [text for text in content if isinstance(text, str) and text]
    else:
        texts = [
            rendered.content for rendered in line.rendered if isinstance(rendered.content, str)
        ]
    if kind.startswith("hook_"):
        turn.hooks.append(Hook(found.command or "", found.duration_ms))
    elif not kind.endswith("_reminder"):
        turn.has_other_input = turn.has_other_input or line.rendered is None or bool(texts)
        return
    turn.reminders += texts


def _raw_lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while raw := file.readline(LONGEST_LINE_BYTES):
                yield raw
    except OSError as error:
        raise Trouble(f"{path}: {error.strerror}") from error


def _line_of(raw: bytes, own_logs: set[str]) -> "_Line":
    """Decode a line; one that reports a subagent's becomes the subagent's own.

    Such a report is passed over where the subagent has a log of its own.
    """
    line = _LINES.decode(raw)
    if line.type != "progress":
        return line
    report = msgspec.json.decode(line.data or b"{}", type=_Progress)
    if report.type != "agent_progress" or not report.message or report.agent_id in own_logs:
        return line
    inner = _LINES.decode(report.message)
    inner.agent_id = report.agent_id
    inner.session_id, inner.cwd, inner.version = line.session_id, line.cwd, line.version
    return inner


# What is read of a line. Every field may be missing or null; another type skips the line.


class _Rendered(msgspec.Struct):
    content: Any = None


class _Line(msgspec.Struct, rename="camel"):
    type: str = ""
    subtype: str | None = None
    is_sidechain: bool | None = None
    agent_id: str | None = None
    session_id: str | None = None
    cwd: str | None = None
    version: str | None = None
    timestamp: str | None = None
    requested_model: str | None = None
    message: msgspec.Raw = msgspec.Raw()
    compact_metadata: msgspec.Raw = msgspec.Raw()
    attachment: msgspec.Raw = msgspec.Raw()
    rendered: list[_Rendered] | None = None
    tool_use_result: msgspec.Raw = msgspec.Raw()
    data: msgspec.Raw = msgspec.Raw()


class _Progress(msgspec.Struct):
    type: str | None = None
    agent_id: str | None = msgspec.field(name="agentId", default=None)
    message: msgspec.Raw = msgspec.Raw()


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    output_tokens: int | None = None

    @property
    def input_total(self) -> int:
        return (
            (self.input_tokens or 0)
            + (self.cache_read_input_tokens or 0)
            + (self.cache_creation_input_tokens or 0)
        )


class _Block(msgspec.Struct):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: dict[str, Any] | None = None
    tool_use_id: str | None = None
    is_error: bool | None = None
    content: msgspec.Raw = msgspec.Raw()


class _Response(msgspec.Struct):
    id: str | None = None
    model: str | None = None
    usage: _Usage | None = None
    stop_reason: str | None = None
    content: str | list[_Block] | None = None


class _Input(msgspec.Struct):
    content: str | list[_Block] | None = None


class _File(msgspec.Struct, rename="camel"):
    total_lines: int | None = None


class _ReadResult(msgspec.Struct):
    file: _File | None = None


class _Compaction(msgspec.Struct, rename="camel"):
    post_tokens: int | None = None


class _Attachment(msgspec.Struct, rename="camel"):
    type: str | None = None
    content: Any = None
    command: str | None = None
    duration_ms: int | None = None


_LINES = msgspec.json.Decoder(_Line)
_THOUGHTS = ("thinking", "redacted_thinking")


def _blocks(content: str | list[_Block] | None) -> list[_Block]:
    if isinstance(content, str):
        return [_Block("text", content)]
    return content or []
