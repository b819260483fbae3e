"""Other tools that read, in the real client: a file server's, and the client's own Grep."""

import json
import re
import sys
from pathlib import Path

import pytest
from played import CHECKING_MODEL, play

from scene import code

SERVER = Path(__file__).with_name("file_server.py")
SERVERS = {"mcpServers": {"files": {"command": sys.executable, "args": [str(SERVER)]}}}
WITH_SERVER = ("--mcp-config", json.dumps(SERVERS))
TOOL = "mcp__files__read_file"
LOADED = ("ToolSearch", {"query": f"select:{TOOL}", "max_results": 3})
"""A server's tool is known to the model by name alone until it is looked up."""


@pytest.fixture
def long(client):
    """Return a file over the budget of one read."""
    client.environment()
    path = client.project / "long.py"
    path.write_text(code(850))
    return path


def from_server(path) -> tuple:
    return (TOOL, {"path": str(path)})


def test_a_servers_read_is_refused_with_its_price_and_served_when_it_comes_again(guarded, long):
    """By the tool's name and argument; the server knows nothing of us."""
    twice = [from_server(long)] * 2

    session = play(
        guarded, LOADED, *twice, flags=WITH_SERVER, allowed=(TOOL,), model=CHECKING_MODEL
    )

    refused, served = session.results[1:]
    assert refused.is_error
    assert re.search(r"Not an error: printing long\.py whole is ~10k tok", refused.text)
    assert not served.is_error
    assert served.text.startswith(code(850))


def test_a_servers_small_read_passes(guarded, long):
    long.write_text(code(20))

    session = play(
        guarded, LOADED, from_server(long), flags=WITH_SERVER, allowed=(TOOL,), model=CHECKING_MODEL
    )

    assert session.results[1].text.startswith(code(20))
    assert "priced" not in session.api.sent()[-1].news


@pytest.mark.parametrize(
    "fields",
    [
        {"output_mode": "files_with_matches"},
        {"output_mode": "content", "path": "long.py"},
        {"output_mode": "content"},
    ],
)
@pytest.mark.usefixtures("long")
def test_a_grep_of_the_clients_own_passes_untouched(guarded, bare, fields):
    """Names are short, a file's matches are filtered, and content stops at 250 lines."""
    grep = ("Grep", {"pattern": "margin_of"} | fields)

    with_us = play(guarded, grep, model=CHECKING_MODEL)

    assert not with_us.results[0].is_error
    without_us = play(bare, grep, model=CHECKING_MODEL)
    assert with_us.api.sent()[-1].news == without_us.api.sent()[-1].news


@pytest.mark.usefixtures("long")
def test_an_endless_grep_is_bounded(guarded):
    """`head_limit: 0` lifts the client's own bound; ours is a `head_limit` too."""
    grep = ("Grep", {"pattern": "margin_of", "output_mode": "content", "head_limit": 0})

    session = play(guarded, grep, grep, model=CHECKING_MODEL)

    bounded, whole = session.results
    assert bounded.text.count("margin_of") == 200
    assert "This call was bounded to 200 lines" in session.api.sent()[1].news
    assert not whole.is_error
    assert "bounded" not in session.api.sent()[2].news
