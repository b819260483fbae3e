"""The real client for the tests in this folder, or one clear reason why it is not run."""

import os
import subprocess
from pathlib import Path

import pytest
from real_client import Client, fetch, installed

from scratch import CTX


@pytest.fixture(scope="session")
def client_binary() -> Path:
    """The client of CTX_CLIENT or the cache; with CTX_E2E=1 npm brings it."""
    found = installed()
    if found is None and not os.environ.get("CTX_E2E"):
        pytest.skip("no Claude Code here: CTX_E2E=1 gets it with npm, CTX_CLIENT=PATH names one")
    return found or fetch()


@pytest.fixture
def client(client_binary: Path, tmp_path: Path) -> Client:
    """A client with its own scratch home and project."""
    return Client(client_binary, tmp_path)


@pytest.fixture
def guarded(client: Client) -> Client:
    """The client with the guard installed in its home, as `ctx install` leaves it."""
    subprocess.run([CTX, "install"], env=client.environment(), check=True, capture_output=True)
    return client


@pytest.fixture
def bare(client_binary: Path, client: Client, tmp_path: Path) -> Client:
    """The same client in the same project without the guard: what the agent would have had."""
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "project").symlink_to(client.project)
    client.environment()  # makes the project
    return Client(client_binary, tmp_path / "bare")
