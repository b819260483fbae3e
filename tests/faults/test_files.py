"""Files change, lie or never end while a call is weighed."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scene import NO_FILES, Agent, code, log, response, run


@contextmanager
def meanwhile(*steps: Callable[[], object]) -> Iterator[None]:
    """Do the steps in turn, again and again, until the block ends."""
    is_over = threading.Event()

    def work() -> None:
        while not is_over.is_set():
            for step in steps:
                step()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
    finally:
        is_over.set()
        worker.join()


def place(path: Path, make: Callable[[Path], object]) -> Callable[[], None]:
    """Return a step that puts something else at *path*, at once."""

    def step() -> None:
        scratch = path.with_name("scratch")
        make(scratch)
        os.replace(scratch, path)

    return step


SWAPS = {
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path: path.symlink_to(path),
    "nothing": lambda path: path.symlink_to("missing"),
    "an empty file": lambda path: path.write_text(""),
    "a binary": lambda path: path.write_bytes(b"\0" * 90_000),
}


@pytest.mark.parametrize("swap", SWAPS.values(), ids=SWAPS.keys())
def test_a_file_that_is_swapped_under_the_call(agent: Agent, swap):
    """Between its stat and our look at it. Whatever is seen, an OSError passes the call."""
    path = agent.project / "app.log"
    text = log(2_400)
    with meanwhile(place(path, swap), place(path, lambda new: new.write_text(text))):
        for number in range(150):
            one = Agent(agent.project, agent.state, f"n{number}")
            one.knows_window(200_000, 0)
            try:
                answer = one.read("app.log")
            except OSError:  # gate.main notes it, and the call passes
                continue
            assert answer == {} or "updatedInput" in answer or "permissionDecision" in answer


def test_a_transcript_that_is_truncated_and_replaced_while_read(agent: Agent):
    """The client writes it all the time, and starts it anew."""
    (agent.state / "sessions" / "s1" / "window.json").unlink()
    line = json.dumps(response("claude-opus-4-6", 30_000)) + "\n"
    path = agent.transcript
    path.write_text(line)
    steps = (
        lambda: path.write_text(line * 900),
        lambda: os.truncate(path, 100),
        place(path, lambda new: new.write_text(line * 3)),
        lambda: path.write_bytes(b"\xff" * 70_000 + b"\n" + line.encode()[:50]),
        path.unlink,
    )
    with meanwhile(*steps):
        for number in range(200):
            one = Agent(agent.project, agent.state, f"n{number}")
            one.transcript = path
            assert one.reason("mid.py")


@pytest.mark.parametrize("kind", [*NO_FILES, "a long line"])
def test_a_transcript_that_is_none(agent: Agent, kind):
    """It is read for at most 256 KiB, and never waited for; the guard then goes by bytes."""
    (agent.state / "sessions" / "s1" / "window.json").unlink()
    path = agent.transcript
    if kind in NO_FILES:
        NO_FILES[kind](path)
    else:
        with path.open("wb") as file:  # sparse: 200 MB in one line
            file.truncate(200_000_000)
            file.seek(0, os.SEEK_END)
            file.write(b'"usage"}')

    done = run(agent.payload_of_read("mid.py"), agent.state, timeout=10)

    assert b"deny" in done.stdout
    assert not (agent.state / "log").exists()


def test_a_file_of_two_hundred_megabytes_is_priced_by_a_look(agent: Agent):
    """Four kilobytes of it are read, whatever its size."""
    path = agent.project / "large.py"
    with path.open("wb") as file:
        file.write(code(3_000).encode())
        file.truncate(200_000_000)

    run(agent.payload_of_read(path, limit=1_500), agent.state, timeout=10)

    assert not (agent.state / "log").exists()


def test_a_window_file_that_lies_is_passed_over(agent: Agent):
    """Torn, from the future, of another session, of wrong types, or not a file."""
    usual = agent.reason("mid.py")
    path = agent.state / "sessions" / "s1" / "window.json"
    good = json.loads(path.read_text())
    lies = [
        good | {"written_ms": 9_999_999_999_999},
        good | {"window_tokens": -5},
        good | {"window_tokens": "x"},
        good | {"used_tokens": 1.5},
        good | {"version": 2},
        good | {"session_id": "other"},
        [],
        None,
    ]
    texts = [*map(json.dumps, lies), json.dumps(good)[:50], "", "[" * 100_000]
    for number, text in enumerate(texts):
        one = Agent(agent.project, agent.state, f"n{number}")
        folder = agent.state / "sessions" / one.session_id
        folder.mkdir()
        (folder / "window.json").write_text(text)

        assert one.reason("mid.py").split("tok")[0] == usual.split("tok")[0]
