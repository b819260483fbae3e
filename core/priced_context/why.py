"""`ctx why`: the last verdict of a session, explained."""

import argparse
import os
import time
from pathlib import Path

from priced_context.console import Trouble
from priced_context.folders import state_folder
from priced_context.places import is_id
from priced_context.prices import LABELS, bucket_of
from priced_context.settings import OBSERVE
from priced_context.wording import printable

MEANING = {
    "deny": "was refused once, with its price; the same call again passes",
    "rewrite": "was cut to a bounded Read; the same call again passes",
    "slice": "passed as a range, and counts towards one refusal of its file",
    OBSERVE: "passed, as mode = observe wants; otherwise it would have been refused once",
}


def main(arguments: list[str]) -> int:
    """Print the last verdict of the session and what it rests on."""
    parser = argparse.ArgumentParser("ctx why", description="Explain the last verdict.")
    parser.add_argument(
        "--session",
        default=os.environ.get("CLAUDE_CODE_SESSION_ID", ""),
        help="the session's id (default: the one this shell runs in, else the newest)",
    )
    told = newest_memory(state_folder() / "sessions", parser.parse_args(arguments).session)
    print(explained(told.read_text("utf-8", "replace").splitlines()[-1], told.parent.name))
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


def explained(row: str, agent: str) -> str:
    """Return the words for one line of an agent's memory."""
    written_ms, verdict, tokens, path = row.split("\t")
    clock = time.strftime("%H:%M:%S", time.localtime(int(written_ms) / 1000))
    return (
        f"{clock} {printable(path)}\n"
        f"  {MEANING[verdict]}\n"
        f"  quoted at {LABELS[bucket_of(int(tokens))]} tok ({int(tokens):,} estimated);"
        f" agent {agent}\n"
        "  `ctx explain` shows the budget of one read and the window for any payload"
    )
