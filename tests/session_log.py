"""A session's log, line by line as the client writes it."""

import json
from pathlib import Path
from typing import Any


class SessionLog:
    """One agent's log that grows; every line hangs on the one before."""

    def __init__(self, path: Path, model: str = "claude-opus-4-6", agent_id: str = ""):
        self.path = path
        self.model = model
        self.agent_id = agent_id
        self.last: str | None = None
        self.lines = 0
        self.clock = 0

    def line(self, kind: str, **fields: Any) -> str:
        """Write a line and return its uuid."""
        self.lines += 1
        self.clock += 1
        uuid = f"u{self.lines}"
        common = {
            "type": kind,
            "uuid": uuid,
            "parentUuid": self.last,
            "isSidechain": bool(self.agent_id),
            "timestamp": f"2026-01-01T00:{self.clock // 60:02}:{self.clock % 60:02}.000Z",
            "version": "2.1.332",
            "cwd": str(self.path.parent),
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

    def says(self, text: str) -> str:
        """The user's prompt."""
        return self.line("user", message={"role": "user", "content": text})

    def answers(self, used: int, *blocks: dict[str, Any], id: str = "", output: int = 0) -> str:  # noqa: A002 - the API's word
        """A response that leaves *used* tokens in the window."""
        content = list(blocks) or [{"type": "text", "text": "done"}]
        message = {
            "id": id or f"msg_{self.lines}",
            "role": "assistant",
            "model": self.model,
            "content": content,
            "usage": {
                "input_tokens": 3,
                "cache_read_input_tokens": used - output - 3,
                "cache_creation_input_tokens": 0,
                "output_tokens": output,
            },
        }
        return self.line("assistant", message=message)

    def calls(self, used: int, tool: str, id: str = "", **given: Any) -> str:  # noqa: A002
        """A response that calls one tool; returns the call's id."""
        call = id or f"toolu_{self.lines}"
        self.answers(used, {"type": "tool_use", "id": call, "name": tool, "input": given})
        return call

    def results(self, call: str, text: str, *, is_error: bool = False) -> str:
        block = {"type": "tool_result", "tool_use_id": call, "content": text}
        if is_error:
            block["is_error"] = True
        message = {"role": "user", "content": [block]}
        return self.line("user", message=message, sourceToolAssistantUUID=self.last)

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

    def compacts(self, left: int, kept: tuple[str, ...] = ()) -> None:
        """A boundary and the summary after it."""
        metadata: dict[str, Any] = {"trigger": "manual", "preTokens": 0, "postTokens": left}
        if kept:
            metadata["preservedMessages"] = {"allUuids": list(kept)}
        self.last = None
        self.line("system", subtype="compact_boundary", compactMetadata=metadata)
        self.line(
            "user",
            message={"role": "user", "content": "This session is being continued. Summary: x"},
            isCompactSummary=True,
        )


def at_share(free: float, window: int = 200_000, reservation: int = 20_000) -> int:
    """Return the largest use that leaves at least this share of the window free."""
    used = int((window * (1 - free) - reservation) / 1.02)
    while window - used - reservation - max(1_000, used // 50) < free * window:
        used -= 1
    while window - (used + 1) - reservation - max(1_000, (used + 1) // 50) >= free * window:
        used += 1
    return used
