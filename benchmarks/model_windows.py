"""What the real client takes for each model's window and longest output, and what its log says.

usage: python benchmarks/model_windows.py [--json FILE] [MODEL…]

Offline: the client (tests/e2e/real_client.py says which) plays one scripted turn a model.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "e2e"))

from real_client import Client, fetch, installed, lines_of
from scripted_api import ScriptedAPI, says

MODELS = (
    "claude-opus-5-5",
    "claude-opus-5",
    "claude-sonnet-5-5",
    "claude-sonnet-5",
    "claude-haiku-5",
    "claude-fable-5",
    "claude-mythos-5",
    "claude-opus-4-8",
    "claude-opus-4-7",
    "claude-opus-4-6",
    "claude-opus-4-5",
    "claude-opus-4-1",
    "claude-opus-4",
    "claude-sonnet-4-6",
    "claude-sonnet-4-5",
    "claude-sonnet-4-5[1m]",
    "claude-sonnet-4",
    "claude-haiku-4-5",
    "claude-3-7-sonnet",
    "claude-3-5-haiku",
    "an-unknown-model",
)


def measure(client: Client, model: str) -> dict[str, object]:
    """Return what the client reports and logs after one turn with the model."""
    client.forget()
    session = client.run(ScriptedAPI([says("hello")]), "--output-format", "json", model=model)
    if session.exit_code:
        return {"model": model, "error": (session.output or session.stderr)[:200]}
    usage = json.loads(session.output)["modelUsage"]
    line = next(
        record
        for log in session.transcripts
        for record in lines_of(log)
        if record["type"] == "assistant"
    )
    return {
        "model": model,
        "requested": session.api.sent()[-1].body["model"],
        "reported": {
            name: {"window": told["contextWindow"], "max_output": told["maxOutputTokens"]}
            for name, told in usage.items()
        },
        "log": {
            "model": line["message"]["model"],
            "requestedModel": line.get("requestedModel"),
            "version": line["version"],
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("models", nargs="*", default=MODELS)
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        client = Client(installed() or fetch(), Path(folder))
        print(f"client {client.version()}")
        rows = []
        for model in arguments.models:
            row = measure(client, model)
            rows.append(row)
            for name, told in row.get("reported", {}).items():
                log = row["log"]
                print(
                    f"{model:<24} {name:<26} window {told['window']:>9,}"
                    f"  output {told['max_output']:>7,}  logged as {log['model']},"
                    f" {log['requestedModel']}"
                )
            if "error" in row:
                print(f"{model:<24} {row['error']}")
        if arguments.json:
            arguments.json.write_text(
                json.dumps({"client": client.version(), "models": rows}, indent=2)
            )


if __name__ == "__main__":
    main()
