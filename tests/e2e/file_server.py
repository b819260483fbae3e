"""A server of files over stdio, as small as the protocol allows: one tool, `read_file`.

usage: python file_server.py        one JSON-RPC message a line on stdin, answers on stdout
"""

import json
import sys
from pathlib import Path
from typing import Any

TOOL = {
    "name": "read_file",
    "description": "Read a file as text.",
    "inputSchema": {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
}


def answer_to(method: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the result of one request."""
    if method == "initialize":
        return {
            "protocolVersion": given["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "files", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        text = Path(given["arguments"]["path"].removeprefix("remote:")).read_text()
        return {"content": [{"type": "text", "text": text}]}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:  # else a notification
        result = answer_to(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
