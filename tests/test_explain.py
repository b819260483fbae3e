"""`ctx explain`: what the hook would answer, from which numbers, and nothing remembered."""

import gzip
import json
import subprocess
from pathlib import Path

import pytest

from priced_context.explain import explain


def explained(agent, tool: str, **fields):
    return explain(agent.payload(tool, **fields), str(agent.state))


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
