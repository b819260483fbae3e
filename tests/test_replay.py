"""Past sessions through the guard, and what is said of them."""

import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from priced_context.bills import REMINDER_TOKENS, Reminders, own_tokens
from priced_context.replay import price_error, summary_of
from priced_context.replayer import Replay, replay_session
from priced_context.transcript import Log
from scene import code, log
from session_log import Logbook, numbered

CONTENT = {"output_mode": "content"}
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture
def logbook(tmp_path) -> Logbook:
    return Logbook(tmp_path / "logs" / "s1.jsonl", model="claude-opus-4-6")


def replayed(logbook: Logbook) -> Replay:
    logbook.respond()
    return replay_session(logbook.path, str(logbook.path.parent / "no-state"))


def run(*arguments: str | Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Run the real `ctx replay` with a home of its own."""
    command = [sys.executable, "-c", "from priced_context.cli import main; exit(main())"]
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": "core"}
    return subprocess.run(
        [*command, "replay", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        cwd=Path(__file__).parent.parent,
    )


def test_a_large_read_is_held_back_once(logbook):
    logbook.read("mid.py", code(900))
    logbook.read("mid.py", code(900))

    refusals = replayed(logbook).refusals["own"]

    assert [(refusal.path, refusal.action) for refusal in refusals] == [
        ("/home/u/project/mid.py", "deny")
    ]
    assert refusals[0].reason.startswith("Not an error: mid.py whole is ~10k tok (~5% of window).")


def test_what_was_read_again_was_paid_anyway(logbook):
    """The guard lets the second call pass, so only its own text is left of it: a loss."""
    logbook.read("mid.py", code(900))
    logbook.read("mid.py", code(900))

    (refusal,) = replayed(logbook).refusals["own"]

    assert refusal.paid_anyway
    assert refusal.kept_out_tokens == -refusal.own_tokens


def test_what_was_edited_was_paid_anyway(logbook):
    logbook.read("mid.py", code(900))
    (call,) = logbook.respond(("Edit", {"file_path": "/home/u/project/mid.py"}))
    logbook.show(call, "ok")

    assert replayed(logbook).refusals["own"][0].paid_anyway


def test_what_was_left_alone_is_kept_out_net_of_our_text(logbook):
    logbook.read("mid.py", code(900))

    (refusal,) = replayed(logbook).refusals["own"]

    assert 9_000 < refusal.read_tokens < 13_000
    assert refusal.kept_out_tokens == refusal.read_tokens - refusal.own_tokens


def test_a_log_is_cut_to_its_end(logbook):
    """Of what is kept out, the lines that are shown all the same are taken off."""
    logbook.read("app.log", log(1000))

    (refusal,) = replayed(logbook).refusals["own"]

    assert refusal.action == "rewrite"
    assert 1_000 < refusal.shown_tokens < refusal.read_tokens


def test_an_endless_search_is_bounded(logbook):
    """What the first lines would have shown all the same is taken off."""
    hits = "".join(f"src/file{n}.py:{n}: margin_of(price)\n" for n in range(900))
    (call,) = logbook.respond(("Grep", {"pattern": "margin", "head_limit": 0} | CONTENT))
    logbook.show(call, hits)

    (refusal,) = replayed(logbook).refusals["own"]

    assert refusal.path.startswith("$ Grep ")
    assert refusal.action == "rewrite"
    assert 1_000 < refusal.shown_tokens < refusal.read_tokens


def test_a_compaction_forgets_what_was_told(logbook):
    logbook.read("mid.py", code(900))
    logbook.compact()
    logbook.read("mid.py", code(900))

    refusals = replayed(logbook).refusals["own"]

    assert [refusal.paid_anyway for refusal in refusals] == [False, False]


def test_a_larger_window_refuses_less(logbook):
    logbook.read("mid.py", code(900))

    refusals = replayed(logbook).refusals

    assert {name: len(found) for name, found in refusals.items()} == {"own": 1, "200k": 1, "1M": 0}


def test_a_range_is_priced_as_a_range(logbook):
    """The file is longer than the log shows; the call is not."""
    text = code(100)
    path = "/home/u/project/long.py"
    (call,) = logbook.respond(("Read", {"file_path": path, "offset": 500, "limit": 100}))
    file = {"filePath": path, "startLine": 500, "numLines": 100, "totalLines": 9000}
    logbook.show(call, numbered(text.rstrip("\n"), 500), toolUseResult={"file": file}, frame=12)

    (turn,) = replayed(logbook).priced_turns

    assert turn.price_tokens == pytest.approx(turn.bill_tokens, rel=0.05)


def test_parallel_reads_are_billed_together(logbook):
    paths = [{"file_path": f"/home/u/project/{name}.py"} for name in "abc"]
    calls = logbook.respond(*[("Read", path) for path in paths])
    for call, frame in zip(calls, (12, 48, 23), strict=True):
        logbook.show(call, numbered(code(100)), frame=frame)

    (turn,) = replayed(logbook).priced_turns

    assert turn.kinds == ["py", "py", "py"]
    assert turn.price_tokens == pytest.approx(turn.bill_tokens, rel=0.05)


@pytest.mark.parametrize("reason", ["a prompt", "an error", "another tool", "no result"])
def test_a_turn_with_other_input_is_no_bill_of_reads(logbook, reason):
    tool = "WebFetch" if reason == "another tool" else "Read"
    (call,) = logbook.respond((tool, {"file_path": "/home/u/project/a.py"}))
    if reason != "no result":
        logbook.show(call, numbered(code(100)), is_error=reason == "an error")
    if reason == "a prompt":
        logbook.says()

    assert replayed(logbook).priced_turns == []


def test_text_that_the_client_appended_is_not_the_reads(logbook):
    """Clients up to 2.1.38 put a reminder under every file."""
    reminder = "\n\n<system-reminder>\n" + "Consider what this file is for. " * 20
    (call,) = logbook.respond(("Read", {"file_path": "/home/u/project/a.py"}))
    logbook.show(call, numbered(code(100)) + reminder, frame=12)

    (turn,) = replayed(logbook).priced_turns

    assert turn.price_tokens == pytest.approx(turn.bill_tokens, rel=0.05)


def test_a_log_without_attachments_has_reminders_all_the_same(logbook):
    """After ten messages without the task list; five responses of a text and a call."""
    for n in range(12):
        logbook.read(f"{n}.py", code(10))
    reminders = Reminders()

    due = [n for n, turn in enumerate(Log(logbook.path), 1) if reminders.tokens_after(turn)]

    assert due == [5, 10]
    assert REMINDER_TOKENS > 0


def test_the_task_list_keeps_the_reminder_away(logbook):
    for n in range(12):
        logbook.read(f"{n}.py", code(10))
        if n == 3:
            (call,) = logbook.respond(("TaskUpdate", {}))
            logbook.show(call, "ok")
    reminders = Reminders()

    due = [n for n, turn in enumerate(Log(logbook.path), 1) if reminders.tokens_after(turn)]

    assert due == [10]


def test_a_response_that_was_logged_too_early_is_estimated(shared):
    """Old logs stop counting mid-stream; where they did not, the estimate must agree."""
    turns = list(Log(shared / "data" / "transcripts" / "session-with-compaction.jsonl"))
    counted = [turn for turn in turns if turn.output_tokens > 60 and turn.calls]
    errors = []
    for turn in counted:
        billed = turn.output_tokens
        turn.output_tokens = 0

        errors.append(abs(own_tokens(turn) / billed - 1))

    assert len(errors) > 100
    assert sorted(errors)[len(errors) // 2] < 0.06


def test_recorded_sessions_are_priced_near_their_bills(shared, tmp_path):
    """The bars hold for bills past the smallest bucket, where a price can be wrong at all."""
    logs = sorted((shared / "data" / "transcripts").glob("*.jsonl"))
    turns = [
        turn
        for path in logs
        for turn in replay_session(path, str(tmp_path / "no-state")).priced_turns
    ]

    error = price_error(turns)["over_707"]

    assert error["n"] >= 14
    assert error["exact_bucket"] >= 0.85
    assert error["exact_bucket"] >= error["bytes4_exact_bucket"] + 0.4
    assert error["off_by_two"] == 0
    assert error["median"] <= 0.05


def test_the_json_says_everything(logbook, tmp_path):
    logbook.read("mid.py", code(900))
    logbook.respond()

    ran = run("--json", logbook.path, home=tmp_path)

    said = json.loads(ran.stdout)
    assert ran.returncode == 0
    assert said["price_error"]["n"] == said["price_error"]["over_707"]["n"] == 1
    assert set(said["price_error"]) == {
        "n",
        "exact_bucket",
        "off_by_two",
        "median",
        "p95",
        "bytes4_exact_bucket",
        "over_707",
    }
    assert said["windows"]["own"]["refused"] == 1
    assert said["sessions"][0]["refusals"][0]["path"] == "/home/u/project/mid.py"


def test_the_default_is_the_clients_own_sessions(tmp_path):
    logbook = Logbook(tmp_path / ".claude" / "projects" / "-p" / "s1.jsonl")
    logbook.read("a.py", code(10))
    part = logbook.path.with_suffix("") / "subagents" / "agent-a1.jsonl"
    Logbook(part, agent_id="a1").read("b.py", code(200))

    ran = run("--json", home=tmp_path)

    sessions = json.loads(ran.stdout)["sessions"]
    assert [(session["session_id"], session["reads"]) for session in sessions] == [("s1", 1)]


def test_a_session_is_not_counted_twice(logbook, tmp_path):
    """Its subagents' logs belong to it, also where they are named."""
    logbook.read("a.py", code(200))
    part = logbook.path.with_suffix("") / "subagents" / "agent-a1.jsonl"
    Logbook(part, agent_id="a1").read("b.py", code(200))

    ran = run("--json", logbook.path, part, logbook.path, logbook.path.parent, home=tmp_path)

    assert [session["reads"] for session in json.loads(ran.stdout)["sessions"]] == [2]


@pytest.mark.parametrize("file_path", [None, 3, ["/a.py"], {}])
def test_a_read_of_no_path_is_no_read(logbook, file_path):
    (call_id,) = logbook.respond(("Read", {"file_path": file_path}))
    logbook.show(call_id, numbered(code(900)))

    assert replayed(logbook).refusals["own"] == []


def test_what_is_no_file_is_named_and_the_rest_is_done(logbook, tmp_path):
    """A pipe would be waited for without end, and a loop of links has no name."""
    logbook.read("a.py", code(100))
    loop = tmp_path / "loop.jsonl"
    loop.symlink_to(loop)
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    for name in ("loop.jsonl", "pipe.jsonl"):  # and in a folder they are passed over
        (logbook.path.parent / name).symlink_to(tmp_path / name)
    parts = logbook.path.with_suffix("") / "subagents"
    parts.mkdir(parents=True)
    os.mkfifo(parts / "agent-a1.jsonl")

    ran = run("--json", loop, pipe, "/dev/null", logbook.path.parent, home=tmp_path)

    assert ran.returncode == 1
    assert len(json.loads(ran.stdout)["sessions"]) == 1
    assert ran.stderr.splitlines() == [
        f"ctx: {loop}: Too many levels of symbolic links",
        f"ctx: {pipe}: neither a file nor a folder",
        "ctx: /dev/null: neither a file nor a folder",
    ]


def test_bad_paths_are_named_and_the_rest_is_done(logbook, tmp_path):
    logbook.read("a.py", code(100))
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    binary = tmp_path / "binary.jsonl"
    binary.write_bytes(bytes(range(256)) * 10)
    folder = tmp_path / "folder"
    folder.mkdir()

    ran = run("--json", empty, binary, folder, tmp_path / "none", logbook.path, home=tmp_path)

    said = ran.stderr.splitlines()
    assert ran.returncode == 1
    assert len(json.loads(ran.stdout)["sessions"]) == 1
    assert sorted(said) == sorted(
        [
            f"ctx: {empty}: not a session log, the file is empty",
            f"ctx: {binary}: not a session log, line 1 is no JSON of one",
            f"ctx: {folder}: no session log (*.jsonl) is in this folder",
            f"ctx: {tmp_path / 'none'}: No such file or directory",
        ]
    )


def test_a_table_is_printed_for_people(logbook, tmp_path):
    logbook.read("mid.py", code(900))

    ran = run(logbook.path, home=tmp_path)

    assert "1 session" in ran.stdout
    assert "price" in ran.stdout


def test_a_name_of_a_file_cannot_write_the_page(logbook, tmp_path):
    """A path is the log's, and the log may be anybody's."""
    page = tmp_path / "page.html"
    logbook.read("<script>alert(1)</script>.py", code(900))

    run("--html", page, logbook.path, home=tmp_path)

    text = page.read_text()
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_the_page_needs_nothing_else(logbook, tmp_path):
    """No script, no address to load from, and a policy that forbids both."""
    page = tmp_path / "page.html"
    logbook.read("mid.py", code(900))

    run("--html", page, logbook.path, home=tmp_path)

    text = page.read_text()
    assert "default-src 'none'" in text
    assert not any(word in text for word in ("src=", "href=", "url(", "@import", "http:", "https:"))


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on the PATH to draw the page")
@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_browser_draws_the_page_within_its_width(logbook, tmp_path, width, theme):
    """Drawn, not blank, in the theme asked for; nothing sticks out on a phone."""
    page, shot = tmp_path / "page.html", tmp_path / "shot.png"
    for n in range(20):
        logbook.read(f"a/rather/long/way/down/to/the/{n}/file-{'x' * 60}.py", code(100 + 40 * n))
    run("--html", page, logbook.path, home=tmp_path)

    chromium(tmp_path, width, theme, f"--screenshot={shot}", page)
    dom = chromium(tmp_path, width, theme, "--dump-dom", with_measure(page))

    assert png_width(shot) == width
    assert shot.stat().st_size > 20_000
    assert 'data-too-wide="0"' in dom
    assert f'data-theme="{theme}"' in dom
    assert dom.count('class="dot') == 20


def with_measure(page: Path) -> Path:
    """Return a copy that notes what the browser made of it (the page itself has no script)."""
    script = (
        "<script>const root = document.documentElement;"
        "root.dataset.tooWide = Math.max(0, root.scrollWidth - innerWidth);"
        "root.dataset.theme = matchMedia('(prefers-color-scheme:dark)').matches"
        " ? 'dark' : 'light';</script></body>"
    )
    text = page.read_text().replace("default-src 'none'; ", "").replace("</body>", script)
    copy = page.with_name("measured.html")
    copy.write_text(text)
    return copy


def chromium(scratch: Path, width: int, theme: str, action: str, page: Path) -> str:
    """Run one headless chromium with a folder of its own; return what it printed."""
    quiet = ["gpu", "quic", "background-networking", "component-update", "sync"]
    command = [
        str(CHROMIUM),
        "--headless",
        "--no-sandbox",
        "--no-first-run",
        "--hide-scrollbars",
        *(f"--disable-{name}" for name in quiet),
        f"--user-data-dir={scratch / 'chromium'}",
        f"--window-size={width},1400",
        f"--blink-settings=preferredColorScheme={0 if theme == 'dark' else 1}",
        action,
        page.as_uri(),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def png_width(path: Path) -> int:
    width: int = struct.unpack(">I", path.read_bytes()[16:20])[0]
    return width


def test_an_empty_replay_has_a_summary():
    summary = summary_of([])

    assert summary["price_error"]["n"] == 0
    assert summary["windows"]["own"]["kept_out_tokens"] == 0
