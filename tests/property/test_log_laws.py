"""Whatever stands in a log: it is read to its end, or refused in one sentence."""

import json
import random
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from priced_context.console import Trouble
from priced_context.replayer import replay_session
from priced_context.transcript import Log, shown_by_read
from scene import code
from session_log import Logbook

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


def a_session(logbook: Logbook) -> list[dict]:
    logbook.says()
    logbook.read("mid.py", code(900))
    (call,) = logbook.respond(("Bash", {"command": "cat mid.py"}))
    logbook.show(call, code(900))
    (call,) = logbook.respond(("Edit", {"file_path": "/home/u/project/mid.py"}))
    logbook.show(call, "ok")
    logbook.compact()
    logbook.line("attachment", attachment={"type": "task_reminder", "content": ["x"]})
    logbook.line("progress", data={"type": "agent_progress", "message": {"type": "user"}})
    logbook.read("mid.py", code(900))
    return [json.loads(line) for line in logbook.path.read_text().splitlines()]


def bend(value: object, choice: random.Random, strange: object) -> object:
    """Return *value* with one thing in it, at any depth, replaced or gone."""
    if isinstance(value, dict) and value and choice.random() < 0.9:
        key = choice.choice(sorted(value))
        rest = {name: item for name, item in value.items() if name != key}
        return rest if choice.random() < 0.2 else rest | {key: bend(value[key], choice, strange)}
    if isinstance(value, list) and value and choice.random() < 0.9:
        place = choice.randrange(len(value))
        return [*value[:place], bend(value[place], choice, strange), *value[place + 1 :]]
    return strange


@settings(deadline=None, max_examples=150)
@given(st.randoms(use_true_random=False), VALUES)
def test_a_bent_log_is_replayed_all_the_same(tmp_path_factory, choice, strange):
    """A client of tomorrow changes a field; nothing else may be lost to it."""
    logbook = Logbook(tmp_path_factory.mktemp("log") / "s1.jsonl")
    lines = a_session(logbook)
    for _ in range(3):
        place = choice.randrange(len(lines))
        lines[place] = bend(lines[place], choice, strange)
    logbook.path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    replay = replay_session(logbook.path, str(logbook.path.parent / "no-state"))

    assert replay.used_tokens


@given(st.binary(max_size=400))
def test_bytes_are_a_log_or_trouble(tmp_path_factory, raw):
    path = tmp_path_factory.mktemp("log") / "s1.jsonl"
    path.write_bytes(raw)

    said = trouble_with(path)

    assert said == "" or (said.startswith(f"{path}: not a session log") and "\n" not in said)


def trouble_with(path: Path) -> str:
    try:
        list(Log(path))
    except Trouble as trouble:
        return str(trouble)
    return ""


@given(st.lists(st.text(st.characters(exclude_characters="\n"))), st.integers(1, 10**6))
def test_a_shown_text_comes_back(lines, first_line):
    """Whatever the file's lines look like, also numbers, tabs and arrows."""
    shown = shown_by_read(
        "\n".join(f"{n}\t{line}" for n, line in enumerate(lines or [""], first_line))
    )

    assert shown.text.split("\n") == (lines or [""])
    assert shown.first_line == first_line
    assert shown.appended == ""
