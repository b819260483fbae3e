"""Results that had no price, cut in the real client, and got back whole."""

import json
import re
import subprocess
import sys

import pytest
from played import CHECKING_MODEL, bash, follow, play
from test_servers import LOADED, TOOL, WITH_SERVER, from_server

from priced_context.caps import version_of
from scene import code
from scratch import CTX

WHOLE = code(850)
SINCE = (2, 1, 121)
"""The first client that takes another text for a shell's result."""


@pytest.fixture
def cutting(client):
    """Return the client with the guard installed, and the switch on."""
    if version_of(client.version()) < SINCE:
        pytest.skip("clients before 2.1.121 have no updatedToolOutput for Bash")
    config = client.home / ".config" / "priced-context" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("cut_unpriced = true\n")
    subprocess.run([CTX, "install"], env=client.environment(), check=True, capture_output=True)
    return client


@pytest.fixture
def project(client):
    """Return a repository with one commit of a file over the budget of one read."""
    client.environment()
    (client.project / "big.py").write_text(WHOLE)
    git = ["git", "-C", client.project, "-c", "user.name=Ann", "-c", "user.email=ann@shop"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "one"]):
        subprocess.run([*git, *words], check=True)
    return client.project


def way_back(text: str) -> str:
    """Return the command that a cut result names."""
    return re.search(r"tok[^\n]*\. (\S+/ctx get out:\S+) prints everything\]", text)[1]


@pytest.mark.usefixtures("project")
def test_a_cut_result_is_got_back_by_the_command_that_it_names(cutting):
    """Byte for byte; and what brings it back is itself never cut."""

    def plan(result):
        yield bash("git show HEAD:big.py")
        yield bash(way_back(result().text))

    cut, whole = follow(cutting, plan, model=CHECKING_MODEL).results

    assert not cut.is_error
    assert cut.text.startswith("item = margin_of(price, discount)\n")
    assert len(cut.text) < 0.8 * len(WHOLE)
    assert not whole.is_error
    assert WHOLE.rstrip("\n") in whole.text
    *_, use_id = way_back(cut.text).split()
    printed = subprocess.run(
        [CTX, "get", use_id], env=cutting.environment(), capture_output=True, check=True
    ).stdout
    assert printed == WHOLE.rstrip("\n").encode()  # the client drops a result's last line end
    kept = next(cutting.state.glob("sessions/*/out/*"))
    assert kept.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("project")
def test_a_cut_result_is_gone_from_the_sessions_log_too(cutting):
    """So that resuming does not bring it back, and our copy is the only one."""
    session = play(cutting, bash("git show HEAD:big.py"), model=CHECKING_MODEL)

    logs = [log.read_text() for log in session.transcripts]
    assert not any(json.dumps(WHOLE.rstrip("\n"))[1:-1] in log for log in logs)


def test_a_servers_file_that_is_not_here_is_cut(cutting, project):
    """It had no price: no such path on this machine."""
    remote = from_server(f"remote:{project / 'big.py'}")

    session = play(
        cutting, LOADED, remote, flags=WITH_SERVER, allowed=(TOOL,), model=CHECKING_MODEL
    )

    cut = session.results[1]
    assert way_back(cut.text)
    assert len(cut.text) < 0.8 * len(WHOLE)


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    "command",
    [
        "cat big.py",
        f"{sys.executable} -c 'for n in range(850): print(\"item = margin_of(price, discount)\")'",
    ],
    ids=["priced", "a program's output"],
)
def test_what_was_priced_or_is_a_programs_output_is_never_cut(cutting, command):
    """The one was let through at its price, the other is read to its end."""
    session = play(cutting, bash(command), bash(command), model=CHECKING_MODEL)

    assert WHOLE.rstrip("\n") in session.results[-1].text


@pytest.mark.usefixtures("project")
def test_a_bounded_command_that_comes_again_is_not_cut(cutting):
    """It was let through on purpose."""
    twice = [bash("git show HEAD")] * 2

    bounded, whole = play(cutting, *twice, model=CHECKING_MODEL).results

    assert bounded.text.count("margin_of") < 200
    assert whole.text.count("margin_of") == 850 or "persisted-output" in whole.text
    assert "left out" not in whole.text
