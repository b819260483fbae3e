"""`ctx report`: what the guard did, what followed each refusal, and what is left of it, net.

A saving is the price quoted, which the client's own caps already bound. Our text is taken off it,
and whatever the agent then bought of the same file. Where it read the file anyway nothing is left
but our text, as a loss; where the log does not show what followed, nothing is claimed.
"""

import argparse
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from statistics import median
from typing import Any

import msgspec

from priced_context.bills import text_tokens
from priced_context.caps import frame_tokens
from priced_context.console import NoSession, Trouble, progress, say_all
from priced_context.files import resolve
from priced_context.folders import APP, client_folder, state_folder
from priced_context.memory import FORGOTTEN, SLICE, rows_of
from priced_context.places import is_id
from priced_context.policy import is_command, name_of_command
from priced_context.prices import generation_of
from priced_context.reads import intake_of_call
from priced_context.records import BASH, DENY, REWRITE, ToolCall
from priced_context.settings import OBSERVE
from priced_context.transcript import EDITS, Call, Log, Turn

PAID_ANYWAY, EDIT_FAILED, RANGE_READ = "paid anyway", "edit failed", "range read"
MENU_BOUGHT, ABANDONED, UNSEEN = "menu bought", "abandoned", "not in a log"
OUTCOMES = (PAID_ANYWAY, EDIT_FAILED, RANGE_READ, MENU_BOUGHT, ABANDONED, UNSEEN)
"""What followed a refusal; where several things did, the first of these."""

UNSEEN_TEXT_TOKENS = 150
"""What our text is taken to have cost where no log shows it."""
MENU_VERBS = ("ctx stats ", "ctx get ")
NOTE_MARKS = ("This Read was cut:", "This call was bounded to")
"""What our own notes on a rewritten call begin with (wording)."""
NOT_READ = "has not been read"
"""What the client says to an edit of a file that it takes for unread."""


class Told(msgspec.Struct):
    """One thing that an agent was told, and what came of it."""

    session_id: str
    agent_id: str
    at_ms: int
    verdict: str
    files: dict[str, int]
    """Tokens quoted for each."""
    own_tokens: int = UNSEEN_TEXT_TOKENS
    shown_tokens: int = 0
    """What a cut read showed all the same."""
    bought_tokens: int = 0
    """Menus and ranges of the files, afterwards."""
    outcome: str = UNSEEN

    @property
    def is_bound(self) -> bool:
        """A command, whose rewrite gave it an end; a Read's cut it."""
        return all(map(is_command, self.files))

    @property
    def quoted_tokens(self) -> int:
        return sum(self.files.values())

    @property
    def forfeited_tokens(self) -> int:
        """What would have been saved, had the agent not read it anyway, or the log shown it."""
        if self.outcome not in (PAID_ANYWAY, UNSEEN):
            return 0
        return self.quoted_tokens - self.shown_tokens - self.bought_tokens

    @property
    def net_tokens(self) -> int:
        left = self.quoted_tokens - self.shown_tokens - self.bought_tokens - self.forfeited_tokens
        return left - self.own_tokens


class Report(msgspec.Struct):
    """Everything told, and how long our own calls took where the client logged it."""

    told: list[Told] = msgspec.field(default_factory=list)
    hook_ms: list[int] = msgspec.field(default_factory=list)


