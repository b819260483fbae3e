"""The two seconds of a hook end at the worst moment: nothing is half done."""

import os
import subprocess
import sys

import pytest

from priced_context.files import replace
from priced_context.gate import OverdueError
from scene import HOOK, Agent

# The hook with one second, which are over when it reaches a place of our choice.
LATE = """
import sys, time
sys.path.insert(0, {core!r})
from priced_context import gate

def linger(frame, event, _):
    if (event, frame.f_code.co_name) == ({event!r}, {function!r}):
        sys.setprofile(None)
        time.sleep(1.1)

gate.LIMIT_SECONDS = 1
sys.setprofile(linger)
gate.main({state!r})
"""


@pytest.mark.parametrize(
    ("event", "function"),
    [("return", "encode_verdict"), ("call", "remember"), ("return", "remember")],
)
def test_what_is_remembered_is_heard(agent: Agent, event, function):
    """An agent that is taken for told must have been told, or it reads the file unpriced."""
    core = str(HOOK.parent.parent / "core")
    program = LATE.format(core=core, event=event, function=function, state=str(agent.state))

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        input=agent.payload_of_read("mid.py"),
        capture_output=True,
        check=True,
    )

    is_told = (agent.state / "sessions" / "s1" / "told").exists()
    assert (b"deny" in done.stdout) is is_told
    assert is_told is (function == "remember")


@pytest.mark.parametrize("step", ["open", "write", "close", "rename", "stat"])
def test_a_write_that_runs_out_of_time_leaves_no_scratch_file(tmp_path, step):
    """Each has the name of its process, so nobody would ever take its place."""
    place = tmp_path / "policy"
    place.write_bytes(b"old")

    def run_out(_frame, event, what):
        if event == "c_call" and what.__name__ == step:
            sys.setprofile(None)
            raise OverdueError

    try:
        sys.setprofile(run_out)
        with pytest.raises(OverdueError):
            replace(str(place), b"new")
    finally:
        sys.setprofile(None)

    assert os.listdir(tmp_path) == ["policy"]
    assert place.read_bytes() in (b"old", b"new")
