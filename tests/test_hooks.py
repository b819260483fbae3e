"""The real executable in a process of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scene import HOOK, Agent, code, run

ROOT = Path(__file__).parent.parent

# What a hook process may load beyond what the bare interpreter has. `os` is not among it.
START = {"priced_context", "records", "files", "wire", "reads", "gate", "_json"}
PRICED = START | {
    "caps", "memory", "places", "policy", "prices", "room", "settings", "window",
}  # fmt: skip
REFUSED = PRICED | {"cuts", "wording"}


def test_it_answers_on_stdout_and_nowhere_else(agent: Agent):
    """The client reads stdout; anything on stderr is shown to the person."""
    done = run(agent.payload_of_read("mid.py"), agent.state)

    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert (done.returncode, done.stderr) == (0, b"")
    assert answer["permissionDecision"] == "deny"


def test_it_finds_itself_through_a_link_and_from_anywhere(agent: Agent, tmp_path):
    """A checkout is an installation."""
    link = tmp_path / "a link"
    link.symlink_to(HOOK)

    assert run(agent.payload_of_read("mid.py"), agent.state, link, cwd="/").stdout


HOSTILE = {
    "nothing": b"",
    "a torn object": b'{"tool_name": "Read", "tool_inp',
    "not an object": b"[]",
    "not UTF-8": b'{"tool_name": "\xff\xfe"}',
    "deep nesting": b'{"tool_name":"Read","tool_input":' + b"[" * 200_000,
    "10 MB": b'{"tool_name":"Read","tool_input":{"file_path":"' + b"x" * 10_000_000 + b'"}}',
    "NULs": b'{"tool_name":"Read","session_id":"s1","tool_input":{"file_path":"/a\\u0000b"}}',
    "wrong types": b'{"tool_name":5,"tool_input":[],"session_id":{},"cwd":7}',
    "a number of 5,000 digits": b'{"tool_name":"Read","tool_input":{"limit":' + b"9" * 5000 + b"}}",
}


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE.keys())
def test_bad_input_passes_in_silence_and_leaves_one_line(tmp_path, raw):
    """The agent is never held up by us, and the person can see that something was off."""
    done = run(raw, tmp_path / "state")

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    log = tmp_path / "state" / "log"
    assert not log.exists() or len(log.read_bytes().splitlines()) == 1


@pytest.mark.parametrize("kind", ["fifo", "/dev/zero", "/proc/self/maps", "a folder"])
def test_what_is_no_file_passes_at_once(agent: Agent, kind):
    """None of them has a size that a price could rest on."""
    path = agent.project / "odd"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "a folder":
        path.mkdir()
    else:
        path = Path(kind)

    done = run(agent.payload_of_read(path), agent.state, timeout=10)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(os.geteuid() == 0, reason="root opens every file")
def test_a_file_that_cannot_be_opened_passes(agent: Agent):
    """The client will say so itself."""
    (agent.project / "mid.py").chmod(0)

    done = run(agent.payload_of_read("mid.py"), agent.state)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_name_with_a_newline_is_a_name(agent: Agent):
    """It is priced and told like any other."""
    (agent.project / "odd\nname.py").write_text(code(900))

    assert b"deny" in run(agent.payload_of_read("odd\nname.py"), agent.state).stdout
    assert run(agent.payload_of_read("odd\nname.py"), agent.state).stdout == b""


def test_the_environment_never_reaches_the_log(agent: Agent):
    """It holds the client's key."""
    secret = {"ANTHROPIC_API_KEY": "sk-secret", "PATH": os.environ["PATH"]}

    run(b"{", agent.state, env=secret)
    run(agent.payload_of_read("mid.py"), agent.state, env=secret)

    for file in agent.state.rglob("*"):
        assert file.is_dir() or b"sk-secret" not in file.read_bytes()


