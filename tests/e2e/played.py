"""What a model does in one session: the calls it makes, and what it makes of their results."""

from collections.abc import Callable, Iterator
from typing import Any

from real_client import Client, Session
from scripted_api import Result, ScriptedAPI, Turn, calls, says

CHECKING_MODEL = "claude-opus-4-6"
"""A model on which the client refuses to edit what was not read; its window has 200k tokens."""
NEWEST_MODEL = "claude-opus-5-5"

Call = tuple[str, dict[str, Any]]
Plan = Callable[[Callable[[], Result]], Iterator[Call]]
"""Yields calls; its argument returns what the last one brought."""


def read(path, **fields) -> Call:
    return ("Read", {"file_path": str(path), **fields})


def bash(command: str) -> Call:
    return ("Bash", {"command": command})


def edit(path, old: str, new: str) -> Call:
    return ("Edit", {"file_path": str(path), "old_string": old, "new_string": new})


def play(client: Client, *made: Call, flags: tuple[str, ...] = (), **options) -> Session:
    """Run one session in which the model makes the given calls, one a turn."""
    return follow(client, lambda _: iter(made), flags=flags, **options)


def follow(client: Client, plan: Plan, *, flags: tuple[str, ...] = (), **options) -> Session:
    """Run one session in which the model makes each call of the plan, knowing the last result."""

    def turns() -> Iterator[Turn]:
        for call in plan(lambda: api.sent()[-1].results[-1]):
            yield calls(call)
        yield says("done")

    api = ScriptedAPI(turns())
    return client.run(api, *flags, **options)
