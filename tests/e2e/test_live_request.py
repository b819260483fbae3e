"""The budget compiler on requests of the real client, captured while a test runs, never stored."""

from itertools import pairwise

import pytest
from scripted_api import ScriptedAPI, calls, says

from request_law import accounts_for
from scene import code


@pytest.mark.parametrize("model", ["claude-opus-5-5", "claude-opus-4-6"])
def test_a_live_request_is_accounted_for(client, model):
    """It round-trips, its segments leave no gap, its tools and its system prompt cost something."""
    client.environment()
    (client.project / "CLAUDE.md").write_text("Be brief.\n")
    (client.project / "short.py").write_text(code(20))
    read = ("Read", {"file_path": str(client.project / "short.py")})

    session = client.run(ScriptedAPI([calls(read), says("done")]), model=model)

    first, second = (accounts_for(request.raw) for request in session.api.sent())
    assert first.authority_tokens > 0  # the memory file and the client's reminders
    assert first.task_and_working_set_tokens > 0  # the prompt
    assert first.evidence_tokens == 0
    assert second.evidence_tokens > 0  # the file
    assert second.tool_schema_tokens == first.tool_schema_tokens
    assert second.stable_system_tokens == first.stable_system_tokens


def test_the_client_s_moving_cache_mark_makes_no_new_request(client):
    """Each turn marks its newest block; what was sent before must still be known by its hash."""
    client.environment()
    (client.project / "short.py").write_text(code(20))
    read = ("Read", {"file_path": str(client.project / "short.py")})

    session = client.run(ScriptedAPI([calls(read), calls(read), says("done")]))

    ledgers = [accounts_for(request.raw) for request in session.api.sent()]
    for before, after in pairwise(ledgers):
        known = {row.hash for row in after.rows if row.bytes}
        assert {row.hash for row in before.rows if row.bytes} <= known
