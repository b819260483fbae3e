"""A session's log, line by line as the client writes it, with the bills that a provider sends."""

import json
from pathlib import Path
from typing import Any

from priced_context.bills import text_tokens


class SessionLog:
    """One agent's log that grows; every line hangs on the one before."""

    def __init__(
        self, path: Path, model: str = "claude-opus-4-6", agent_id: str = "", cwd: str = ""
    ):
        self.path = path
        self.model = model
        self.agent_id = agent_id
        self.cwd = cwd or str(path.parent)
        self.last: str | None = None
        self.lines = 0
        self.clock = 0

    def line(self, kind: str, **fields: Any) -> str:
        """Write a line, a second later than the one before, and return its uuid."""
        self.lines += 1
        self.clock += 1
        uuid = f"u{self.lines}"
        common = {
            "type": kind,
            "uuid": uuid,
            "parentUuid": self.last,
            "isSidechain": bool(self.agent_id),
            "timestamp": f"2026-01-01T{self.clock // 3600:02}:{self.clock // 60 % 60:02}:"
            f"{self.clock % 60:02}.000Z",
            "version": "2.1.332",
            "sessionId": "s1",
            "cwd": self.cwd,
        }
        if self.agent_id:
            common["agentId"] = self.agent_id
        self.append(common | fields)
        self.last = uuid
        return uuid

    def append(self, line: dict[str, Any]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def says(self, text: str = "go on") -> str:
        """The user's prompt."""
        return self.line("user", message={"role": "user", "content": text})

    def answers(self, used: int, *blocks: dict[str, Any], id: str = "", output: int = 0) -> str:  # noqa: A002 - the API's word
        """A response that leaves *used* tokens in the window."""
        content = list(blocks) or [{"type": "text", "text": "done"}]
        cached = used - output - 3
        written = min(500, cached)
        message = {
            "id": id or f"msg_{self.lines}",
            "role": "assistant",
            "model": self.model,
            "content": content,
            "stop_reason": "tool_use" if content[-1]["type"] == "tool_use" else "end_turn",
            "usage": {
                "input_tokens": 3,
                "cache_read_input_tokens": cached - written,
                "cache_creation_input_tokens": written,
                "output_tokens": output,
            },
        }
        return self.line("assistant", message=message, requestedModel=self.model)

    def calls(self, used: int, tool: str, id: str = "", **given: Any) -> str:  # noqa: A002
        """A response that calls one tool; returns the call's id."""
        call = id or f"toolu_{self.lines}"
        self.answers(used, {"type": "tool_use", "id": call, "name": tool, "input": given})
        return call

    def results(self, call: str, text: str, *, is_error: bool = False, **fields: Any) -> str:
        block = {"type": "tool_result", "tool_use_id": call, "content": text}
        if is_error:
            block["is_error"] = True
        message = {"role": "user", "content": [block]}
        return self.line("user", message=message, sourceToolAssistantUUID=self.last, **fields)

    def requests(self) -> None:
        """Note that a request goes out, as newer clients do."""
        self.append({"type": "api-request", "id": f"r{self.lines}"})

    def fails(self, text: str = "Prompt is too long") -> str:
        """The API's refusal, as the client logs it."""
        message = {
            "id": "x",
            "role": "assistant",
            "model": "<synthetic>",
            "content": [{"type": "text", "text": text}],
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
        return self.line("assistant", message=message, isApiErrorMessage=True)

    def boundary(self, left: int, kept: tuple[str, ...] = (), before: int = 0) -> None:
        metadata: dict[str, Any] = {"trigger": "manual", "preTokens": before, "postTokens": left}
        if kept:
            metadata["preservedMessages"] = {"allUuids": list(kept)}
        self.last = None
        self.line("system", subtype="compact_boundary", compactMetadata=metadata)

    def compacts(self, left: int, kept: tuple[str, ...] = ()) -> None:
        """A boundary and the summary after it."""
        self.boundary(left, kept)
        self.line(
            "user",
            message={"role": "user", "content": "This session is being continued. Summary: x"},
            isCompactSummary=True,
        )


class Logbook(SessionLog):
    """A log that keeps account: a token of text is billed at `rate` times our own estimate."""

    def __init__(
        self,
        path: Path,
        model: str = "claude-opus-4-8",
        cwd: str = "/home/u/project",
        agent_id: str = "",
        rate: float = 1.0,
    ):
        super().__init__(path, model, agent_id, cwd)
        self.rate = rate
        self.used = 20_000
        self.call_count = 0

    @property
    def now_ms(self) -> int:
        """When the last line was written."""
        return 1_767_225_600_000 + self.clock * 1000

    def respond(self, *calls: tuple[str, dict[str, Any]], output: int = 90) -> list[str]:
        """Write a response of one text and these calls, a line a block; return the calls' ids."""
        blocks: list[dict[str, Any]] = [{"type": "text", "text": "Looking."}]
        for tool, tool_input in calls:
            self.call_count += 1
            call_id = f"call{self.call_count}"
            blocks.append({"type": "tool_use", "id": call_id, "name": tool, "input": tool_input})
        self.used += output
        response_id = f"msg{self.agent_id}{self.lines}"
        for block in blocks:
            self.answers(self.used, block, id=response_id, output=output)
        return [block["id"] for block in blocks[1:]]

    def show(self, call_id: str, text: str, *, frame: int = 4, **fields: Any) -> None:
        """Write a result; `is_error` and `toolUseResult` may be given."""
        self.results(call_id, text, **fields)
        self.used += round(text_tokens(text, self.model) * self.rate) + frame

    def read(self, name: str, text: str, first_line: int = 1, **tool_input: Any) -> None:
        """Write a whole turn: a Read and what it showed."""
        path = f"{self.cwd}/{name}"
        (call_id,) = self.respond(("Read", {"file_path": path} | tool_input))
        self.show(call_id, numbered(text, first_line))

    def compact(self, left: int = 9_000) -> None:
        """A compaction without its summary: what comes next is billed."""
        self.boundary(left, before=self.used)
        self.used = left


def numbered(text: str, first_line: int = 1) -> str:
    """Return *text* as the client's Read shows it."""
    lines = text.split("\n")
    return "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, first_line))


def at_share(free: float, window: int = 200_000, reservation: int = 20_000) -> int:
    """Return the largest use that leaves at least this share of the window free."""
    used = int((window * (1 - free) - reservation) / 1.02)
    while window - used - reservation - max(1_000, used // 50) < free * window:
        used -= 1
    while window - (used + 1) - reservation - max(1_000, (used + 1) // 50) >= free * window:
        used += 1
    return used
