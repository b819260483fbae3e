"""The shape of the package: reading order is import order, and the hot path stays small."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "core" / "priced_context"

# A module imports only modules to its left. `priced_context` itself imports nothing.
LADDER = (
    "room",
    "records",
    "files",
    "words",
    "log",
    "wire",
    "shell",
    "places",
    "settings",
    "tools",
    "reads",
    "caps",
    "factors",
    "prices",
    "window",
    "memory",
    "policy",
    "menus",
    "cuts",
    "bounds",
    "wording",
    "gate",
    "trim",
    # below: cold, any dependency
    "console",
    "folders",
    "users_command",
    "statusline",
    "tokens",
    "budget",
    "compaction",
    "transcript",
    "git",
    "access",
    "accuracy",
    "bills",
    "stand_ins",
    "replayer",
    "page",
    "tables",
    "outlines",
    "handles",
    "spans",
    "stats",
    "get",
    "repomap",
    "replay",
    "calibrate",
    "report",
    "box",
    "quote",
    "explain",
    "why",
    "config",
    "windowfile",
    "registration",
    "launcher",
    "prefilter",
    "probe",
    "install",
    "switch",
    "doctor",
    "cli",
    "entry",
)


def module_files(name: str) -> list[Path]:
    """Return the source files of one rung: a module, or every file of a package."""
    module = PACKAGE / f"{name}.py"
    return [module] if module.exists() else sorted((PACKAGE / name).rglob("*.py"))


def imported_rungs(path: Path) -> set[str]:
    """Return the rungs that the file imports, at the top or inside a function."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("priced_context"):
            parts = (node.module or "").split(".")
            found |= {parts[1]} if parts[1:] else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {
                alias.name.split(".")[1]
                for alias in node.names
                if alias.name.startswith("priced_context.")
            }
    return found


def test_every_module_stands_on_the_ladder():
    """A module that is not listed would escape the test below."""
    present = {p.stem for p in PACKAGE.glob("*.py")} | {
        p.parent.name for p in PACKAGE.glob("*/__init__.py")
    }

    assert present - {"__init__"} <= set(LADDER)


@pytest.mark.parametrize("rung", LADDER)
def test_imports_point_up_the_ladder(rung):
    """Every import goes to a module listed earlier, or stays inside its own package."""
    allowed = set(LADDER[: LADDER.index(rung) + 1])

    for path in module_files(rung):
        assert imported_rungs(path) <= allowed, path
