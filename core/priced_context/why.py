"""`ctx why`: the last verdict of a session, explained."""

import argparse
import time
from pathlib import Path

from priced_context.console import Trouble
from priced_context.folders import state_folder
from priced_context.memory import FORGOTTEN, SLICE, rows_of
from priced_context.places import is_id, own_session
from priced_context.policy import BOUND, is_command
from priced_context.prices import LABELS, bucket_of
from priced_context.records import DENY, NO_ROOM, REWRITE
from priced_context.settings import OBSERVE
from priced_context.wording import printable

MEANING = {
    DENY: "refused once, with its price; the same call again passes",
    REWRITE: "cut to the lines that fit; the same call again passes",
    BOUND: "given an end, which takes nothing away; the same call again runs as it stands",
    NO_ROOM: "refused, as often as it is sent: the window has no room for it",
    SLICE: "passed as a range, and counts towards one refusal of its file",
    OBSERVE: "passed, as mode = observe wants; otherwise it would have been refused once",
}


def main(arguments: list[str]) -> int:
    """Print the last verdict of the session and what it rests on."""
    parser = argparse.ArgumentParser("ctx why", description="Explain the last verdict.")
    parser.add_argument(
        "--session",
        default=own_session(),
        help="the session's id (default: the one this shell runs in, else the newest)",
    )
    told = newest_memory(state_folder() / "sessions", parser.parse_args(arguments).session)
    rows = [row for row in rows_of(str(told.parent)) if row[1] != FORGOTTEN]
    last_ms, verdict, _, _ = rows[-1]
    files = [(tokens, path) for ms, what, tokens, path in rows if (ms, what) == (last_ms, verdict)]
    if verdict == REWRITE and all(is_command(path) for _, path in files):
        verdict = BOUND
    print(explained(last_ms, verdict, files, told.parent.name))
    return 0


def newest_memory(sessions: Path, session_id: str) -> Path:
    """Return the memory last written to, of one session's agents or of all.

    Raises:
        Trouble: nothing was said yet, or the id is not one.
    """
    if session_id and not is_id(session_id):
        raise Trouble(f"{session_id!r} is not a session's id")
    folders = [session_id, f"{session_id}.*"] if session_id else ["*"]
    memories = [
        path
        for folder in folders
        for path in sessions.glob(f"{folder}/told")
        if path.stat().st_size
    ]
    if not memories:
        where = f"session {session_id}" if session_id else "any session"
        raise Trouble(f"no read was refused, cut or counted in {where} yet")
    return max(memories, key=lambda path: path.stat().st_mtime_ns)


def explained(told_ms: int, verdict: str, files: list[tuple[int, str]], agent: str) -> str:
    """Return the words for one verdict, which may speak of several files."""
    clock = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(told_ms / 1000))
    session_id, _, agent_id = agent.partition(".")
    who = f"session {session_id}" + (f", agent {agent_id}" if agent_id else "")
    lines = [f"{clock} {verdict}, {who}: {MEANING.get(verdict, 'not a verdict of ours')}"]
    for tokens, path in files:
        label = LABELS[bucket_of(tokens)]
        lines.append(f"  {label} tok ({tokens:,} estimated)  {printable(path)}")
    lines.append("`ctx explain` shows window, price and budget for any payload")
    return "\n".join(lines)
