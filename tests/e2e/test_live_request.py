"""Requests of the real client, captured while the tests run and never stored.

`CTX_LIVE_REQUESTS` names a folder of request bodies, one a file, as they came over the wire.
"""

import os
from pathlib import Path

import pytest

from request_law import accounts_for


@pytest.fixture
def live_requests() -> list[Path]:
    """Return the captured bodies; skips where nobody has captured any."""
    folder = os.environ.get("CTX_LIVE_REQUESTS", "")
    if not folder:
        pytest.skip("no live request: CTX_LIVE_REQUESTS names no folder of captured bodies")
    return sorted(Path(folder).iterdir())


def test_a_live_request_is_accounted_for(live_requests):
    """It round-trips, its segments leave no gap, its tools and its system prompt cost something."""
    assert live_requests

    for file in live_requests:
        budget = accounts_for(file.read_bytes())

        assert budget.account.request.shape.api == "anthropic"
        assert budget.task_and_working_set_tokens > 0
