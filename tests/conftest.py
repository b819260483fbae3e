"""What the tests share: scratch projects and states, and nothing of the developer's own."""

import os
from pathlib import Path

import pytest

from outside import is_setting
from scene import Agent, Ctx, code, log
from scratch import ScratchHome

SHARED = Path(__file__).parent.parent.parent / "shared"


def pytest_addoption(parser):
    """`--update-golden` rewrites the golden files; the diff is what is reviewed."""
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden")


@pytest.fixture
def golden(request):
    """Return a function that holds a text to a file under tests/golden."""

    def check(name: str, text: str) -> None:
        path = Path(__file__).parent / "golden" / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert text == path.read_text()

    return check


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of facts and recorded sessions beside the checkout, where there is one."""
    if not SHARED.is_dir():
        pytest.skip("needs the recorded sessions in ../shared, which a plain checkout has not")
    return SHARED


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch):
    """A developer's own client settings must not decide what a test sees."""
    for name in [*os.environ]:
        if is_setting(name):
            monkeypatch.delenv(name)


@pytest.fixture
def project(tmp_path) -> Path:
    """Return a project: `mid.py` ~10k tokens, `big.py` over the client's cap, `app.log` a log."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "small.py").write_text(code(20))
    (folder / "six.py").write_text(code(190))
    (folder / "mid.py").write_text(code(900))
    (folder / "big.py").write_text(code(3500))
    (folder / "app.log").write_text(log(2400))
    return folder


@pytest.fixture
def agent(project, tmp_path) -> Agent:
    """Return an agent in a fresh session with an opus-4-6 window of 200k, nothing used."""
    agent = Agent(project, tmp_path / "state")
    agent.knows_window(200_000, 0)
    return agent


@pytest.fixture
def home(tmp_path) -> Path:
    """Return a home of the test's own: no verb of it sees the developer's settings or state."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def ctx(tmp_path, home) -> Ctx:
    """Return `ctx` as a person or an agent runs it, in an empty project."""
    folder = tmp_path / "work"
    folder.mkdir()
    return Ctx(folder, home)


@pytest.fixture
def scratch(tmp_path) -> ScratchHome:
    """Return an empty home with its own state, configuration and settings."""
    (tmp_path / "scratch" / "home").mkdir(parents=True)
    return ScratchHome(tmp_path / "scratch")
