"""The disk fails under a hook: it never fails the call, and leaves nothing half-written."""

import json
import os
import resource
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from priced_context.files import append_line, replace
from priced_context.memory import recall
from scene import HOOK, Agent, code, response, run


def is_silent(done: subprocess.CompletedProcess) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def is_valid(answer: bytes) -> bool:
    """Say whether the client can use what a hook printed."""
    return answer == b"" or "hookSpecificOutput" in json.loads(answer)


def no_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_on_a_full_disk_reads_pass(agent: Agent):
    """What cannot be remembered must not be refused: it would be refused for ever."""
    assert is_silent(run(agent.payload_of_read("mid.py"), agent.state, preexec_fn=no_disk))


def test_a_line_that_fits_only_in_part_is_an_error(tmp_path):
    """A torn line would not be recalled, and its file refused again."""
    done = subprocess.run(
        ["python3", "-c", TORN.format(core=str(HOOK.parent.parent / "core")), tmp_path], check=True
    )

    assert done.returncode == 0
    assert (tmp_path / "replaced").read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["appended", "replaced"]


TORN = """
import resource, sys
sys.path.insert(0, {core!r})
from priced_context.files import append_line, replace
folder = sys.argv[1]
append_line(folder + "/appended", b"x" * 90)
replace(folder + "/replaced", b"old")
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
for write, name in ((append_line, "appended"), (replace, "replaced")):
    try:
        write(folder + "/" + name, b"y" * 120)
    except OSError:
        pass
    else:
        raise SystemExit("no error")
"""


@pytest.mark.parametrize("state", ["/proc/nowhere", "/dev/null", "a file", "read-only", "a link"])
def test_where_nothing_can_be_remembered_reads_pass(agent: Agent, tmp_path, state):
    """A state folder that is not one, or not ours, stops nobody."""
    path = tmp_path / state if not state.startswith("/") else Path(state)
    if state == "a file":
        path.write_text("x")
    elif state == "a link":
        path.symlink_to(path)
    elif state == "read-only":
        path.mkdir(mode=0o500)
        if os.geteuid() == 0:
            pytest.skip("root writes where it likes")

    assert is_silent(run(agent.payload_of_read("mid.py"), path))


def test_a_memory_that_is_a_link_is_not_followed(agent: Agent, tmp_path):
    """It might lead out of the folder."""
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (agent.state / "sessions" / "s1" / "told").symlink_to(victim)

    assert is_silent(run(agent.payload_of_read("mid.py"), agent.state))
    assert victim.read_text() == "precious"


def test_a_state_folder_that_vanishes_under_calls(agent: Agent):
    """Somebody cleans up; each call is answered or passes, and none raises."""
    is_over = threading.Event()

    def clean() -> None:
        while not is_over.is_set():
            shutil.rmtree(agent.state, ignore_errors=True)

    cleaner = threading.Thread(target=clean)
    cleaner.start()
    try:
        answers = [agent.read("mid.py") for _ in range(300)]
    finally:
        is_over.set()
        cleaner.join()

    assert all(answer == {} or "permissionDecision" in answer for answer in answers)