def main(arguments: list[str]) -> int:
    """Print the report; 1 where a log could not be read."""
    parser = argparse.ArgumentParser(
        "ctx report", description="Show what the guard did, what followed, and what it saved, net."
    )
    parser.add_argument("--session", metavar="ID", help="of one session alone (default: all)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options = parser.parse_args(arguments)
    if options.session and not is_id(options.session):
        raise Trouble(f"{options.session!r} is not a session's id")

    troubles: list[Trouble] = []
    report = report_of(state_folder() / "sessions", client_folder(), options.session, troubles)
    projects = client_folder() / "projects"
    if not report.told and next(projects.glob("*/*.jsonl"), None) is None:
        raise NoSession(projects)
    if options.json:
        print(json.dumps(summary_of(report), indent=1))
    elif report.told:
        from priced_context.tables import print_report

        print_report(summary_of(report))
    else:
        print("no read was refused or cut yet, so there is nothing to report")
    return say_all(troubles)


def report_of(
    sessions: Path, client: Path, session_id: str | None, troubles: list[Trouble]
) -> Report:
    """Return what the memories under *sessions* and the client's logs together say."""
    report = Report()
    names = [session_id, f"{session_id}.*"] if session_id else ["*"]
    folders = sorted(memory.parent for name in names for memory in sessions.glob(f"{name}/told"))
    for folder in progress(folders, "reading logs"):
        session, _, agent = folder.name.partition(".")
        told = told_in(folder, session, agent)
        if not told:
            continue
        report.told += told
        log = log_of(client, session, agent)
        if log is None:
            continue
        try:
            turns = [turn for turn in Log(log) if turn.agent_id == agent]
        except Trouble as trouble:
            troubles.append(trouble)
            continue
        report.hook_ms += hook_times(turns)
        for entry in told:
            follow(entry, turns, str(sessions.parent))
    return report


def told_in(folder: Path, session_id: str, agent_id: str) -> list[Told]:
    """Return what one agent was told; the files of one call stand together."""
    told: dict[tuple[int, str], Told] = {}
    for at_ms, verdict, tokens, path in rows_of(os.fspath(folder)):
        if verdict in (FORGOTTEN, SLICE):
            continue
        entry = told.setdefault((at_ms, verdict), Told(session_id, agent_id, at_ms, verdict, {}))
        entry.files[path] = tokens
    return list(told.values())


def log_of(client: Path, session_id: str, agent_id: str) -> Path | None:
    """Return the log of one agent, or None where the client keeps none."""
    name = f"{session_id}/subagents/agent-{agent_id}" if agent_id else session_id
    return next(client.glob(f"projects/*/{name}.jsonl"), None)


def follow(told: Told, turns: Sequence[Turn], state: str) -> None:
    """Find the refused call in its agent's log, and what came of it before a compaction."""
    calls = calls_since(turns, told.at_ms)
    for turn, call in calls:
        if told.verdict != DENY or (call.is_error and "Not an error:" in call.text):
            if not touched(call, turn.cwd, told.files, state):
                continue
            told.own_tokens, told.shown_tokens = costs(told, turn, call)
            break
    else:
        return
    outcomes = {ABANDONED}
    for turn, call in calls:
        for path in touched(call, turn.cwd, told.files, state):
            outcomes.add(outcome_of(told, turn, call, path))
    told.outcome = min(outcomes, key=OUTCOMES.index)


def calls_since(turns: Iterable[Turn], at_ms: int) -> Iterator[tuple[Turn, Call]]:
    """Yield calls with a result from then on, up to the next compaction."""
    for turn in turns:
        for call in turn.calls:
            if call.has_result and call.at_ms >= at_ms:
                yield turn, call
        if turn.compacted_ms > at_ms:
            return


def touched(call: Call, cwd: str, files: Iterable[str], state: str) -> list[str]:
    """Return which of *files* a call is about."""
    if call.tool == BASH and is_menu(call):
        words = re.split(r"[\s'\";|&:#]+", call.tool_input["command"])
        names = {PurePosixPath(word).name for word in words}
        return [path for path in files if PurePosixPath(path).name in names]
    tool_call = ToolCall(call.tool, call.tool_input, cwd=cwd)
    named = call.tool_input.get("file_path")
    names = {resolve(named, cwd)} if isinstance(named, str) else {name_of_command(tool_call)}
    if not isinstance(named, str):
        names |= {read.path for read in intake_of_call(tool_call, state).reads}
    return [path for path in files if path in names]


def is_menu(call: Call) -> bool:
    """Say whether a command buys one of our own menus or spans."""
    command = call.tool_input.get("command")
    return isinstance(command, str) and any(verb in command for verb in MENU_VERBS)


def costs(told: Told, turn: Turn, call: Call) -> tuple[int, int]:
    """Return the tokens of our own text, and of what a cut read showed."""
    if told.verdict == DENY:
        return result_tokens(turn, call), 0
    notes = [text for text in turn.reminders if any(mark in text for mark in NOTE_MARKS)]
    own = text_tokens(notes[0], turn.model) if notes else UNSEEN_TEXT_TOKENS
    return own, result_tokens(turn, call)


def outcome_of(told: Told, turn: Turn, call: Call, path: str) -> str:
    """Return what one later call makes of the refusal, and note what it bought."""
    if call.tool in EDITS:
        return EDIT_FAILED if call.is_error and NOT_READ in call.text else ABANDONED
    if call.is_error:
        return ABANDONED
    tokens = result_tokens(turn, call)
    if call.tool == BASH and is_menu(call):
        told.bought_tokens += tokens
        return MENU_BOUGHT
    if tokens * 2 >= told.files[path]:
        return PAID_ANYWAY
    told.bought_tokens += tokens
    return RANGE_READ


def result_tokens(turn: Turn, call: Call) -> int:
    return text_tokens(call.text, turn.model) + frame_tokens(generation_of(turn.model))


def hook_times(turns: Iterable[Turn]) -> list[int]:
    """Return the milliseconds of our own hook's runs; the client logs those that printed."""
    return [
        hook.duration_ms
        for turn in turns
        for hook in turn.hooks
        if hook.duration_ms is not None and APP in hook.command
    ]


def summary_of(report: Report) -> dict[str, Any]:
    """Return everything that `--json` prints."""
    told, times = report.told, sorted(report.hook_ms)
    said = [entry for entry in told if entry.verdict != OBSERVE]
    return {
        "refused": sum(1 for entry in told if entry.verdict == DENY),
        "rewritten": sum(1 for entry in told if entry.verdict == REWRITE and not entry.is_bound),
        "bounded": sum(1 for entry in told if entry.verdict == REWRITE and entry.is_bound),
        "observed": sum(1 for entry in told if entry.verdict == OBSERVE),
        "sessions": len({(entry.session_id, entry.agent_id) for entry in told}),
        "outcomes": {
            outcome: {
                "n": sum(1 for entry in said if entry.outcome == outcome),
                "net_tokens": sum(entry.net_tokens for entry in said if entry.outcome == outcome),
            }
            for outcome in OUTCOMES
        },
        "quoted_tokens": sum(entry.quoted_tokens for entry in said),
        "shown_tokens": sum(entry.shown_tokens for entry in said),
        "bought_tokens": sum(entry.bought_tokens for entry in said),
        "forfeited_tokens": sum(entry.forfeited_tokens for entry in said),
        "own_tokens": sum(entry.own_tokens for entry in said),
        "net_tokens": sum(entry.net_tokens for entry in said),
        "hook_ms": {
            "n": len(times),
            "median": median(times) if times else None,
            "p95": times[-(-95 * len(times) // 100) - 1] if times else None,
        },
        "told": [msgspec.to_builtins(entry) | {"net_tokens": entry.net_tokens} for entry in told],
    }
