"""The compaction's hook, as the client spawns it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from priced_context.launcher import write_launcher
from priced_context.memory import recall, remember
from session_log import SessionLog, at_share


class Compaction:
    """A session that is about to be compacted."""

    def __init__(self, root: Path):
        self.state = root / "state"
        self.log = SessionLog(root / "project" / "s1.jsonl")
        self.project = root / "project"
        self.project.mkdir()
        self.hook = write_launcher(self.state).with_name("precompact")
        self.environment = {"LANG": "C.UTF-8"}

    def payload(self, words: str | None = None, trigger: str = "manual", **fields) -> bytes:
        known = {
            "session_id": "s1",
            "transcript_path": str(self.log.path),
            "cwd": str(self.project),
            "hook_event_name": "PreCompact",
            "trigger": trigger,
            "custom_instructions": words,
        }
        return json.dumps(known | fields).encode()

    def run(self, raw: bytes) -> str:
        """Return what the hook prints; it always ends well and never speaks on stderr."""
        done = subprocess.run(
            [self.hook], input=raw, env=self.environment, capture_output=True, check=True
        )
        assert done.stderr == b""
        return done.stdout.decode()

    def asked(self, words: str | None = None, trigger: str = "manual", **fields) -> str:
        return self.run(self.payload(words, trigger, **fields))

    def used(self, tokens: int) -> None:
        self.log.says("go")
        self.log.requests()
        self.log.answers(tokens)


@pytest.fixture
def compaction(tmp_path):
    return Compaction(tmp_path)


def is_held(said: str) -> bool:
    return said.startswith("{") and json.loads(said)["decision"] == "block"


def test_with_60_percent_free_the_user_sees_the_ledger(compaction, golden):
    """Four lines, and the way through."""
    compaction.used(58_000)

    reason = json.loads(compaction.asked())["reason"]

    assert len(reason.splitlines()) == 4
    golden("words/hold.txt", reason)


def test_the_user_can_always_force_it(compaction):
    compaction.used(58_000)

    assert compaction.asked("force keep the API") == ""
    assert is_held(compaction.asked("forces of nature"))


def test_typed_once_more_it_goes_through(compaction):
    """Nothing happened in between: who insists is served."""
    compaction.used(58_000)

    assert is_held(compaction.asked())
    assert compaction.asked() == ""


def test_after_another_response_it_is_held_again(compaction):
    compaction.used(58_000)
    assert is_held(compaction.asked())

    compaction.log.answers(59_000)

    assert is_held(compaction.asked())


def test_at_40_percent_it_turns(compaction):
    """40.0% free is held, 39.9% is not."""
    compaction.used(at_share(0.4))
    assert is_held(compaction.asked())

    compaction.log.answers(at_share(0.4) + 1)

    assert compaction.asked() == ""


def test_what_was_told_is_forgotten_only_when_it_runs(compaction):
    """A refusal that the summary dropped must be possible again."""
    compaction.used(58_000)
    folder = str(compaction.state / "sessions" / "s1")
    remember(folder, 1, "deny", [("/a", 20_000)])

    compaction.asked()
    assert recall(folder, 0).told_buckets

    compaction.asked("force")
    assert not recall(folder, 0).told_buckets


def deny_the_room(compaction):
    """One turn of this session brought in 80,000 tokens, and not so many are left."""
    compaction.log.says("go")
    compaction.log.answers(5_000)
    compaction.log.answers(95_000)


def refused_by_the_api(compaction):
    compaction.used(58_000)
    compaction.log.fails()


def refused_and_not_logged_yet(compaction):
    compaction.used(58_000)
    compaction.log.says("on")
    compaction.log.requests()


def unknown_window(compaction):
    compaction.log.model = "mystery-1"
    compaction.used(58_000)


def no_response(compaction):
    compaction.log.says("go")


def own_percentage_is_full(compaction):
    compaction.environment["CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"] = "30"
    compaction.used(58_000)


def switched_off(compaction):
    compaction.used(58_000)
    (compaction.state / "off").touch()


@pytest.mark.parametrize(
    "case",
    [
        deny_the_room,
        refused_by_the_api,
        refused_and_not_logged_yet,
        unknown_window,
        no_response,
        own_percentage_is_full,
        switched_off,
    ],
)
@pytest.mark.parametrize("trigger", ["manual", "auto"])
def test_where_a_hold_could_end_or_fight_the_session_there_is_none(compaction, case, trigger):
    case(compaction)

    assert compaction.asked(trigger=trigger) == ""


def test_an_automatic_one_waits_for_the_response_that_it_is_about(compaction):
    """The client asks before it has logged it: the bill in the log is the one before."""
    compaction.used(58_000)
    asked = subprocess.Popen(
        [compaction.hook], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=compaction.environment
    )
    asked.stdin.write(compaction.payload(trigger="auto"))
    asked.stdin.close()

    compaction.log.requests()
    compaction.log.answers(170_000)

    assert not is_held(asked.stdout.read().decode())
    asked.stdout.close()
    assert asked.wait() == 0


def test_an_automatic_one_needs_a_log_that_shows_its_requests(compaction):
    """Older clients do not log them, so a refusal of the API would go unseen."""
    compaction.log.says("go")
    compaction.log.answers(58_000)
    assert compaction.asked(trigger="auto") == ""

    compaction.log.requests()
    compaction.log.answers(59_000)

    assert is_held(compaction.asked(trigger="auto"))


def test_a_subagent_is_judged_by_its_own_window(compaction):
    """Its log lies beside the main loop's, which is full here."""
    compaction.used(150_000)
    agent = SessionLog(compaction.project / "s1" / "subagents" / "agent-a1.jsonl", agent_id="a1")
    agent.says("look")
    agent.requests()
    agent.answers(30_000)

    assert is_held(compaction.asked(trigger="auto", agent_id="a1", agent_type="general-purpose"))
    assert (compaction.state / "sessions" / "s1.a1" / "held").exists()