def test_every_file_it_writes_is_the_users_alone(agent: Agent):
    """Paths and prices say what somebody works on."""
    shutil.rmtree(agent.state)

    run(b"{", agent.state)
    run(agent.payload_of_read("mid.py"), agent.state)

    for path in [agent.state, *agent.state.rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path


PROBE = """
import posix, sys
before = set(sys.modules)
sys.path.insert(0, {core!r})
stats = []
sys.setprofile(lambda frame, event, what: stats.append(1)
    if event == "c_call" and what in (posix.stat, posix.lstat)
    and "/priced_context/" in frame.f_code.co_filename else None)
from priced_context.gate import answer
from priced_context.wire import decode_call
answer(decode_call(posix.read(0, 1 << 20)), {state!r})
sys.setprofile(None)
news = set(sys.modules) - before
print(len(stats), *[name.replace("priced_context.", "") for name in news])
"""


def probe(agent: Agent, raw: bytes) -> tuple[int, set[str]]:
    """Return how many stats our code makes, and the modules it loads, in a bare interpreter."""
    program = PROBE.format(core=str(ROOT / "core"), state=str(agent.state))
    command = [os.path.realpath(sys.executable), "-I", "-S", "-c", program]
    done = subprocess.run(command, input=raw, capture_output=True, check=True)
    count, *modules = done.stdout.decode().split()
    return int(count), set(modules)


def test_an_irrelevant_tool_costs_no_stat(agent: Agent):
    """The commonest call of all."""
    assert probe(agent, agent.payload("WebFetch", url="x")) == (0, START)


def test_a_small_read_costs_one_stat(agent: Agent):
    """And no import beyond the start."""
    assert probe(agent, agent.payload_of_read("small.py")) == (1, START)


def test_a_priced_read_loads_no_words(agent: Agent):
    """Six kilobytes are priced and pass."""
    agent.transcript.write_text("{}\n")

    assert probe(agent, agent.payload_of_read("six.py"))[1] == PRICED


def test_a_refusal_loads_the_words_and_nothing_more(agent: Agent):
    """Still no `os`, no `re`, no `json`."""
    assert probe(agent, agent.payload_of_read("mid.py"))[1] == REFUSED


def test_twelve_calls_at_once_do_not_mix_their_lines(agent: Agent):
    """Parallel tool calls run their hooks in parallel."""
    for number in range(12):
        (agent.project / f"file {number}.py").write_text(code(900 + number))
    waiting = [
        subprocess.Popen([HOOK, agent.state], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(12)
    ]

    for number, hook in enumerate(waiting):
        answer, _ = hook.communicate(agent.payload_of_read(f"file {number}.py"))
        assert b"deny" in answer

    lines = (agent.state / "sessions" / "s1" / "told").read_text().splitlines()
    assert sorted(line.rpartition("/")[2] for line in lines) == sorted(
        f"file {number}.py" for number in range(12)
    )
    assert all(len(line.split("\t")) == 4 for line in lines)


SHELL = {
    "words",
    "shell",
    *(f"shell.{name}" for name in ("streams", "scope", "evaluator", "copies")),
}


def test_a_command_that_cannot_read_loads_no_recogniser(agent: Agent):
    """`npm test` is answered by a table of words."""
    assert probe(agent, agent.payload("Bash", command="npm test")) == (0, START | {"words"})


def test_a_refused_cat_loads_the_recogniser_and_no_cut(agent: Agent):
    """What programs and git would print is not asked of a `cat`."""
    (agent.project / "mid.py").write_text(code(800))  # under what the client shows of a command

    loaded = probe(agent, agent.payload("Bash", command="cat mid.py"))[1]

    assert loaded == (REFUSED - {"cuts"}) | SHELL


def test_a_quote_or_an_operator_loads_the_grammar(agent: Agent):
    """What a shell takes for itself is read by it alone."""
    loaded = probe(agent, agent.payload("Bash", command="cat 'small.py'"))[1]

    assert loaded == START | SHELL | {"shell.syntax"}
