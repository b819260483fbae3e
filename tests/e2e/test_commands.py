"""Shell commands in the real client: refused, passed or bounded, and the user's rules intact."""

import json
import re
import subprocess

import pytest
from played import CHECKING_MODEL, bash, edit, play

from scene import code

ASKS_ALONE = "git -C . log"
"""A command of no known size that the client asks about, where plain `git log` it does not."""


@pytest.fixture
def project(client):
    """Return a repository: a file over the budget of one read, a short one, 150 commits."""
    client.environment()
    (client.project / "long.py").write_text(code(850))
    (client.project / "short.py").write_text(code(20))
    commits = "".join(
        f"commit refs/heads/main\ncommitter Ann <ann@shop> {number} +0000\n"
        f"data <<END\nthe reason of change {number}\nEND\n"
        for number in range(1, 151)
    )
    git = ["git", "-C", client.project]
    subprocess.run([*git, "init", "--quiet", "--initial-branch", "main"], check=True)
    subprocess.run([*git, "fast-import", "--quiet"], input=commits.encode(), check=True)
    return client.project


@pytest.mark.parametrize(
    "dump",
    [
        "cat long.py",
        "sed -n 1,850p long.py",
        "python3 -c \"print(open('long.py').read())\"",
        "cd . && head -n 800 long.py | tail -n +1",
    ],
)
@pytest.mark.usefixtures("project")
def test_a_dump_is_refused_with_its_price_and_served_when_it_comes_again(guarded, bare, dump):
    """Also one that nobody would know by its first word."""
    session = play(guarded, bash(dump), bash(dump), model=CHECKING_MODEL)

    refused, served = session.results
    assert refused.is_error
    assert re.search(r"Not an error: printing long\.py .* ~10k tok \(~5% of window\)", refused.text)
    assert "Sending the same call again runs it." in refused.text
    without_us = play(bare, bash(dump), model=CHECKING_MODEL).results[0]
    assert not served.is_error
    assert shown(served) == shown(without_us)


@pytest.mark.usefixtures("project")
def test_what_a_pattern_picks_passes_untouched(guarded, bare):
    """Its price is only an upper bound: nothing is refused on that, nor said of it."""
    found = bash("grep margin_of long.py")

    with_us = play(guarded, found, model=CHECKING_MODEL)

    assert shown(with_us.results[0]) == code(850).strip()
    without_us = play(bare, found, model=CHECKING_MODEL)
    assert with_us.api.sent()[-1].news == without_us.api.sent()[-1].news


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        pytest.param(ASKS_ALONE, f"Bash({ASKS_ALONE} *)", id="by a prefix"),
        pytest.param(ASKS_ALONE, f"Bash({ASKS_ALONE})", id="by its exact words"),
        pytest.param("git log", "Edit", id="read-only to the client"),
        pytest.param("grep -rn margin_of .", "Edit", id="grep, read-only to the client"),
    ],
)
@pytest.mark.usefixtures("project")
def test_an_endless_command_is_bounded_and_runs_unasked(guarded, command, rule):
    """The rule for the command still matches, and `head` needs none; sent again it runs whole."""
    twice = [bash(command)] * 2

    session = play(guarded, *twice, allowed=(rule,), model=CHECKING_MODEL)

    bounded, whole = session.results
    assert not bounded.is_error, bounded.text
    assert not whole.is_error, whole.text
    assert len(shown(bounded).splitlines()) == 200
    assert shown(whole) != shown(bounded)
    first_news, second_news = (request.news for request in session.api.sent()[1:3])
    assert "This call was bounded to 200 lines" in first_news
    assert "~10k tok (~5% of window)" in first_news
    assert "bounded" not in second_news


@pytest.mark.usefixtures("project")
def test_a_bounded_command_that_is_not_allowed_still_asks(guarded, bare):
    """A rewrite must not widen what the user allowed."""
    command, rules = bash(ASKS_ALONE), ("Bash(git log *)", "Edit")

    with_us = play(guarded, command, allowed=rules, model=CHECKING_MODEL).results[0]
    without_us = play(bare, command, allowed=rules, model=CHECKING_MODEL).results[0]

    assert without_us.is_error
    assert with_us.is_error
    assert "approval" in with_us.text
    assert "change" not in with_us.text


@pytest.mark.parametrize("rule", ["Bash(git log *)", "Bash(git log --all)", "Bash"])
@pytest.mark.usefixtures("project")
def test_a_deny_rule_holds_for_a_bounded_command(guarded, rule):
    """The client judges each part of the pipe by itself."""
    deny(guarded, rule)

    refused = play(guarded, bash("git log --all"), model=CHECKING_MODEL).results[0]

    assert refused.is_error
    assert "denied" in refused.text or "No such tool" in refused.text
    assert "the reason of change" not in refused.text


@pytest.mark.usefixtures("project")
def test_a_deny_rule_holds_for_a_dump_that_comes_again(guarded):
    """We refuse once; what is behind us still refuses."""
    deny(guarded, "Bash(cat *)")

    twice = [bash("cat long.py")] * 2

    ours, theirs = play(guarded, *twice, model=CHECKING_MODEL).results

    assert "Not an error" in ours.text
    assert theirs.is_error
    assert "denied" in theirs.text
    assert "item = margin_of" not in ours.text + theirs.text


@pytest.mark.usefixtures("project")
def test_a_bounded_command_that_fails_counts_as_done(guarded, bare):
    """The exit status is that of `head`; the reason of the failure is shown all the same."""
    failing = bash("git log no-such-branch")

    with_us = play(guarded, failing, model=CHECKING_MODEL).results[0]
    without_us = play(bare, failing, model=CHECKING_MODEL).results[0]

    assert without_us.is_error
    assert "Exit code 128" in without_us.text
    assert not with_us.is_error
    assert "unknown revision" in with_us.text


def test_a_model_that_must_read_first_can_edit_after_its_second_cat(guarded, project):
    """A refusal alone does not count as read; the call that it lets through does."""
    long = project / "long.py"
    long.write_text(long.read_text() + "needle\n")
    thread = edit(long, "needle", "thread")
    dump = bash(f"cat {long}")

    session = play(guarded, dump, thread, dump, thread, model=CHECKING_MODEL)

    assert [result.is_error for result in session.results] == [True, True, False, False]
    assert "has not been read yet" in session.results[1].text
    assert long.read_text().endswith("thread\n")


def test_a_bounded_command_takes_nothing_from_what_was_read(guarded, project):
    """What was read before it may still be edited."""
    short = project / "short.py"
    short.write_text("needle\n")
    turns = [bash(f"cat {short}"), bash("grep -rn margin_of ."), edit(short, "needle", "thread")]

    session = play(guarded, *turns, model=CHECKING_MODEL)

    assert not any(result.is_error for result in session.results)
    assert "bounded to" in session.api.sent()[2].news


def shown(result) -> str:
    """Return a command's output without the tokens left, which some clients add to it."""
    return result.text.partition("<system-reminder>")[0].strip()


def deny(client, rule: str) -> None:
    """Put a deny rule into the user's settings."""
    settings = json.loads(client.settings.read_text()) | {"permissions": {"deny": [rule]}}
    client.settings.write_text(json.dumps(settings))
