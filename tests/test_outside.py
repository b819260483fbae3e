"""No variable that the product reads reaches a test from the developer's shell."""

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

from outside import KEPT, NAMES, is_setting

PACKAGE = Path(__file__).parent.parent / "core" / "priced_context"
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


def test_every_variable_that_is_read_is_cleared_or_kept_for_a_reason():
    """A list by hand would rot with the next variable."""
    read = {
        name for path in PACKAGE.rglob("*.py") for name in variables_in(path.read_text("utf-8"))
    }

    assert {name for name in read if not is_setting(name)} == KEPT.keys()
    assert set(NAMES) <= read


def test_none_of_them_is_set_here():
    assert [name for name in os.environ if is_setting(name)] == []
