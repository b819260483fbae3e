"""A session's log as the client writes it, with the bills that a provider would send."""

import json
from pathlib import Path
from typing import Any

from priced_context.bills import text_tokens


class Logbook:
    """Writes turns to a log. Every token of text is billed at `rate` times our own estimate."""

    def __init__(
        self,
        path: Path,
        model: str = "claude-opus-4-8",
        cwd: str = "/home/u/project",
        agent_id: str = "",
        rate: float = 1.0,
    ) -> None:
        self.path = path
        self.model = model
        self.cwd = cwd
        self.agent_id = agent_id
        self.rate = rate
        self.used = 20_000
        self.second = 0
        self.calls = 0
        self.responses = 0
        path.parent.mkdir(parents=True, exist_ok=True)

    def line(self, **fields: Any) -> None:
        """Append one line, a second later than the one before."""
        self.second += 1
        agent = {"agentId": self.agent_id} if self.agent_id else {}
        common = {
            "isSidechain": bool(self.agent_id),
            "sessionId": "s1",
            "cwd": self.cwd,
            "version": "2.1.332",
            "timestamp": f"2026-01-01T{self.second // 3600:02}:{self.second // 60 % 60:02}:"
            f"{self.second % 60:02}.000Z",
        }
        with self.path.open("a") as file:
            file.write(json.dumps(common | agent | fields) + "\n")

    @property
    def now_ms(self) -> int:
        """When the last line was written."""
        return 1_767_225_600_000 + self.second * 1000

    def prompt(self, text: str = "go on") -> None:
        self.line(type="user", message={"role": "user", "content": text})

    def respond(self, *calls: tuple[str, dict[str, Any]], output: int = 90) -> list[str]:
        """Write a response of one text and these calls, a line a block; return the calls' ids."""
        self.responses += 1
        blocks: list[dict[str, Any]] = [{"type": "text", "text": "Looking."}]
        for tool, tool_input in calls:
            self.calls += 1
            use = {"type": "tool_use", "id": f"call{self.calls}", "name": tool, "input": tool_input}
            blocks.append(use)
        usage = {
            "input_tokens": 3,
            "cache_creation_input_tokens": 500,
            "cache_read_input_tokens": self.used - 503,
            "output_tokens": output,
        }
        for block in blocks:
            message = {
                "id": f"msg{self.agent_id}{self.responses}",
                "model": self.model,
                "role": "assistant",
                "stop_reason": "tool_use",
                "usage": usage,
                "content": [block],
            }
            self.line(type="assistant", message=message, requestedModel=self.model)
        self.used += output
        return [block["id"] for block in blocks[1:]]

    def show(self, call_id: str, text: str, *, frame: int = 4, **fields: Any) -> None:
        """Write a result; `is_error` and `toolUseResult` may be given."""
        result = {"type": "tool_result", "tool_use_id": call_id, "content": text}
        if fields.pop("is_error", False):
            result["is_error"] = True
        self.line(type="user", message={"role": "user", "content": [result]}, **fields)
        self.used += round(text_tokens(text, self.model) * self.rate) + frame

    def read(self, name: str, text: str, first_line: int = 1, **tool_input: Any) -> None:
        """Write a whole turn: a Read and what it showed."""
        path = f"{self.cwd}/{name}"
        (call_id,) = self.respond(("Read", {"file_path": path} | tool_input))
        self.show(call_id, numbered(text, first_line))

    def compact(self, kept: int = 9_000) -> None:
        metadata = {"trigger": "auto", "preTokens": self.used, "postTokens": kept}
        self.line(type="system", subtype="compact_boundary", compactMetadata=metadata)
        self.used = kept


def numbered(text: str, first_line: int = 1) -> str:
    """Return *text* as the client's Read shows it."""
    lines = text.split("\n")
    return "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, first_line))
