"""What the guard did, and what is left of it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from priced_context.memory import remember
from priced_context.policy import name_of_command
from priced_context.records import ToolCall
from priced_context.report import Report, report_of, summary_of
from scene import code
from session_log import Logbook, numbered

PATH = "/home/u/project/mid.py"
REFUSAL = "Not an error: mid.py whole is ~10k tok (~5% of window). Cheaper: Read it with offset."


class Scene:
    """A session in the client's folder, and a memory beside it."""

    def __init__(self, home: Path) -> None:
        self.client = home / ".claude"
        self.sessions = home / ".local" / "state" / "priced-context" / "sessions"
        self.log = Logbook(self.client / "projects" / "-p" / "s1.jsonl")

    def refuse(self, verdict: str = "deny", tokens: int = 10_000) -> None:
        """Write a Read of PATH, what it was told, and what it got."""
        (call,) = self.log.respond(("Read", {"file_path": PATH}))
        remember(str(self.sessions / "s1"), self.log.now_ms, verdict, [(PATH, tokens)])
        if verdict == "deny":
            self.log.show(call, f"PreToolUse:Read hook error: {REFUSAL}", is_error=True)
        else:
            self.log.show(call, numbered(code(100)))

    def call(self, tool: str, text: str, *, is_error: bool = False, **tool_input: object) -> None:
        (call,) = self.log.respond((tool, dict(tool_input)))
        self.log.show(call, text, is_error=is_error)

    def report(self) -> Report:
        return report_of(self.sessions, self.client, None, [])


@pytest.fixture
def scene(tmp_path) -> Scene:
    return Scene(tmp_path)


def test_a_refusal_that_was_left_saves_its_price_less_our_text(scene):
    scene.refuse()

    (told,) = scene.report().told

    assert told.outcome == "abandoned"
    assert 20 < told.own_tokens < 80
    assert told.net_tokens == 10_000 - told.own_tokens


def test_a_read_that_was_paid_anyway_saves_nothing(scene):
    """It cost our text: the account must say so."""
    scene.refuse()
    scene.call("Read", numbered(code(900)), file_path=PATH)

    (told,) = scene.report().told

    assert told.outcome == "paid anyway"
    assert told.net_tokens == -told.own_tokens


def test_a_range_is_taken_off(scene):
    scene.refuse()
    scene.call("Read", numbered(code(100)), file_path=PATH, offset=1, limit=100)

    (told,) = scene.report().told

    assert told.outcome == "range read"
    assert 800 < told.bought_tokens < 2_500
    assert told.net_tokens == 10_000 - told.bought_tokens - told.own_tokens


@pytest.mark.parametrize(
    "command", ["ctx stats repo:mid.py", "ctx get repo:mid.py:10-20", "ctx get 'repo:mid.py#run'"]
)
def test_a_menu_is_taken_off(scene, command):
    scene.refuse()
    scene.call("Bash", "1-20 def run  ~100\n" * 20, command=command)

    (told,) = scene.report().told

    assert told.outcome == "menu bought"
    assert told.bought_tokens > 100


def test_an_edit_that_failed_for_want_of_a_read_is_named(scene):
    """The one harm that a refusal can do."""
    scene.refuse()
    words = "File has not been read yet. Read it first before writing to it."
    scene.call("Edit", words, is_error=True, file_path=PATH)
    scene.call("Read", numbered(code(20)), file_path=PATH, limit=20)

    assert scene.report().told[0].outcome == "edit failed"


def test_paying_anyway_outweighs_what_came_before(scene):
    scene.refuse()
    scene.call("Bash", "1-20 def run  ~100\n" * 20, command="ctx stats repo:mid.py")
    scene.call("Read", numbered(code(900)), file_path=PATH)

    assert scene.report().told[0].outcome == "paid anyway"


def test_what_comes_after_a_compaction_is_another_story(scene):
    scene.refuse()
    scene.log.compact()
    scene.call("Read", numbered(code(900)), file_path=PATH)

    assert scene.report().told[0].outcome == "abandoned"


def test_another_file_is_another_story(scene):
    scene.refuse()
    scene.call("Read", numbered(code(900)), file_path="/home/u/project/other.py")
    scene.call("Bash", "x\n" * 2000, command="ctx stats repo:other.py")

    assert scene.report().told[0].outcome == "abandoned"


def test_a_cut_read_saves_what_it_did_not_show(scene):
    scene.refuse("rewrite")
    note = "PreToolUse:Read hook additional context: This Read was cut: mid.py whole is ~10k tok."
    attachment = {"type": "hook_additional_context", "content": [note]}
    scene.log.line("attachment", attachment=attachment)

    (told,) = scene.report().told

    assert 800 < told.shown_tokens < 2_500
    assert 15 < told.own_tokens < 60
    assert told.net_tokens == 10_000 - told.shown_tokens - told.own_tokens


