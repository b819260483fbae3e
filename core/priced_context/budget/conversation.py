"""A session log → the messages of the agent's next request, and what its requests were billed.

The request holds what stands after the last compaction, on the branch that was last answered: a
prompt that the user took back stays in the log and is not sent. Newer clients also log the system
prompt and the tools (`api-request-shape`); of older ones these are known only by what they cost.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from priced_context.console import Trouble
from priced_context.window import used_tokens_of

Shape = TypeVar("Shape")


class Message(msgspec.Struct):
    """One message of the request, its content still as the log spells it."""

    role: str
    content: list[msgspec.Raw]
    """Blocks, or one string."""

    def encode(self) -> bytes:
        """Return the message as JSON."""
        content = b",".join(map(bytes, self.content))
        if not content.startswith(b'"'):
            content = b"[" + content + b"]"
        return b'{"role":"%s","content":%s}' % (self.role.encode(), content)


class Response(msgspec.Struct, frozen=True):
    """One billed answer of the model."""

    id: str
    model: str
    input_tokens: int
    used_tokens: int
    """Input and output: what the window holds once it has been given."""
    place: int = -1
    """Its message's place in the request; -1: a compaction took it out."""


class Conversation(msgspec.Struct):
    """What one agent's log says of its next request."""

    messages: list[Message] = msgspec.field(default_factory=list)
    responses: list[Response] = msgspec.field(default_factory=list)
    """Since the session began, each once, oldest first."""
    growths: list[int] = msgspec.field(default_factory=list)
    """Tokens by which the window filled from one response to the next, between compactions."""
    system: bytes = b""
    """JSON, where the client logs it."""
    tools: bytes = b""
    is_refused: bool = False
    """The newest message is an error of the API."""
    is_unanswered: bool | None = None
    """A request was sent and has no answer yet; None: this client does not log its requests."""

    @property
    def billed(self) -> list[Message]:
        """What the last bill covers: all up to the last response, and that too."""
        return self.messages[: self._billed_count]

    @property
    def pending(self) -> list[Message]:
        """What came in since and was never billed."""
        return self.messages[self._billed_count :]

    @property
    def _billed_count(self) -> int:
        return max((response.place + 1 for response in self.responses), default=0)

    @property
    def last_id(self) -> str:
        """The id of the last billed response; "" before the first."""
        return self.responses[-1].id if self.responses else ""

    @property
    def model(self) -> str:
        """The model of the last response; "" before the first."""
        return self.responses[-1].model if self.responses else ""

    def first_of(self, model: str) -> Response | None:
        """Return the first response of *model* that the request still holds."""
        kept = (response for response in self.responses if response.place >= 0)
        return next((response for response in kept if response.model == model), None)


def read_conversation(log: Path, agent_id: str = "") -> Conversation:
    """Read the whole log of one agent; torn lines and lines of another shape are passed over.

    Raises:
        Trouble: the file cannot be read.
    """
    conversation = Conversation()
    entries: list[_Entry] = []
    used = 0
    for line in _lines(log):
        if line.type == "api-request-shape":
            _take_shape(conversation, line)
        elif line.type == "api-request":
            conversation.is_unanswered = True
        elif bool(line.is_sidechain) != bool(agent_id):
            continue
        elif line.subtype == "compact_boundary":
            entries = [*_preserved(entries, line), _Entry(line.uuid, line.parent_uuid)]
            used = 0
        elif line.type in ("user", "assistant", "attachment"):
            if line.type != "attachment":
                conversation.is_refused = line.is_api_error_message is True
            entry = _entry_of(line)
            if conversation.is_unanswered and line.type == "assistant":
                conversation.is_unanswered = False
            if entry.answer is not None:
                used = _take_bill(conversation, entry.answer, used)
            entries.append(entry)
    _take_messages(conversation, _answered(entries))
    return conversation


class _Entry(msgspec.Struct):
    """What one line adds to the request."""

    uuid: str | None
    parent_uuid: str | None
    messages: list[Message] = msgspec.field(default_factory=list)
    answer: "_Answer | None" = None
    """Of the model; its blocks join the message of its id."""
    is_beside: bool = False
    """Hangs on the branch without being on it: a tool's result, an attachment."""


def _entry_of(line: "_Line") -> _Entry:
    entry = _Entry(line.uuid, line.parent_uuid)
    if line.type == "assistant":
        answer = _decoded(line.message, _Answer)
        entry.answer = answer if answer is not None and answer.is_billed else None
    elif line.type == "user":
        entry.is_beside = bool(line.tool_use_result or line.source_tool_assistant_uuid)
        said = _decoded(line.message, _Input)
        if said is not None and len(said.content) > len("[]"):
            entry.messages = [Message("user", _blocks(said.content))]
    else:
        entry.is_beside = True
        entry.messages = list(_attached(line))
    return entry


def _blocks(content: msgspec.Raw) -> list[msgspec.Raw]:
    is_list = bytes(content).startswith(b"[")
    return msgspec.json.decode(content, type=list[msgspec.Raw]) if is_list else [content]


def _attached(line: "_Line") -> Iterator[Message]:
    """Yield what the client added to the request beside prompt and results."""
    if line.rendered is not None:
        for rendered in line.rendered:
            if isinstance(rendered.content, str) and rendered.content:
                yield Message("user", [msgspec.Raw(msgspec.json.encode(rendered.content))])
        return
    attachment = _decoded(line.attachment, _Attachment)
    if attachment is not None and attachment.type == "file" and attachment.content.file.content:
        source = {"type": "text", "data": attachment.content.file.content}
        document = {"type": "document", "source": source, "title": attachment.filename}
        yield Message("user", [msgspec.Raw(msgspec.json.encode(document))])


