"""The prefilter leaves only where Python would say nothing and write nothing."""

import json
import subprocess
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from payloads import PIECES, calls, make_project, recorded_calls
from prefilter_batch import SANITIZED, STRICT, PrefilterBatch, is_silent_in_python
from priced_context.prefilter import FLAGS, compiler
from priced_context.settings import compile_sources
from priced_context.words import READING_WORDS, may_read

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C compiler here")


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    """Return the prefilter, under the sanitizers where the compiler has them."""
    folder = tmp_path_factory.mktemp("batch")
    try:
        batch = PrefilterBatch(folder, SANITIZED)
    except subprocess.CalledProcessError:
        batch = PrefilterBatch(folder, FLAGS)
    yield batch
    batch.close()


@pytest.fixture
def strict_state(tmp_path) -> Path:
    """Return a state whose settings refuse whatever has a price."""
    state = tmp_path / "state"
    (state / "sessions").mkdir(parents=True)
    config = tmp_path / "config.toml"
    config.write_text(STRICT)
    compile_sources(str(state), f"{state}/policy", [str(config)])
    return state


def test_there_is_one_decision_maker(batch, strict_state, tmp_path):
    """Ten thousand calls here, a hundred thousand in benchmarks/prefilter_against_python.py."""
    project = tmp_path / "project"
    paths = make_project(project)
    random = Random(1)
    generated = calls(random, paths, project, recorded_calls())
    left = [payload for payload in islice(generated, 10_000) if batch.passes(payload)]

    for payload in left:
        assert is_silent_in_python(payload, strict_state), payload
    assert len(left) > 500  # a prefilter that never leaves would be as right


def bash(command: str) -> bytes:
    call = {"tool_name": "Bash", "tool_input": {"command": command}}
    return json.dumps(call, ensure_ascii=False).encode("utf-8", "surrogatepass")


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3)).map("".join))
def test_a_command_that_may_read_is_never_left(batch, command):
    """Whatever a shell could make of quotes, operators, continued lines and odd blanks."""
    if may_read(command):
        assert not batch.passes(bash(command))


@given(st.text(st.characters(max_codepoint=126, min_codepoint=32)))
def test_a_plain_line_without_the_words_is_left(batch, command):
    """Printable ASCII is what nearly every command is."""
    assert batch.passes(bash(command)) == (not may_read(command))


@pytest.mark.parametrize("word", sorted(READING_WORDS))
def test_every_word_of_the_table_is_known(batch, word):
    """The table is made from the Python one when the prefilter is compiled."""
    assert not batch.passes(bash(f"true && {word} a"))
    assert batch.passes(bash(f"true && {word}x0 a"))
