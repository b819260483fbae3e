"""What the tests share."""

from pathlib import Path

import pytest

from scratch import ScratchHome


@pytest.fixture
def scratch(tmp_path: Path) -> ScratchHome:
    """Return an empty home with its own state, configuration and settings."""
    (tmp_path / "scratch" / "home").mkdir(parents=True)
    return ScratchHome(tmp_path / "scratch")
