"""Factors from the user's own bills: learnt, checked on bills held out, and used by the hook."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priced_context import calibrate
from priced_context.calibrate import calibrations, merged
from priced_context.factors import ANY, factor_for, factors_of
from priced_context.files import kind_of
from priced_context.prices import CLAUDE_NEWER, price_read
from priced_context.records import CALIBRATED, PEEK, Read
from priced_context.replayer import PricedTurn, replay_session
from scene import Agent, code
from session_log import Logbook

MODEL = "claude-opus-4-8"


def turns(
    tmp_path: Path, count: int, rate: float, suffix: str = "py", model: str = MODEL
) -> list[PricedTurn]:
    """Return the billed reads of a session whose provider charges *rate* times our estimate."""
    logbook = Logbook(tmp_path / f"{suffix}{count}{rate}.jsonl", model=model, rate=rate)
    for n in range(count):
        logbook.read(f"{n}.{suffix}", code(60 + 7 * n))
    logbook.respond()
    return replay_session(logbook.path, str(tmp_path / "no-state")).priced_turns


def test_a_dear_tokenizer_is_learnt(tmp_path):
    found = calibrations(turns(tmp_path, 60, 1.4))

    assert [(entry.model, entry.kind) for entry in found] == [(MODEL, ANY), (MODEL, "py")]
    assert found[0].is_better
    assert 1.3 < found[0].factor < 1.6
    assert (found[0].after["median"] or 0) < 0.03 < (found[0].before["median"] or 0)


def test_prices_that_are_right_are_left_alone(tmp_path):
    """A factor must earn its place on bills that did not make it."""
    entry = calibrations(turns(tmp_path, 60, 1.4))[1]

    assert not entry.is_better  # the factor for all files has done it already


def test_too_few_bills_make_no_factor(tmp_path):
    assert calibrations(turns(tmp_path, 29, 1.4)) == []
    assert calibrations(turns(tmp_path, 30, 1.4)) != []


def test_noise_makes_no_factor(tmp_path):
    """Held-out bills that disagree with the others refuse it."""
    mixed = turns(tmp_path, 60, 1.0)
    for n, turn in enumerate(mixed):
        if n % calibrate.HELD_OUT:
            mixed[n] = PricedTurn(
                turn.message_id,
                turn.model,
                turn.kinds,
                turn.price_tokens,
                turn.content_tokens,
                turn.bytes4_tokens,
                int(turn.bill_tokens * 1.5),
            )

    assert not any(entry.is_better for entry in calibrations(mixed))


def test_a_kind_of_file_gets_its_own_factor(tmp_path):
    found = calibrations(turns(tmp_path, 45, 1.5) + turns(tmp_path, 60, 1.1, "md"))

    kinds = {entry.kind: entry.factor for entry in found if entry.is_better}
    assert kinds["py"] > kinds["md"]


def test_a_factor_is_clamped(tmp_path):
    assert calibrations(turns(tmp_path, 60, 9.0))[0].factor == 2.5


@given(
    st.lists(st.tuples(st.floats(1, 1e6), st.floats(1, 1e6), st.integers(1, 10**6)), max_size=60)
)
def test_no_bills_make_things_worse(rows):
    """Whatever the bills: a factor in use lowered the held-out median and raised nothing."""
    priced = [
        PricedTurn(str(n), MODEL, ["py"], content + rest, content, 1.0, bill)
        for n, (content, rest, bill) in enumerate(rows)
    ]

    for entry in calibrations(priced):
        assert 0.5 <= entry.factor <= 2.5
        if entry.is_better:
            assert entry.after["median"] < entry.before["median"]
            assert entry.after["p95"] <= entry.before["p95"]


def test_new_factors_replace_old_ones_and_leave_the_rest(tmp_path):
    present = f"other\t*\t1.2\n{MODEL}\tpy\t0.9\n{MODEL}\tgo\t1.1\n".encode()

    rows = merged(present, calibrations(turns(tmp_path, 60, 1.4))).decode().splitlines()

    assert rows[:2] == ["other\t*\t1.2", f"{MODEL}\tgo\t1.1"]
    assert [row.rpartition("\t")[0] for row in rows[2:]] == [f"{MODEL}\t*"]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("", id="empty"),
        pytest.param("claude-opus-4-8\t*", id="torn"),
        pytest.param("claude-opus-4-8\t*\tabc", id="no number"),
        pytest.param("claude-opus-4-8\t*\tnan", id="nan"),
        pytest.param("claude-opus-4-8\t*\t9.9", id="too large"),
        pytest.param("claude-opus-4-8\t*\t0.1", id="too small"),
        pytest.param("claude-opus-4\t*\t1.5", id="another model"),
        pytest.param("\udcff\t\udcff\t1.5", id="not UTF-8"),
    ],
)
def test_a_bad_factor_is_no_factor(tmp_path, line):
    (tmp_path / "factors").write_bytes(line.encode("utf-8", "surrogateescape") + b"\n")

    assert factors_of(str(tmp_path), MODEL) == {}


def test_the_kind_comes_before_all_kinds(tmp_path):
    (tmp_path / "factors").write_text(f"{MODEL}\t*\t1.1\n{MODEL}\tmd\t0.8\n")

    factors = factors_of(str(tmp_path), MODEL + "[1m]")

    assert factor_for("/a/b.MD", factors) == 0.8
    assert factor_for("/a/b.py", factors) == 1.1
    assert factor_for("/a/b.py", {"md": 0.8}) is None


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/a/b.py", "py"), ("/a.d/b", ""), ("/a/.bashrc", ""), ("/a/b.tar.GZ", "gz"), ("/a/b.", "")],
)
def test_the_kind_is_the_last_suffix(path, kind):
    assert kind_of(path) == kind


def test_a_calibrated_price_says_so(project):
    """And its line numbers are not touched: they were measured alone."""
    path = project / "mid.py"
    read = Read(str(path), path.stat().st_size)

    plain, twice = price_read(read, CLAUDE_NEWER), price_read(read, CLAUDE_NEWER, 2.0)

    assert (plain.basis, twice.basis) == (PEEK, CALIBRATED)
    assert twice.tokens == pytest.approx(2 * plain.tokens, abs=1)


def test_the_hook_uses_the_factor(agent: Agent):
    """The file of ~5k passes; twice as dear it is refused."""
    (agent.project / "half.py").write_text(code(450))
    assert agent.reason("half.py") == ""
    (agent.state / "factors").write_text("claude-opus-4-6\tpy\t2.0\n")

    assert agent.reason("half.py").startswith("Not an error: half.py whole is ~10k tok")


def test_from_the_bills_to_the_hook(tmp_path):
    """`ctx calibrate` writes what the next hook reads; `--forget` takes it away."""
    logbook = Logbook(tmp_path / ".claude" / "projects" / "p" / "s1.jsonl", rate=1.4)
    for n in range(60):
        logbook.read(f"{n}.py", code(60 + 7 * n))
    logbook.respond()
    state = tmp_path / ".local" / "state" / "priced-context"

    dry = run("--dry-run", "--json", home=tmp_path)
    was_written = (state / "factors").exists()
    table = run(home=tmp_path)
    factors = factors_of(str(state), MODEL)

    assert json.loads(dry)[0]["is_better"]
    assert not was_written
    assert "in use" in table
    assert 1.3 < factors[ANY] < 1.6
    assert (state / "factors").stat().st_mode & 0o777 == 0o600
    run("--forget", home=tmp_path)
    assert factors_of(str(state), MODEL) == {}


def run(*arguments: str, home: Path) -> str:
    command = [sys.executable, "-c", "from priced_context.cli import main; exit(main())"]
    return subprocess.run(
        [*command, "calibrate", *arguments],
        capture_output=True,
        text=True,
        env={"HOME": str(home), "PYTHONPATH": "core", "COLUMNS": "120"},
        check=True,
        cwd=Path(__file__).parent.parent,
    ).stdout