def test_a_bounded_command_is_known_by_its_words(scene):
    """It names no file; sent again, it was paid anyway."""
    tool_input = {"command": "git log"}
    name = name_of_command(ToolCall("Bash", tool_input))
    (call,) = scene.log.respond(("Bash", tool_input))
    remember(str(scene.sessions / "s1"), scene.log.now_ms, "rewrite", [(name, 10_000)])
    scene.log.show(call, "a commit\n" * 100)
    before = scene.report().told[0].outcome
    scene.call("Bash", "a commit\n" * 4000, **tool_input)

    assert before == "abandoned"
    report = scene.report()
    assert report.told[0].outcome == "paid anyway"
    assert (summary_of(report)["rewritten"], summary_of(report)["bounded"]) == (0, 1)


def test_without_a_log_nothing_is_claimed(scene):
    scene.refuse()
    scene.log.path.unlink()

    (told,) = scene.report().told

    assert told.outcome == "not in a log"
    assert told.net_tokens < 0


def test_an_observed_read_counts_apart(scene):
    scene.refuse("observe")

    summary = summary_of(scene.report())

    assert (summary["observed"], summary["refused"], summary["net_tokens"]) == (1, 0, 0)


def test_a_subagents_refusals_are_found_in_its_log(scene):
    part = scene.log.path.with_suffix("") / "subagents" / "agent-a1.jsonl"
    log = Logbook(part, agent_id="a1")
    (call,) = log.respond(("Read", {"file_path": PATH}))
    remember(str(scene.sessions / "s1.a1"), log.now_ms, "deny", [(PATH, 10_000)])
    log.show(call, f"PreToolUse:Read hook error: {REFUSAL}", is_error=True)

    (told,) = scene.report().told

    assert (told.agent_id, told.outcome) == ("a1", "abandoned")


def test_our_own_calls_are_timed_where_the_client_did(scene):
    scene.refuse()
    for command, duration_ms in (("/s/priced-context/launch", 31), ("/other/hook", 900)):
        attachment = {"type": "hook_success", "command": command, "durationMs": duration_ms}
        scene.log.line("attachment", attachment=attachment | {"content": "", "stdout": "{}"})

    times = summary_of(scene.report())["hook_ms"]

    assert times == {"n": 1, "median": 31, "p95": 31}


def test_the_account_adds_up(scene):
    """Quoted less every deduction is the net; no token is lost between the lines."""
    scene.refuse()
    scene.call("Read", numbered(code(900)), file_path=PATH)
    scene.log.compact()
    scene.refuse()
    scene.call("Read", numbered(code(100)), file_path=PATH, limit=100)

    summary = summary_of(scene.report())

    deducted = [f"{name}_tokens" for name in ("shown", "bought", "forfeited", "own")]
    assert summary["net_tokens"] == summary["quoted_tokens"] - sum(summary[n] for n in deducted)
    outcomes = summary["outcomes"].values()
    assert summary["net_tokens"] == sum(row["net_tokens"] for row in outcomes)
    assert summary["outcomes"]["paid anyway"]["n"] == 1


def run(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from priced_context.cli import main; exit(main())"]
    return subprocess.run(
        [*command, "report", *arguments],
        capture_output=True,
        text=True,
        env={"HOME": str(home), "PYTHONPATH": "core", "COLUMNS": "100"},
        check=False,
        cwd=Path(__file__).parent.parent,
    )


def test_the_report_for_people_and_for_programs(scene, tmp_path):
    scene.refuse()

    table, said = run(home=tmp_path), run("--json", "--session", "s1", home=tmp_path)

    assert "abandoned" in table.stdout
    assert json.loads(said.stdout)["refused"] == 1


def test_a_bar_shows_how_often_and_never_stands_beside_a_loss(scene, tmp_path):
    """A full bar after `-40 tokens` would look like a gain."""
    scene.refuse()
    scene.call("Read", numbered(code(900)), file_path=PATH)

    lines = run(home=tmp_path).stdout.splitlines()

    assert lines[0].endswith("by 1 agent")
    row = next(line.split() for line in lines if "paid anyway" in line)
    assert row[2:4] == ["1", "█" * 20]
    assert int(row[-1]) < 0


def test_a_fresh_installation_has_nothing_to_report(tmp_path):
    projects = tmp_path / ".claude" / "projects" / "here"
    projects.mkdir(parents=True)
    (projects / "s1.jsonl").touch()

    ran = run(home=tmp_path)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "no read was refused or cut yet, so there is nothing to report\n"


def test_a_broken_log_is_named_and_the_rest_is_reported(scene, tmp_path):
    scene.refuse()
    scene.log.path.write_bytes(b"\x00\x01")

    ran = run("--json", home=tmp_path)

    assert ran.returncode == 1
    assert "not a session log, line 1" in ran.stderr
    assert json.loads(ran.stdout)["outcomes"]["not in a log"]["n"] == 1