def test_a_broken_policy_is_compiled_again(agent: Agent, tmp_path):
    """Whatever bytes stand in a state file, the next call works."""
    config = tmp_path / "config.toml"
    config.write_text("window_tokens = 200000\n")
    stamp = f"{config}\t{config.stat().st_mtime_ns}"
    for rubbish in (
        b"\xff\xfe\0",
        b"\t\t\t\n",
        f"{stamp}\nread_budget_min\t".encode(),
        b"x\n" * 999,
    ):
        shutil.rmtree(agent.state, ignore_errors=True)
        agent.knows_window(200_000, 0)
        for name in ("policy", "sizes", "log"):
            (agent.state / name).write_bytes(rubbish)
        (agent.state / "sessions" / "s1" / "told").write_bytes(rubbish)

        assert agent.reason("mid.py"), rubbish


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace to kill at a system call")
@pytest.mark.parametrize("call", ["write", "mkdir", "rename"])
def test_killed_at_any_write_it_leaves_whole_files(agent: Agent, tmp_path, call):
    """The client kills a hook that is late, at whatever it does."""
    config = tmp_path / "config.toml"
    config.write_text("read_budget_min = 2000\n")
    agent.transcript.write_text(json.dumps(response("claude-opus-4-6", 10)) + "\n")
    payload = agent.payload_of_read("mid.py")
    kills = 0
    for number in range(1, 99):
        shutil.rmtree(agent.state)
        agent.state.mkdir()
        (agent.state / "policy").write_text(f"{config}\t0\nread_budget_min\t2000")
        inject = f"inject={call}:signal=SIGKILL:when={number}"
        traced = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject]
        done = subprocess.run(
            [*traced, HOOK, agent.state], input=payload, capture_output=True, check=False
        )
        if done.returncode == 0:  # there is no such write
            break
        kills += 1

        assert is_valid(done.stdout)
        policy = (agent.state / "policy").read_text()
        assert policy.endswith("read_budget_min\t2000")
        model = agent.state / "projects"
        assert {p.read_text() for p in model.glob("*") if "." not in p.name} <= {"claude-opus-4-6"}
        was_told = bool(recall(str(agent.state / "sessions" / "s1"), 0).told_buckets)
        assert bool(agent.reason("mid.py")) is not was_told  # once, and never lost half-way
    assert kills


def test_two_thousand_lines_at_once_do_not_mix(tmp_path):
    """One write a line, whoever else writes."""
    path = str(tmp_path / "told")
    line = b"x" * 300 + b"\n"
    writers = [
        threading.Thread(target=lambda: [append_line(path, line) for _ in range(250)])
        for _ in range(8)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert Path(path).read_bytes() == line * 2_000


def test_a_reader_sees_the_old_or_the_new(tmp_path):
    """A state file is replaced at once."""
    path = str(tmp_path / "policy")
    replace(path, b"a" * 9_000)
    seen = set()

    def look() -> None:
        while b"c" * 9_000 not in seen:
            seen.add(Path(path).read_bytes())

    reader = threading.Thread(target=look)
    reader.start()
    for number in range(500):
        replace(path, (b"a", b"b")[number % 2] * 9_000)
    replace(path, b"c" * 9_000)
    reader.join()

    assert seen <= {letter * 9_000 for letter in (b"a", b"b", b"c")}


def test_twelve_hooks_on_one_file_agree_in_the_end(agent: Agent):
    """In one turn they cannot know of each other; in the next the file passes."""
    waiting = [
        subprocess.Popen([HOOK, agent.state], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(12)
    ]
    for hook in waiting:
        answer, _ = hook.communicate(agent.payload_of_read("mid.py"))
        assert is_valid(answer)

    assert agent.read("mid.py") == {}


def test_a_clock_that_goes_back_over_a_compaction_does_not_loop(agent: Agent):
    """What is told now counts from now on, though the compaction seems to lie ahead."""
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "timestamp": "2200-01-01T00:00:00.000Z",
        "compactMetadata": {"postTokens": 9_000},
    }
    lines = [response("claude-opus-4-6", 10), boundary]
    agent.transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))

    assert agent.reason("mid.py")
    assert agent.read("mid.py") == {}


def test_a_clock_that_goes_back_keeps_what_was_told(agent: Agent):
    """Memory from the future is still memory."""
    told = agent.state / "sessions" / "s1" / "told"
    told.write_text(f"9999999999999\tdeny\t12000\t{agent.project}/mid.py\n")

    assert agent.read("mid.py") == {}


def test_a_memory_of_nothing_but_rubbish(agent: Agent):
    """Torn, foreign and binary lines are skipped."""
    told = agent.state / "sessions" / "s1" / "told"
    told.write_bytes(
        os.urandom(5_000) + b"\n" + b"\t" * 50 + b"\n1\tdeny\t99999999999\t/x\n9\tdeny"
    )
    (agent.project / "mid.py").write_text(code(900))

    assert agent.reason("mid.py")
