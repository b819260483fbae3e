"""The user's config.toml, checked in full."""

import pytest

from priced_context.config import KEYS, problems
from priced_context.settings import CHECKS


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("", [], id="empty"),
        pytest.param(
            'mode = "observe"\nallow = ["*.lock"]\nread_budget_share = 1\n', [], id="fine"
        ),
        pytest.param(
            "windw_tokens = 1", ["no setting 'windw_tokens'", "'window_tokens'"], id="typo"
        ),
        pytest.param("window_tokens = '200k'", ["window_tokens: Expected `int`"], id="type"),
        pytest.param("allow = ['a', 3]", ["allow[1]: Expected `str`"], id="inside a list"),
        pytest.param(
            "mode = 'of'",
            ["mode: 'of' is none of steer, observe, off; until then the default"],
            id="word",
        ),
        pytest.param(
            "read_budget_share = 5", ["read_budget_share: Expected `float` <= 1"], id="range"
        ),
        pytest.param("read_budget_min = true", ["read_budget_min: Expected `int`"], id="bool"),
        pytest.param("mode = =", ["not TOML", "line 1, column 8"], id="broken"),
        pytest.param(
            "read_budget_min = 3000\nread_budget_max = 2000",
            ["read_budget_min: 3,000 is more than read_budget_max, 2,000"],
            id="a range without an inside",
        ),
        pytest.param("window_tokens = 24162", [], id="just enough"),
        pytest.param(
            "window_tokens = 24161",
            ["window_tokens: 24,161 has no room beside the 20,000 kept for the answer"],
            id="a window that holds nothing",
        ),
        pytest.param(
            "x" * 3 + " = 1\nmode = 3",
            ["no setting 'xxx': docs/settings.md lists them", "mode: 3 is none of"],
            id="two",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path, text, found):
    (tmp_path / "config.toml").write_text(text)

    said = problems(tmp_path / "config.toml")

    assert bool(said) == bool(found)
    assert all(words in "\n".join(said) for words in found)


def test_no_file_is_no_problem(tmp_path):
    assert problems(tmp_path / "config.toml") == []


def test_the_hot_path_knows_the_same_keys():
    """Two readers of one file, one lenient and one strict."""
    assert KEYS.keys() == CHECKS.keys() - {"auto_compact_window"}
