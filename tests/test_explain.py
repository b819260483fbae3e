"""`ctx explain`: what the hook would answer, from which numbers, and nothing remembered."""

import gzip
import json
import subprocess
from pathlib import Path

import pytest

from priced_context.explain import as_json, explain
from priced_context.wire import decode_call
from scene import code
from scratch import CTX


def explained(agent, tool: str, **fields):
    return explain(decode_call(agent.payload(tool, **fields)), str(agent.state))


def test_it_shows_what_the_verdict_rests_on(agent, project):
    """Kind, reads, window, verdict and the very words."""
    found = explained(agent, "Read", file_path=str(project / "mid.py"))

    (read,) = found["reads"]
    assert found["kind"] == "dump"
    assert read | {"tokens": 0} == {
        "path": str(project / "mid.py"),
        "first_line": 1,
        "line_count": None,
        "tokens": 0,
        "bucket": "~10k",
        "basis": "peek",
    }
    assert found["window"] == {
        "tokens": 200_000,
        "used": 0,
        "free": 179_000,
        "source": "status-line",
    }
    assert found["verdict"] == "deny"
    assert found["reason"] == agent.reason("mid.py")


def test_nothing_is_remembered(agent, project):
    """However often it is asked."""
    before = sorted(agent.state.rglob("*"))

    for _ in range(2):
        assert explained(agent, "Read", file_path=str(project / "mid.py"))["verdict"] == "deny"

    assert sorted(agent.state.rglob("*")) == before


@pytest.mark.parametrize(
    ("tool", "fields"),
    [("WebFetch", {"url": "x"}), ("Bash", {"command": "npm test"}), ("Read", {"file_path": "/no"})],
)
def test_a_call_without_a_read_passes(agent, tool, fields):
    """And says so."""
    found = explained(agent, tool, **fields)

    assert (found["kind"], found["reads"], found["verdict"]) == ("none", [], "pass")


@pytest.mark.parametrize(
    ("tool", "fields", "note"),
    [
        ("Read", {"file_path": "/no"}, "no such file: /no"),
        (
            "Bash",
            {"command": "grep margin mid.py"},
            "a part of the file at most: never refused on that alone",
        ),
        ("WebFetch", {"url": "x"}, "nothing here is worth a price"),
    ],
)
def test_why_there_is_no_price_is_said(agent, tool, fields, note):
    assert explained(agent, tool, **fields)["note"] == note


def test_what_allow_exempts_is_named_and_not_judged(agent, project):
    """Both of one call, one of two, and none of them is a payload that is wrong."""
    (project / ".priced-context.toml").write_text('allow = ["mid.py", "part.py"]\n')
    (project / "part.py").write_text(code(100))
    (project / "most.py").write_text(code(750))

    alone = explained(agent, "Read", file_path=str(project / "mid.py"))
    beside = explained(agent, "Bash", command="cat part.py most.py")

    exempt = f"`allow` exempts {project / 'mid.py'}"
    assert (alone["reads"], alone["verdict"]) == ([], "pass")
    assert alone["note"] == f"{exempt}; nothing else is read"
    assert [read["path"] for read in beside["reads"]] == [str(project / "most.py")]
    assert beside["verdict"] == "deny"
    assert beside["note"] == f"`allow` exempts {project / 'part.py'}"


def test_a_command_without_an_end_is_bounded(agent):
    found = explained(agent, "Bash", command="git log -p")

    assert (found["verdict"], found["updated_input"]["command"][:13]) == ("bound", "git log -p | ")


def test_many_reads_are_a_line_each(agent):
    """With what they cost together, and for which model."""
    found = explained(agent, "Bash", command="cat mid.py app.log small.py")

    lines = as_json(found).splitlines()
    assert json.loads(as_json(found)) == found
    assert [line.startswith('    {"path": ') for line in lines[3:7]] == [True, True, True, False]
    assert found["tokens"] >= sum(read["tokens"] for read in found["reads"]) > 0
    assert (found["model"], found["priced_as"]) == ("claude-opus-4-6", "claude-3-4.6")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "ctx: stdin is empty: give it a PreToolUse payload (docs/flow.md shows one)"),
        ("{", "ctx: stdin holds no PreToolUse payload: "),
        ("[]", "ctx: stdin holds no PreToolUse payload: the payload is not an object"),
    ],
)
def test_what_is_no_payload_is_one_sentence(scratch, given, said):
    done = subprocess.run(
        [CTX, "explain"],
        input=given,
        env=scratch.environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(said)


def test_an_agent_without_a_name_is_never_refused(agent, project):
    """As the hook has it."""
    agent.session_id = ""

    assert explained(agent, "Read", file_path=str(project / "mid.py"))["verdict"] == "pass"


def test_a_range_from_the_end_is_counted_out(agent):
    """The hook leaves that to us."""
    found = explained(agent, "Bash", command="tail -n 50 app.log")

    assert (found["reads"][0]["first_line"], found["reads"][0]["line_count"]) == (2351, 50)


def test_a_count_past_the_end_stays_as_asked(agent):
    """What was asked for, not what there is."""
    found = explained(agent, "Bash", command="head -n 99999 small.py")

    assert (found["reads"][0]["first_line"], found["reads"][0]["line_count"]) == (1, 99_999)


def test_a_binary_has_no_bucket(agent, project):
    """No price is not a small price."""
    (project / "data.bin").write_bytes(b"\0\1" * 9_000)

    found = explained(agent, "Read", file_path=str(project / "data.bin"))

    assert (found["reads"][0]["bucket"], found["reads"][0]["basis"]) == (None, "unknown")


@pytest.fixture(scope="session")
def tree(shared, tmp_path_factory) -> Path:
    """Return the fixture tree that the shared shell cases speak of, in a repository."""
    root = tmp_path_factory.mktemp("tree")
    for name, lines in json.loads((shared / "cases" / "fixture.json").read_text()).items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        text = "".join(f"x{i} = {i}  # pay for this\n" for i in range(1, lines + 1))
        if name.endswith(".json"):
            rows = ",\n".join(json.dumps({"x": i}) for i in range(lines - 2))
            text = f"[\n{rows}\n]\n"
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", root]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], check=True)
    return root


@pytest.mark.parametrize(
    ("command", "first_line", "line_count"),
    [
        ("head -n -10 app.log", 1, 8990),
        ("tail -n 50 app.log", 8951, 50),
        ("tail -n 50 app.log | head -n -10", 8951, 40),
        ("sed '$d' small.py", 1, 19),
        ("head -n -50 small.py", 1, 0),
    ],
)
def test_what_counts_from_the_end_is_counted_out(tree, agent, command, first_line, line_count):
    """A person reads lines; the hook keeps -50 and never opens the file for it."""
    agent.project = tree

    (read,) = explained(agent, "Bash", command=command)["reads"]

    assert (read["first_line"], read["line_count"]) == (first_line, line_count)


def test_the_shared_shell_cases(shared, tree, agent):
    """Every one, through the whole of the product, paths made absolute."""
    agent.project = tree
    wrong = []
    for line in (shared / "cases" / "shell.jsonl").read_text().splitlines():
        case = json.loads(line)
        found = explained(agent, "Bash", command=case["command"])
        reads = [[r["path"], r["first_line"], r["line_count"]] for r in found["reads"]]
        wanted = [[str(tree / r["path"]), r["first"], r["count"]] for r in case["reads"]]
        if (found["kind"], reads) != (case["kind"], wanted):
            wrong.append((case["command"], found["kind"], reads, wanted))

    assert wrong == []
