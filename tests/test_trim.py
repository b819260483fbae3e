"""A result that nobody could price, cut after the fact."""

import json

import pytest

from priced_context import trim
from priced_context.wire import decode_result
from scene import log


@pytest.fixture
def after(agent, tmp_path):
    """Return a function that runs one call's result through the hook, with the switch on."""
    (tmp_path / "config.toml").write_text("cut_unpriced = true")
    (agent.state / "policy").write_text(f"{tmp_path / 'config.toml'}\t0\n")

    def after(tool: str, response, use_id: str = "toolu_1", **fields):
        payload = json.loads(agent.payload(tool, **fields))
        payload |= {"tool_response": response, "tool_use_id": use_id}
        answer = trim.answer(*decode_result(json.dumps(payload).encode()), str(agent.state))
        return json.loads(answer)["hookSpecificOutput"]["updatedToolOutput"] if answer else None

    return after


REMOTE = {"path": "/not/on/this/machine.py"}


def mcp(text: str) -> list[dict]:
    return [{"type": "text", "text": text}]


def test_the_middle_becomes_one_line_and_the_whole_is_kept(after, agent):
    """The client drops the original from its log, so it must stand somewhere."""
    text = log(600)

    shown = after("mcp__fs__read_file", mcp(text), **REMOTE)[0]["text"]

    lines = shown.splitlines()
    note = next(line for line in lines if line.startswith("[lines "))
    assert lines[0] == text.splitlines()[0]
    assert lines[-1] == text.splitlines()[-1]
    assert len(shown) < len(text) * 0.6
    assert "are left out: ~" in note
    assert f"{agent.state}/ctx get out:toolu_1 prints everything" in note
    whole = agent.state / "sessions" / "s1" / "out" / "toolu_1"
    assert whole.read_text() == text
    assert whole.stat().st_mode & 0o777 == 0o600


def test_the_way_back_is_a_command_that_a_shell_takes(after, agent, tmp_path, monkeypatch):
    """Also where the state folder has a blank in its path."""
    monkeypatch.setattr(agent, "state", agent.state.rename(tmp_path / "of a user"))

    shown = after("mcp__fs__read_file", mcp(log(600)), **REMOTE)[0]["text"]

    assert f". '{agent.state}/ctx' get out:toolu_1 prints everything]" in shown


def test_the_note_counts_the_lines_that_are_gone(after):
    """So that the reader can ask for them."""
    text = "".join(f"line {number} of a long result\n" for number in range(1, 1_500))

    shown = after("mcp__fs__read_file", mcp(text), **REMOTE)[0]["text"].splitlines()

    place = next(i for i, line in enumerate(shown) if line.startswith("[lines "))
    first, last = map(int, shown[place].split()[1].split("-"))
    assert shown[place - 1].startswith(f"line {first - 1} of")
    assert shown[place + 1].startswith(f"line {last + 1} of")


def test_a_small_result_is_left_alone(after):
    """It is under the budget of one read."""
    assert after("mcp__fs__read_file", mcp(log(50)), **REMOTE) is None


@pytest.mark.parametrize(
    "response",
    [None, "", [], [{}], {"stdout": 5}, mcp("x") * 2, [{"type": "image", "data": "x" * 90_000}]],
)
def test_a_result_of_another_shape_is_left_alone(after, response):
    """The client would not take our form of it."""
    assert after("mcp__fs__read_file", response, **REMOTE) is None


def test_what_was_priced_is_never_cut(after, agent):
    """It was let through at its price."""
    response = mcp((agent.project / "mid.py").read_text())

    assert after("mcp__fs__read_file", response, path=str(agent.project / "mid.py")) is None


def test_a_programs_output_is_never_cut(after):
    """Tests, builds and diffs are read to the end."""
    response = {"stdout": log(600), "stderr": "", "interrupted": False}

    assert after("Bash", response, command="npm test") is None


@pytest.mark.parametrize("use_id", ["", "../x", "a" * 65])
def test_without_a_place_to_keep_it_nothing_is_cut(after, use_id):
    """Losing a result would be worse than paying for it."""
    assert after("mcp__fs__read_file", mcp(log(600)), use_id, **REMOTE) is None


def test_it_is_off_until_it_is_switched_on(after, agent):
    """The default leaves every result alone."""
    (agent.state / "policy").unlink()

    assert after("mcp__fs__read_file", mcp(log(600)), **REMOTE) is None