def test_a_window_set_smaller_is_the_one_that_counts(compaction):
    compaction.log.model = "claude-opus-5-5"
    compaction.used(120_000)
    assert is_held(compaction.asked())

    compaction.environment["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] = "200000"
    compaction.log.answers(120_001)

    assert compaction.asked() == ""


def broken_state(compaction):
    compaction.state.joinpath("sessions").write_text("not a folder")


def gone_log(compaction):
    compaction.log.path.unlink()


def gone_package(compaction):
    launcher = compaction.hook.read_text()
    compaction.hook.write_text(launcher.replace("site-packages", "nowhere"))


def hold_that_cannot_be_kept(compaction):
    (compaction.state / "sessions" / "s1" / "held").mkdir(parents=True)


@pytest.mark.parametrize("harm", [broken_state, gone_log, gone_package, hold_that_cannot_be_kept])
def test_whatever_is_broken_lets_the_compaction_run(compaction, harm):
    compaction.used(58_000)
    harm(compaction)

    assert compaction.asked() == ""


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b'"x"', b"\xff", b'{"session_id": 5}', b"[" * 99_999]
)
def test_bad_input_lets_it_run(compaction, raw):
    assert compaction.run(raw) == ""


def test_what_the_summary_must_keep_is_its_only_output(compaction):
    """Plain stdout is appended to the summary prompt."""
    (compaction.project / "a.py").write_text("x = 1\n" * 100)
    compaction.log.says("go")
    call = compaction.log.calls(20_000, "Read", file_path=str(compaction.project / "a.py"))
    compaction.log.results(call, "1\tx = 1")
    compaction.log.answers(150_000)

    said = compaction.asked()

    assert said.startswith("Keep the following in the summary")
    assert "- repo:a.py (~" in said


