"""The guard in the real client: what a model is shown, call by call."""

import json
import re
from pathlib import Path

import pytest
from played import CHECKING_MODEL, edit, play, read
from scripted_api import ScriptedAPI, calls, says

from scene import code, log


@pytest.fixture
def project(client):
    """Return the client's project with a long file, a short one and a log."""
    client.environment()
    (client.project / "long.py").write_text(code(1100))
    (client.project / "short.py").write_text(code(20))
    (client.project / "app.log").write_text(log(2000) + "the real last line\n")
    return client.project


def test_an_oversized_read_is_refused_with_price_and_way_on(guarded, project):
    """And the same call again is served as the client would have served it."""
    long = project / "long.py"

    session = play(guarded, read(long), read(long))

    refused, served = session.results
    assert refused.is_error
    # of 200k, or of 1M where the session's log already names the model
    assert re.search(r"long\.py whole is ~20k tok \(~(10|2)% of window\)", refused.text)
    assert "offset" in refused.text
    assert not served.is_error
    assert served.text.startswith("1\titem = margin_of(price, discount)\n")
    assert served.text.count("\n") == 1100


def test_what_is_served_is_what_the_client_serves_without_us(guarded, bare, project):
    session = play(guarded, read(project / "long.py"), read(project / "long.py"))

    assert session.results[1].text == play(bare, read(bare.project / "long.py")).results[0].text


def test_a_small_read_passes_with_nothing_added(guarded, bare, project):
    """A session that makes no oversized read hears nothing of us, nor does its log."""
    with_us = play(guarded, read(project / "short.py"))
    without_us = play(bare, read(bare.project / "short.py"))

    assert with_us.api.sent()[-1].news == without_us.api.sent()[-1].news
    assert not any("priced" in log_file.read_text() for log_file in with_us.transcripts)


def test_a_log_is_cut_to_its_real_last_line_and_the_model_is_told(guarded, project):
    session = play(guarded, read(project / "app.log"))

    shown = session.results[0]
    assert not shown.is_error
    assert "\tthe real last line\n" in shown.text
    assert not shown.text.startswith("1\t")
    news = session.api.sent()[-1].news
    assert "This Read was cut: app.log whole is ~" in news
    assert "of 2002" in news


def test_a_cut_read_outside_the_project_still_asks(guarded, bare, client, tmp_path):
    """A rewrite must not widen what the user allowed."""
    client.environment()
    outside = tmp_path / "outside.log"
    outside.write_text(log(2000))

    with_us = play(guarded, read(outside), allowed=("Edit",))
    without_us = play(bare, read(outside), allowed=("Edit",))

    assert with_us.results[0].is_error
    assert with_us.results[0].text == without_us.results[0].text
    assert "INFO request" not in with_us.api.sent()[-1].news


@pytest.mark.parametrize(
    ("name", "reads"),
    [
        pytest.param("long.py", [{}, {"offset": 700, "limit": 40}], id="refused, then a range"),
        pytest.param("app.log", [{}], id="cut"),
    ],
)
def test_a_model_that_must_read_first_can_edit(guarded, project, name, reads):
    """The client counts a range and a rewritten Read as read; a refusal alone it does not."""
    path = project / name
    path.write_text(path.read_text() + "needle\n")
    thread = edit(path, "needle", "thread")

    session = play(guarded, *[read(path, **f) for f in reads], thread, model=CHECKING_MODEL)

    assert not session.results[-1].is_error, session.results[-1].text
    assert path.read_text().endswith("thread\n")


def test_the_checking_model_does_check(guarded, project):
    """Else the test above would show nothing."""
    path = project / "short.py"

    session = play(guarded, edit(path, "item", "x"), model=CHECKING_MODEL)

    assert "has not been read yet" in session.results[0].text


def test_a_subagents_refusal_does_not_count_for_the_main_loop(guarded, project):
    """Each has its own window: what one was told the other has not heard."""
    long = read(project / "long.py")
    task = {
        "description": "look",
        "prompt": "the helper's lane",
        "subagent_type": "general-purpose",
        "run_in_background": False,
    }
    api = ScriptedAPI(
        [calls(("Agent", task)), calls(long), calls(long), says("done")],
        agents={"the helper's lane": [calls(long), calls(long), says("seen")]},
    )

    session = guarded.run(api)

    of_agent = api.sent("the helper's lane")[-1].results
    of_main = [result for result in session.results if result.tool == "Read"]
    assert [result.is_error for result in of_agent] == [True, False]
    assert [result.is_error for result in of_main] == [True, False]


def test_a_launcher_without_its_interpreter_leaves_the_client_working(guarded, project):
    """An upgrade of Python may take it away; the guard is then off, and doctor says so."""
    settings = json.loads(guarded.settings.read_text())
    hook = Path(settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"])
    launcher = hook.with_name("launch")  # which a prefilter may stand in front of
    lines = launcher.read_text().splitlines()
    launcher.write_text("\n".join(["#!/nowhere/python3 -IS", *lines[1:]]))

    session = play(guarded, read(project / "long.py"))

    assert session.exit_code == 0
    assert not session.results[0].is_error


def test_disabled_hooks_disable_us(guarded, project):
    """What doctor says of `disableAllHooks` is so."""
    settings = json.loads(guarded.settings.read_text()) | {"disableAllHooks": True}
    guarded.settings.write_text(json.dumps(settings))

    session = play(guarded, read(project / "long.py"))

    assert not session.results[0].is_error
