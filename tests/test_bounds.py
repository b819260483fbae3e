"""Where a `| head` may follow a command, and where it may not."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priced_context.bounds import BOUNDABLE, bounded_input, is_one_command, line_count_for
from priced_context.records import UNBOUNDED, ToolCall
from priced_context.shell import intake_of_command
from priced_context.words import FAMILIES, GIT_VERBS


@pytest.mark.parametrize(
    "command",
    [
        "git log",
        "grep -rn 'a|b;c' .",
        'grep -rn "a\\|b" src',
        "find . -name '*.py' 2>/dev/null",
        "find . -name \\*.py 2>&1",
        "ls -R",
        "rgrep pattern .",
        "diff -r a b",
        "fdfind pattern",
    ],
)
def test_one_simple_command_can_be_bounded(command):
    """Whatever it quotes."""
    assert is_one_command(command)


@pytest.mark.parametrize(
    "command",
    [
        "git log; ls",
        "git log && ls",
        "git log | wc",
        "git log > out",
        "(git log)",
        "git log &",
        "git log # all",
        "git log $(date)",
        "git log `date`",
        "git log\nls",
        "git log \\",
        "git log 'open",
        "cat <<E",
    ],
)
def test_anything_else_is_left_alone(command):
    """A pipe would change what it does."""
    assert not is_one_command(command)


@pytest.mark.parametrize(
    "command",
    [
        "find . -print -delete",
        "find . -type f -print -exec rm {} +",
        "find . -fprint out -print",
        "git log -p --output=f",
        "git reflog expire --all",
        "rg --pre ./x pattern",
        "exec git log",
        "sudo git log",
        "fd -x rm",
        "fdfind -x rm",
        "tree -o out",
    ],
)
def test_what_does_more_than_print_is_never_stopped_half_way(command):
    """`head` ends it after its lines, with the rest undone."""
    assert bounded_input(ToolCall("Bash", {"command": command}), 200) is None


def test_whatever_may_print_without_end_may_be_bounded(tmp_path):
    """A command that the recogniser knows and this table does not would pass at the client's cap.

    Each command of the recogniser's, with the words that let one of them or another print a tree.
    """
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    words = ["", "a", "x a", "-R a", "-r x a", "-r a b", "--files", *GIT_VERBS]

    endless = {
        name
        for name in set().union(*FAMILIES.values())
        for line in words
        if intake_of_command(f"{name} {line}", str(tmp_path), "/").kind == UNBOUNDED
    }

    assert endless == BOUNDABLE.keys()


def test_every_other_field_is_echoed():
    """The client replaces the whole input."""
    call = ToolCall("Bash", {"command": "git log ", "timeout": 5})

    assert bounded_input(call, 200) == {"command": "git log | head -n 200", "timeout": 5}


def test_a_command_in_the_background_is_not_bounded():
    """Its output is read later."""
    call = ToolCall("Bash", {"command": "git log", "run_in_background": True})

    assert bounded_input(call, 200) is None


@pytest.mark.parametrize(("budget", "lines"), [(1_414, 50), (7_071, 200), (14_142, 500)])
def test_the_bound_is_a_round_number(budget, lines):
    """One budget, one bound."""
    assert line_count_for(budget) == lines


@given(st.text(alphabet="ab '\"\\|;&<>()#`$*?\n"))
def test_a_bounded_command_prints_the_same_first_lines(words):
    """`echo` with any words, as bash itself runs it with and without the pipe."""
    command = ("echo " + words).rstrip()
    if is_one_command(command):
        assert output_of(command + " | head -n 200") == output_of(command)


def output_of(command: str) -> bytes:
    shell = ["bash", "--norc", "-c", command]
    return subprocess.run(shell, capture_output=True, check=False).stdout