def own_analyst(compaction, script: str) -> Path:
    """Let the user's configuration name a command; return the file that counts its runs."""
    runs = compaction.project / "runs"
    command = ["/bin/sh", "-c", f"echo run >> {runs}; {script}"]
    config = compaction.project / "config.toml"
    config.write_text(f"analyst = {json.dumps(command)}\n")
    policy = compaction.state / "policy"
    policy.write_text(f"{config}\t0")
    return runs


def test_twenty_at_once_and_one_later_make_one_analysis(compaction):
    """However often and however parallel the client asks of one request."""
    runs = own_analyst(compaction, "sleep 0.3; echo keep this")
    compaction.used(150_000)
    started = [
        subprocess.Popen(
            [compaction.hook],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=compaction.environment,
        )
        for _ in range(20)
    ]

    said = [process.communicate(compaction.payload())[0].decode() for process in started]
    said.append(compaction.asked())

    assert set(said) == {"Keep the following in the summary, as it stands.\nkeep this\n"}
    assert runs.read_text() == "run\n"


def test_an_equal_state_elsewhere_is_not_analysed_again(compaction, tmp_path):
    """A resumed or forked session has another id and the same request."""
    runs = own_analyst(compaction, "echo keep this")
    compaction.used(150_000)
    copy = tmp_path / "project" / "s2.jsonl"
    copy.write_bytes(compaction.log.path.read_bytes())

    compaction.asked()
    compaction.asked(session_id="s2", transcript_path=str(copy))

    assert runs.read_text() == "run\n"


def test_another_response_is_another_request(compaction):
    runs = own_analyst(compaction, "echo keep this")
    compaction.used(150_000)
    compaction.asked()

    compaction.log.answers(151_000)
    compaction.asked()

    assert runs.read_text() == "run\nrun\n"


def test_an_analyst_that_was_killed_blocks_nobody(compaction):
    """Its lock goes with it; the next one does the work."""
    runs = own_analyst(
        compaction, f"[ $(wc -l < {compaction.project}/runs) -gt 1 ] || sleep 60; echo kept"
    )
    compaction.used(150_000)
    killed = subprocess.Popen([compaction.hook], stdin=subprocess.PIPE, env=compaction.environment)
    killed.stdin.write(compaction.payload())
    killed.stdin.close()
    while not runs.exists():
        assert killed.poll() is None
    killed.kill()
    killed.wait()

    assert "kept" in compaction.asked()


@pytest.mark.parametrize("script", ["exit 3", "true", "exec /nowhere"])
def test_an_analyst_of_the_users_that_fails_leaves_it_to_ours(compaction, script):
    own_analyst(compaction, script)
    test_what_the_summary_must_keep_is_its_only_output(compaction)


def test_what_a_users_analyst_may_say_is_bounded(compaction):
    own_analyst(compaction, 'yes \'{"decision": "block"}\'')
    compaction.used(150_000)

    said = compaction.asked()

    assert 7_000 < len(said) < 9_000
    assert said.startswith("Keep the following")  # so it is no verdict


def test_a_project_cannot_name_the_analyst(compaction):
    """Commands come from the user's own configuration only."""
    (compaction.project / ".priced-context.toml").write_text('analyst = ["touch", "owned"]\n')
    compaction.used(150_000)

    compaction.asked()

    assert not (compaction.project / "owned").exists()


def test_it_loads_nothing_cold_where_nothing_is_to_be_decided(compaction):
    """A forced compaction needs no ledger."""
    compaction.used(58_000)
    program = compaction.hook.read_text().partition("\n")[2]
    program = program.replace("main(", "import posix; posix._exit = lambda _: None; main(")
    program += "\nprint([name for name in sys.modules if 'msgspec' in name])"

    done = subprocess.run(
        [os.path.realpath(sys.executable), "-I", "-S", "-c", program],
        input=compaction.payload("force"),
        capture_output=True,
        check=True,
    )

    assert done.stdout == b"[]\n"
