"""A Messages API on loopback that plays scripted turns and keeps every request it was sent.

    with ScriptedAPI([calls(("Read", {"file_path": path})), says("done")]) as api:
        ...                                  # run the client with ANTHROPIC_BASE_URL=api.url
    api.requests[-1].results                 # what the model was shown, call by call

A request with tools belongs to the first agent lane whose key occurs in its opening message, else
to the main lane. Each lane plays its turns in order and then says "done". A request without tools
(titles, classifiers) is answered with harmless text.
"""

import json
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from time import perf_counter
from typing import Any, Self

MAIN = "main"
ASIDE = "aside"


@dataclass(frozen=True)
class Turn:
    """One answer of the model."""

    blocks: list[dict[str, Any]]
    input_tokens: int = 10
    """What the bill says the request was; it is what the client and the guard take for used."""
    refusal: str = ""
    """The API answers with this error instead."""


def says(text: str, input_tokens: int = 10) -> Turn:
    """Return a turn of plain text, which ends the agent's loop."""
    return Turn([{"type": "text", "text": text}], input_tokens)


def calls(*wanted: tuple[str, dict[str, Any]], input_tokens: int = 10) -> Turn:
    """Return a turn of tool calls, each a tool's name and its input."""
    blocks = [{"type": "tool_use", "name": tool, "input": given} for tool, given in wanted]
    return Turn(blocks, input_tokens)


def refuses(message: str) -> Turn:
    """Return a turn in which the API turns the request down."""
    return Turn([], refusal=message)


@dataclass(frozen=True)
class Result:
    """What the model was shown for one of its tool calls."""

    tool: str
    given: dict[str, Any]
    is_error: bool
    text: str


@dataclass(frozen=True)
class Request:
    """One request that carried a conversation."""

    lane: str
    """MAIN, ASIDE or the key of an agent lane."""
    body: dict[str, Any]
    raw: bytes
    """The body as it came over the wire."""
    at_s: float = field(default_factory=perf_counter)
    """When it came: what lies between two is the client's own time, its hooks and tools."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.body["messages"]

    @property
    def results(self) -> list[Result]:
        """Every tool result in the conversation, in order."""
        made = {
            block["id"]: block
            for message in self.messages
            for block in blocks_of(message)
            if block["type"] == "tool_use"
        }
        return [
            Result(
                made[block["tool_use_id"]]["name"],
                made[block["tool_use_id"]]["input"],
                bool(block.get("is_error")),
                text_of(block),
            )
            for message in self.messages
            for block in blocks_of(message)
            if block["type"] == "tool_result"
        ]

    @property
    def is_summary(self) -> bool:
        """Whether the conversation is to be summed up, which is what a compaction sends."""
        return "Respond with TEXT ONLY" in self.news

    @property
    def news(self) -> str:
        """All text after the last assistant message: results, and what hooks added."""
        tail: list[str] = []
        for message in reversed(self.messages):
            if message["role"] == "assistant":
                break
            tail[:0] = [text_of(block) for block in blocks_of(message)]
        return "\n".join(tail)


def blocks_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the message's content blocks; a bare string is one block of text."""
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def text_of(block: dict[str, Any]) -> str:
    """Return the text of a text block, or of everything inside a tool result."""
    if block["type"] == "text":
        return block["text"]
    return "\n".join(text_of(inner) for inner in blocks_of(block))


@dataclass
class ScriptedAPI:
    """The server; a context manager."""

    main: Iterable[Turn]
    """A generator may look at `sent()` before it yields."""
    agents: dict[str, Iterable[Turn]] = field(default_factory=dict)
    """A text in an agent's opening message: the turns of that agent."""
    requests: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lanes = {lane: iter(turns) for lane, turns in {MAIN: self.main, **self.agents}.items()}
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler_for(self))
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def sent(self, lane: str = MAIN) -> list[Request]:
        """Return the requests of one lane, in order."""
        return [request for request in self.requests if request.lane == lane]

    def turn_for(self, body: dict[str, Any], raw: bytes) -> Turn:
        """Note the request and return the answer that its lane has next."""
        with self.lock:
            request = Request(self.lane_of(body), body, raw)
            self.requests.append(request)
            return next(self.lanes.get(request.lane, iter([])), says('{"title": "done"}'))

    def lane_of(self, body: dict[str, Any]) -> str:
        if not body.get("tools"):
            return ASIDE
        opening = ""
        for message in body["messages"]:
            if message["role"] == "assistant":
                break
            opening += "".join(text_of(block) for block in blocks_of(message))
        return next((key for key in self.agents if key in opening), MAIN)


def handler_for(api: ScriptedAPI) -> type[BaseHTTPRequestHandler]:
    """Return the request handler class that answers for *api*."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["content-length"]))
            body = json.loads(raw or "{}")
            path = self.path.partition("?")[0]
            if path.endswith("/count_tokens"):
                self.send("application/json", json.dumps(counted(body)))
            elif path.endswith("/messages"):
                turn = api.turn_for(body, raw)
                message = message_of(turn, body["model"])
                if turn.refusal:
                    self.send("application/json", error_of(turn), 400)
                elif body.get("stream"):
                    self.send("text/event-stream", "".join(events(message)))
                else:
                    self.send("application/json", json.dumps(message))
            else:
                self.send("application/json", "{}")

        def do_GET(self) -> None:
            self.send("application/json", "{}")

        def do_HEAD(self) -> None:
            self.send("application/json", "")

        def send(self, kind: str, text: str, status: int = 200) -> None:
            data = text.encode()
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


def error_of(turn: Turn) -> str:
    """Return the body of the API's error."""
    error = {"type": "invalid_request_error", "message": turn.refusal}
    return json.dumps({"type": "error", "error": error})


def counted(body: dict[str, Any]) -> dict[str, int]:
    """Return a count that grows with the text; the client asks before it shows a long Read."""
    text = "".join(text_of(block) for message in body["messages"] for block in blocks_of(message))
    return {"input_tokens": len(text.encode()) // 3}


NUMBERS = count(1)


def message_of(turn: Turn, model: str) -> dict[str, Any]:
    """Return the turn as a complete API message."""
    blocks = [
        {**block, "id": f"toolu_{next(NUMBERS):024}"} if block["type"] == "tool_use" else block
        for block in turn.blocks
    ]
    asks = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": f"msg_{next(NUMBERS):024}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks,
        "stop_reason": "tool_use" if asks else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": turn.input_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 5,
        },
    }


def events(message: dict[str, Any]) -> Iterator[str]:
    """Yield the message as the server-sent events of a streamed answer."""
    yield event("message_start", message={**message, "content": [], "stop_reason": None})
    for index, block in enumerate(message["content"]):
        if block["type"] == "tool_use":
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            empty = {**block, "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        yield event("content_block_start", index=index, content_block=empty)
        yield event("content_block_delta", index=index, delta=delta)
        yield event("content_block_stop", index=index)
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=end, usage=message["usage"])
    yield event("message_stop")


def event(kind: str, **fields: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"
