"""Compaction in the real client: when it is held, when it must not be, what the summary is told.

The scripted bill says how full the window is; opus-4-6 has 200,000 tokens, opus-5-5 a million.
"""

import json
import subprocess
from collections.abc import Sequence

import pytest
from scripted_api import ScriptedAPI, calls, refuses, says

from scene import code
from scratch import CTX
from session_log import at_share

SMALL, LARGE = "claude-opus-4-6", "claude-opus-5-5"
NO_THRESHOLD = "claude-sonnet-4-5"
"""A model for which the client waits until the API itself refuses."""
TOO_LONG = "prompt is too long: 210000 tokens > 200000 maximum"
SUMMARY = says("<summary>what was done</summary>", 60_000)


@pytest.fixture
def project(guarded):
    guarded.environment()
    (guarded.project / "a.py").write_text(code(60))
    return guarded.project


def read(project):
    return ("Read", {"file_path": str(project / "a.py")})


class Talk:
    """One session of the client, prompt by prompt."""

    def __init__(self, client, project, used: int, model: str = SMALL, **environment: str):
        self.client, self.model, self.environment = client, model, environment
        self.session = ""
        first = calls(read(project), input_tokens=used - 1_000)
        self.say("go", first, says("ready", used - 5))

    def say(self, prompt: str, *turns, options: Sequence[str] = ()) -> ScriptedAPI:
        """Play one prompt; `result` is what the user sees of it."""
        api = ScriptedAPI(list(turns))
        resumed = ["--resume", self.session] if self.session else []
        done = self.client.run(
            api, *resumed, *options, "--output-format", "json",
            model=self.model, prompt=prompt, environment=self.environment,
        )  # fmt: skip
        answer = json.loads(done.output)
        self.session, self.result = answer["session_id"], answer.get("result") or ""
        self.is_error = answer["is_error"]
        return api


def needs(client, version: tuple[int, ...], what: str) -> None:
    if tuple(map(int, client.version().split("."))) < version:
        pytest.skip(f"no client before {'.'.join(map(str, version))} {what}")


def summaries(api: ScriptedAPI) -> list[str]:
    """Return what each summary request asks for."""
    return [request.news for request in api.requests if request.is_summary]


def test_at_60_percent_free_it_is_held_and_the_user_sees_the_ledger(guarded, project):
    talk = Talk(guarded, project, at_share(0.6))

    api = talk.say("/compact", SUMMARY)

    assert summaries(api) == []
    needs(guarded, (2, 1, 220), "says in a -p session why")
    assert "Compaction blocked by PreCompact hook" in talk.result
    assert "60.0% of the window is free" in talk.result
    assert "/compact force" in talk.result


def test_the_user_forces_it(guarded, project):
    """With his own words, and none of ours."""
    talk = Talk(guarded, project, at_share(0.6))

    api = talk.say("/compact force keep the API", SUMMARY)

    assert len(summaries(api)) == 1
    assert "force keep the API" in summaries(api)[0]
    assert "Keep the following" not in summaries(api)[0]


def test_typed_again_it_runs(guarded, project):
    talk = Talk(guarded, project, at_share(0.6))
    talk.say("/compact", SUMMARY)

    assert len(summaries(talk.say("/compact", SUMMARY))) == 1


def test_at_35_percent_free_it_runs_and_the_summary_has_the_handles(guarded, project):
    talk = Talk(guarded, project, at_share(0.35))

    api = talk.say("/compact", SUMMARY)

    assert len(summaries(api)) == 1
    assert "Additional Instructions:\nKeep the following in the summary" in summaries(api)[0]
    assert "- repo:a.py (~" in summaries(api)[0]


def test_at_40_percent_free_it_turns(guarded, project):
    """At 40.0% it is held; a token less, and it runs."""
    held = Talk(guarded, project, at_share(0.4))
    assert summaries(held.say("/compact", SUMMARY)) == []

    due = Talk(guarded, project, at_share(0.4) + 1)
    assert len(summaries(due.say("/compact", SUMMARY))) == 1


def test_an_automatic_one_at_the_clients_threshold_runs(guarded, project):
    """From there to the hard stop there are 10,000 tokens; a hold would end it there."""
    api = ScriptedAPI(
        [
            calls(read(project), input_tokens=60_000),
            calls(read(project), input_tokens=170_000),
            SUMMARY,
            says("went on", 9_000),
        ]
    )

    session = guarded.run(api, model=SMALL)

    assert len(summaries(api)) == 1
    assert session.output.strip() == "went on"


def test_after_the_api_refused_it_runs(guarded, project):
    """The bill says 70% free and the API says full: it compacts and goes on, or it ends."""
    needs(guarded, (2, 1, 160), "compacts when the API has refused")
    api = ScriptedAPI(
        [
            calls(read(project), input_tokens=30_000),
            calls(read(project), input_tokens=40_000),
            refuses(TOO_LONG),
            SUMMARY,
            says("went on", 9_000),
        ]
    )

    session = guarded.run(api, model=NO_THRESHOLD)

    assert len(summaries(api)) == 1
    assert session.output.strip() == "went on"