def _take_bill(conversation: Conversation, answer: "_Answer", used: int) -> int:
    """Note a response once, by its last line; return what the window now holds."""
    counts = answer.usage or {}
    now = used_tokens_of(counts)
    produced = used_tokens_of({"output_tokens": counts.get("output_tokens")})
    response = Response(answer.id, answer.model, now - produced, now)
    responses, growths = conversation.responses, conversation.growths
    if responses and responses[-1].id == response.id:
        responses[-1] = response
        growths[-1] += max(0, now - used)
    else:
        responses.append(response)
        growths.append(max(0, now - used) if used else 0)
    return now


def _take_shape(conversation: Conversation, line: "_Line") -> None:
    shape = _decoded(line.shape, dict[str, msgspec.Raw]) or {}
    tools = bytes(shape.get("tools", b""))
    if tools.startswith(b"[{"):  # else a request beside the conversation, for a title say
        conversation.tools = tools
        conversation.system = bytes(shape.get("system", b"[]"))


def _preserved(entries: list[_Entry], boundary: "_Line") -> list[_Entry]:
    """Return what the client carries over a compaction as it stands."""
    found = _decoded(boundary.compact_metadata, _Compaction)
    uuids = set(found.preserved_messages.all_uuids) if found else set()
    for entry in (kept := [entry for entry in entries if entry.uuid in uuids]):
        entry.parent_uuid = boundary.uuid
        entry.is_beside = True
    return kept


def _answered(entries: list[_Entry]) -> list[_Entry]:
    """Return what is on the branch of the last response, and whatever came after that.

    Results of parallel calls and attachments hang beside the branch. Where the chain of parents is
    broken, everything counts.
    """
    last = max((i for i, entry in enumerate(entries) if entry.answer), default=-1)
    known: dict[str | None, _Entry] = {entry.uuid: entry for entry in entries if entry.uuid}
    branch: set[str | None] = set()
    step = entries[last] if last >= 0 else None
    while step is not None and step.uuid not in branch:
        branch.add(step.uuid)
        if step.parent_uuid and step.parent_uuid not in known:
            return entries
        step = known.get(step.parent_uuid)
    if None in branch or last < 0:
        return entries
    kept = []
    for number, entry in enumerate(entries):
        is_beside = entry.is_beside and entry.parent_uuid in branch
        if number > last or entry.uuid in branch or is_beside:
            branch.add(entry.uuid)
            kept.append(entry)
    return kept


def _take_messages(conversation: Conversation, entries: list[_Entry]) -> None:
    """Build the messages and give every response its place among them."""
    places: dict[str, int] = {}
    messages = conversation.messages
    for entry in entries:
        messages += entry.messages
        if entry.answer is not None and len(entry.answer.content):
            place = places.setdefault(entry.answer.id, len(messages))
            if place == len(messages):
                messages.append(Message("assistant", []))
            messages[place].content += _blocks(entry.answer.content)
    conversation.responses = [
        msgspec.structs.replace(response, place=places.get(response.id, -1))
        for response in conversation.responses
    ]


def _lines(log: Path) -> Iterator["_Line"]:
    """Yield the lines that can be read.

    Raises:
        Trouble: the file cannot be read.
    """
    try:
        with log.open("rb") as file:
            for raw in file:
                line = _decoded(raw, _Line)
                if line is not None:
                    yield line
    except OSError as error:
        raise Trouble(f"{log}: {error.strerror}") from error


def _decoded(raw: bytes | msgspec.Raw, shape: type[Shape]) -> Shape | None:
    try:
        return msgspec.json.decode(raw, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


# What is read of a line. Every field may be missing; another type passes the line over.


class _Rendered(msgspec.Struct):
    content: Any = None


class _Line(msgspec.Struct, rename="camel"):
    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    is_sidechain: bool | None = None
    is_api_error_message: bool | None = None
    message: msgspec.Raw = msgspec.Raw()
    compact_metadata: msgspec.Raw = msgspec.Raw()
    attachment: msgspec.Raw = msgspec.Raw()
    rendered: list[_Rendered] | None = None
    shape: msgspec.Raw = msgspec.Raw()
    tool_use_result: msgspec.Raw = msgspec.Raw()
    source_tool_assistant_uuid: str | None = msgspec.field(
        name="sourceToolAssistantUUID", default=None
    )


class _Answer(msgspec.Struct):
    id: str = ""
    model: str = ""
    usage: dict[str, Any] | None = None
    content: msgspec.Raw = msgspec.Raw()

    @property
    def is_billed(self) -> bool:
        return bool(self.id and self.model and self.usage) and self.model != "<synthetic>"


class _Input(msgspec.Struct):
    content: msgspec.Raw = msgspec.Raw()


class _Held(msgspec.Struct):
    content: str | None = None


class _File(msgspec.Struct):
    file: _Held = msgspec.field(default_factory=_Held)


class _Attachment(msgspec.Struct):
    type: str | None = None
    filename: str | None = None
    content: _File = msgspec.field(default_factory=_File)


class _PreservedMessages(msgspec.Struct, rename="camel"):
    all_uuids: list[str] = msgspec.field(default_factory=list)


class _Compaction(msgspec.Struct, rename="camel"):
    preserved_messages: _PreservedMessages = msgspec.field(default_factory=_PreservedMessages)
