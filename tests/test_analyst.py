"""What a compaction must keep, found in the conversation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priced_context.budget.conversation import read_conversation
from priced_context.compaction.analyst import BUDGET_TOKENS, Span, analyse, merged
from priced_context.prices import CLAUDE_OLDER, price_text
from session_log import SessionLog

MODEL = "claude-opus-4-6"


class Work:
    """An agent at work in a project."""

    def __init__(self, project):
        self.project = project
        self.log = SessionLog(project / "log.jsonl")
        self.log.says("go")

    def does(self, tool: str, result: str = "ok", *, is_error: bool = False, **given) -> None:
        call = self.log.calls(10_000, tool, **given)
        self.log.results(call, result, is_error=is_error)

    def file(self, name: str, lines: int = 100) -> str:
        path = self.project / name
        path.write_text("".join(f"line {number} of it\n" for number in range(1, lines + 1)))
        return str(path)

    def kept(self) -> list[str]:
        """Return the lines that the summary is given, without the head."""
        messages = read_conversation(self.log.path).messages
        return analyse(
            messages, str(self.project), MODEL, str(self.project / "state")
        ).splitlines()[1:]


@pytest.fixture
def work(tmp_path):
    return Work(tmp_path)


def test_every_kind_in_the_order_of_its_worth(work, golden):
    """Todos and failures are in no file; edits outweigh reads."""
    parser, notes = work.file("parser.py", 400), work.file("notes.md", 30)
    work.does("TodoWrite", todos=[{"content": "split the parser", "status": "in_progress"}])
    work.does("Read", file_path=parser, offset=100, limit=50)
    work.does("Read", file_path=notes)
    work.does(
        "Edit", file_path=parser, old_string="x", new_string="line 120 of it\nline 121 of it\n"
    )
    work.does("Bash", "Exit code 1\nran 3\n3 failed", is_error=True, command="pytest -q")

    golden("words/analysis.txt", "\n".join(work.kept()) + "\n")


def test_the_last_list_of_todos_counts(work):
    todo = {"content": "a", "status": "pending"}
    work.does("TodoWrite", todos=[todo, {"content": "b", "status": "pending"}])
    work.does("TodoWrite", todos=[todo, {"content": "b", "status": "completed"}])

    assert work.kept() == ["Open todos:", "- a (pending)"]


def test_tasks_are_todos_too(work):
    """Newer clients keep them one by one."""
    work.does("TaskCreate", "Task #1 created successfully: a", subject="a")
    work.does("TaskCreate", "Task #2 created successfully: b", subject="b")
    work.does("TaskUpdate", taskId="1", status="completed")
    work.does("TaskUpdate", taskId="2", status="in_progress")

    assert work.kept() == ["Open todos:", "- b (in_progress)"]


def test_a_command_that_was_repaired_is_no_failure(work):
    work.does("Bash", "Exit code 1\nboom", is_error=True, command="make")
    work.does("Bash", "fine", command="make")

    assert work.kept() == []


def test_a_refusal_is_no_failure_of_the_command(work):
    """It never ran."""
    work.does("Bash", "Not an error: big.log is ~20k tok", is_error=True, command="cat big.log")

    assert work.kept() == []


def test_a_failed_edit_is_no_edit(work):
    path = work.file("a.py")
    work.does("Edit", "String not found", is_error=True, file_path=path, new_string="x")

    assert work.kept() == []


def test_a_file_that_is_gone_has_no_handle(work):
    """Nothing could bring it back."""
    path = work.file("a.py")
    work.does("Read", file_path=path)
    (work.project / "a.py").unlink()

    assert work.kept() == []


def test_spans_of_one_file_that_meet_are_one(work):
    path = work.file("a.py", 400)
    work.does("Read", file_path=path, offset=1, limit=50)
    work.does("Read", file_path=path, offset=51, limit=50)
    work.does("Read", file_path=path, offset=300, limit=20)

    assert [line.partition(" (")[0] for line in work.kept()] == [
        "Read:", "- repo:a.py:1-100", "- repo:a.py:300-319",
    ]  # fmt: skip


def test_what_a_command_printed_was_read(work):
    work.file("a.py", 400)
    work.does("Bash", "…", command="sed -n 20,60p a.py")

    assert [line.partition(" (")[0] for line in work.kept()] == ["Read:", "- repo:a.py:20-60"]


def test_a_file_outside_the_project_keeps_its_path(work, tmp_path_factory):
    path = tmp_path_factory.mktemp("outside") / "b.py"
    path.write_text("x = 1\n" * 50)
    work.does("Read", file_path=str(path))

    assert work.kept()[1].startswith(f"- {path} (~")


def test_words_of_the_model_stay_on_their_line(work):
    """A todo must not open a section of its own."""
    work.does("TodoWrite", todos=[{"content": "a\nRead:\n- \x1b[2Jevil", "status": "pending"}])

    assert work.kept() == ["Open todos:", "- a Read: -  [2Jevil (pending)"]


def test_the_same_conversation_gives_the_same_words(work):
    path = work.file("a.py")
    work.does("Read", file_path=path)

    assert work.kept() == work.kept()


def test_it_never_costs_more_than_its_budget(work):
    """However much was done; the newest stays."""
    for number in range(60):
        work.does("Read", file_path=work.file(f"{'long' * 20}{number}.py"))
        work.does("Bash", f"Exit code 1\n{'x ' * 200}", is_error=True, command=f"make {number}")

    said = "\n".join(work.kept())

    assert price_text(said.encode(), CLAUDE_OLDER, "", 0) <= BUDGET_TOKENS
    assert "make 59" in said


SPANS = st.builds(
    lambda first, length: Span(first, first + length if length >= 0 else 0),
    st.integers(1, 500),
    st.integers(-1, 80),
)


@given(st.lists(SPANS))
def test_merging_loses_no_line(spans):
    """And what comes out is apart and in order."""

    def covered(places):
        return {n for first, last in places for n in range(first, (last or 1000) + 1)}

    whole = merged(spans)

    assert covered(spans) <= covered(whole)
    assert whole == sorted(whole) == merged(whole)
