"""No variable that the product reads reaches a test from the developer's shell."""

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from outside import KEPT, NAMES, is_setting
from priced_context.settings import CHECKS

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "core" / "priced_context"
SHAPE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")


def variables_in(source: str) -> Iterator[str]:
    """Yield each text that has a variable's shape, or is what the environment is asked for."""
    for node in ast.walk(ast.parse(source)):
        asked: list[ast.expr] = []
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and SHAPE.fullmatch(node.value):
                yield node.value
        elif isinstance(node, ast.Call) and "environ" in ast.unparse(node.func):
            asked = node.args[:1]
        elif isinstance(node, ast.Subscript) and "environ" in ast.unparse(node.value):
            asked = [node.slice]
        elif isinstance(node, ast.Compare) and "environ" in ast.unparse(node.comparators[0]):
            asked = [node.left]
        for name in asked:
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield name.value


@pytest.fixture(scope="module")
def read() -> set[str]:
    """Return every variable that the product reads or hands on."""
    return {name for path in PACKAGE.rglob("*.py") for name in variables_in(path.read_text())}


def test_every_variable_that_is_read_is_cleared_or_kept_for_a_reason(read):
    """A list by hand would rot with the next variable."""
    assert {name for name in read if not is_setting(name)} == KEPT.keys()
    assert set(NAMES) <= read


def test_every_setting_from_outside_is_documented(read):
    documented = "".join(path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md"))

    assert [name for name in read if is_setting(name) and f"`{name}" not in documented] == []


def test_every_key_of_the_configuration_is_documented():
    keys = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE)

    assert set(keys) == CHECKS.keys() - {"auto_compact_window"}  # the client's


def test_none_of_them_is_set_here():
    assert [name for name in os.environ if is_setting(name)] == []