def test_an_automatic_hold_does_not_end_the_session(guarded, project):
    """A limit that no hook can see (a flag of the command line) is reached at 90% free."""
    needs(guarded, (2, 1, 285), "logs its requests, which alone allows the hold")
    api = ScriptedAPI(
        [
            calls(read(project), input_tokens=60_000),
            calls(read(project), input_tokens=80_000),
            says("done", 81_000),
        ]
    )

    session = guarded.run(api, "--autocompact", "100000", model=LARGE)

    assert session.output.strip() == "done"


def test_a_window_that_the_user_set_counts(guarded, project):
    """Of a model with a million tokens the user gives the client 200,000."""
    needs(guarded, (2, 1, 285), "gives a model a million tokens")
    used = at_share(0.35)
    assert summaries(Talk(guarded, project, used, LARGE).say("/compact", SUMMARY)) == []

    set_smaller = Talk(guarded, project, used, LARGE, CLAUDE_CODE_AUTO_COMPACT_WINDOW="200000")

    assert len(summaries(set_smaller.say("/compact", SUMMARY))) == 1


def test_a_summary_that_fails_is_not_analysed_twice(guarded, project):
    """The user tries again in the same state."""
    runs = guarded.root / "runs"
    config = guarded.home / ".config" / "priced-context" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'analyst = ["/bin/sh", "-c", "echo run >> {runs}; echo keep this"]\n')
    subprocess.run([CTX, "install"], env=guarded.environment(), check=True, capture_output=True)
    talk = Talk(guarded, project, at_share(0.35))

    first = talk.say("/compact", *[refuses("no summary today")] * 10)
    second = talk.say("/compact", SUMMARY)

    assert "keep this" in summaries(first)[0]
    assert "keep this" in summaries(second)[0]
    assert runs.read_text() == "run\n"


def free_of(client, session: str) -> tuple[int, int]:
    """Return what the ledger says is in use of a session and is free."""
    command = [CTX, "budget", "--json", "--session", session]
    done = subprocess.run(command, env=client.environment(), capture_output=True, check=True)
    found = json.loads(done.stdout)
    return found["totalInputTokens"], found["freeTokens"]


def guard_of(client, session: str, project) -> int:
    """Return what the guard believes is free of it."""
    log = next((client.home / ".claude" / "projects").rglob(f"{session}.jsonl"))
    call = {
        "session_id": session,
        "transcript_path": str(log),
        "cwd": str(project),
        "tool_name": "Read",
        "tool_input": {"file_path": str(project / "a.py")},
    }
    done = subprocess.run(
        [CTX, "explain"], input=json.dumps(call).encode(), env=client.environment(),
        capture_output=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)["window"]["free"]


def test_the_ledger_follows_a_session_wherever_it_goes(guarded, project):
    """Begun, resumed, forked, continued by another model, compacted: always the last bill."""
    talk = Talk(guarded, project, 60_000)
    seen = [free_of(guarded, talk.session)]

    talk.say("on", says("resumed", 61_000))
    seen.append(free_of(guarded, talk.session))
    begun = talk.session
    talk.say("on", says("forked", 62_000), options=["--fork-session"])
    assert talk.session != begun
    seen.append(free_of(guarded, talk.session))
    talk.model = LARGE
    talk.say("on", says("another model", 63_000))
    seen.append(free_of(guarded, talk.session))
    assert seen[-1][1] == guard_of(guarded, talk.session, project)
    talk.say("/compact force", SUMMARY)
    used, free = free_of(guarded, talk.session)

    assert [use for use, _ in seen] == [60_000, 61_005, 62_005, 63_005]
    assert used < 20_000
    assert free == guard_of(guarded, talk.session, project)


def lose_interpreter(state):
    hook = state / "precompact"
    hook.write_text("#!/nowhere/python3 -IS\n" + hook.read_text().partition("\n")[2])


def lose_hook(state):
    (state / "precompact").unlink()


def break_state(state):
    (state / "sessions").write_text("not a folder")
    (state / "policy").write_bytes(b"\xff\x00")


@pytest.mark.parametrize("harm", [lose_interpreter, lose_hook, break_state])
def test_what_is_broken_lets_it_run(guarded, project, harm):
    harm(guarded.home / ".local" / "state" / "priced-context")
    talk = Talk(guarded, project, at_share(0.6))

    assert len(summaries(talk.say("/compact", SUMMARY))) == 1


def test_what_was_told_may_be_told_again_after_it(guarded, project):
    """The summary does not hold the refusal."""
    (project / "long.py").write_text(code(1100))
    long = ("Read", {"file_path": str(project / "long.py")})
    talk = Talk(guarded, project, at_share(0.6))
    talk.say("read it", calls(long, input_tokens=60_000), says("no", 60_100))

    talk.say("/compact force", SUMMARY)
    api = talk.say("read it", calls(long, input_tokens=9_000), says("no", 9_500))

    assert api.sent()[-1].results[-1].is_error
