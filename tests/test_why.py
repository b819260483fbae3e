"""`ctx why`: the last verdict of a session, explained."""

import time

from priced_context.memory import SLICE, VERDICTS, forget, remember
from priced_context.policy import BOUND
from priced_context.records import DENY, REWRITE
from priced_context.why import MEANING


def test_every_verdict_that_is_remembered_has_its_words():
    """A row that nobody can explain is a row that nobody trusts."""
    assert MEANING.keys() == {*VERDICTS, BOUND}


def test_the_last_verdict_is_the_one_explained(scratch):
    """A compaction is none."""
    folder = str(scratch.state / "sessions" / "s1")
    remember(folder, 1_000, SLICE, [("/old.py", 700)])
    remember(folder, 2_000, DENY, [("/a.py", 12_000), ("/b\n.py", 800)])
    forget(folder, 3_000)

    done = scratch.ctx("why")

    first, *files, _ = done.stdout.splitlines()
    clock = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(2))
    assert first == f"{clock} deny, session s1: {MEANING[DENY]}"
    assert files == [
        "  ~10k tok (12,000 estimated)  /a.py",
        "  ~1k tok (800 estimated)  /b\\u000a.py",
    ]


def test_a_bounded_command_of_a_subagent_is_no_cut(scratch):
    """The memory has one word for both."""
    remember(f"{scratch.state}/sessions/s1.a2", 1_000, REWRITE, [("$ Bash git log", 9_000)])

    done = scratch.ctx("why")

    assert f" bound, session s1, agent a2: {MEANING[BOUND]}\n" in done.stdout


def test_without_a_verdict_it_says_so(scratch):
    """In one sentence."""
    done = scratch.ctx("why", "--session", "s1")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "ctx: no read was refused, cut or counted in session s1 yet\n"
