"""`ctx price`, as a person runs it."""

import pytest

from scene import code


@pytest.fixture
def source(ctx):
    return ctx.write("a.py", code(900))


def test_a_model_that_is_not_known_is_said(ctx, source):
    """A slip in its name must not look like a price of its own."""
    usual = ctx.run("price", source)

    done = ctx.run("price", "--model", "bogus", source)

    assert done.stdout == usual.stdout
    assert done.stderr == (
        "ctx: no model 'bogus' is known: priced as the newest of Claude's (claude-4.7+)\n"
    )
    assert done.returncode == 0


def test_what_has_no_price_is_called_what_it_is(ctx, source):
    """And the model that the others are priced for is named, once."""
    ctx.write("a.bin", b"\0\1" * 900)
    ctx.write("a.txt", "")

    lines = ctx.out("price", source, "a.bin", "a.txt").splitlines()

    assert [line.split() for line in lines[1:3]] == [
        ["binary", "no", "price", "a.bin"],
        ["empty", "no", "price", "a.txt"],
    ]
    assert lines[3:] == ["priced for claude-opus-5-5"]


@pytest.mark.parametrize("model", ["claude-opus-4-6", "claude-opus-5-5", "gpt-5", "o3-mini"])
def test_a_model_of_a_known_family_is_priced_without_a_word(ctx, source, model):
    done = ctx.run("price", "--model", model, source)

    assert (done.returncode, done.stderr) == (0, "")
