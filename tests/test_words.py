"""Whether a line can read at all: asked of every line, so quick, and never wrong by saying no."""

import pytest

from priced_context.shell.evaluator import table_of
from priced_context.shell.git import VERBS
from priced_context.words import FAMILIES, FRONT_ENDS, GIT_VERBS, READING_WORDS, may_read


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_names_the_commands_of_its_table(family):
    """A command that is in one of them only would be recognised and never asked for."""
    assert FAMILIES[family] == table_of(family).keys()


def test_no_command_is_of_two_families():
    """The evaluator takes the first that has it."""
    assert sum(map(len, FAMILIES.values())) == len(frozenset().union(*FAMILIES.values()))


def test_the_verbs_are_those_of_gits_table():
    assert VERBS.keys() == GIT_VERBS


def test_what_runs_other_words_is_no_reading_word_itself():
    """`git status` and `python -m pytest` must not pay for the recogniser."""
    assert READING_WORDS.isdisjoint(FRONT_ENDS)


@pytest.mark.parametrize(
    "line",
    [
        "cat a",
        "/bin/cat a",
        "\\cat a",
        'c"a"t a',
        "c'a't a",
        "x=cat; $x a",
        "{cat,a}",
        "echo $(cat a)",
        "echo `cat a`",
        "a|cat",
        "a;cat",
        "a&&cat a",
        "(cat a)",
        "if true;then cat a;fi",
        "bash -c 'cat a'",
        "ca\\\nt a",
        "echo a\\\\\ncat b",
        "\tcat\ta",
        "echo hi\ncat a",
        "git show HEAD:a",
        "python3 -c \"print(open('a').read())\"",
        'echo "$(<a)"',
        "while read l; do echo $l; done < a",
        "A=1 B=2 xargs cat",
        "time -p cat a",
        "find . -exec cat {} +",
    ],
)
def test_a_word_of_the_table_is_seen_however_it_is_written(line):
    assert may_read(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "npm test",
        "git status",
        "git add -A && git commit -m 'concat the catalogue'",
        "python3 -m pytest -q tests",
        "cargo build 2>&1",
        "mkdir -p build && cd build",
        "docker compose up -d",
        "./cat.sh; ./headless --category tailor",
    ],
)
def test_an_ordinary_line_does_not_need_the_recogniser(line):
    assert not may_read(line)
