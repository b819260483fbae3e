"""`ctx box`: the ledger of the session that runs, what the next turn leaves, and what to type."""

import argparse
import os
import select
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType

from priced_context.budget.box import render
from priced_context.budget.session import Live, Session, find_session, live, total_source
from priced_context.compaction.decision import reason_to_pass
from priced_context.compaction.precompact import held_id
from priced_context.console import Trouble
from priced_context.folders import client_settings, config_file, state_folder
from priced_context.places import session_folder
from priced_context.room import ELIGIBLE_BELOW, free_tokens, safety_margin

LOOK_SECONDS = 0.25
"""How often a watched session is looked at; while nothing has changed that is a few stats."""
QUITS = (b"q", b"Q", b"\x1b", b"")
TALL = 40
"""From so many rows on there is room for the largest segments of each kind."""


def main(arguments: list[str]) -> int:
    """Print the box once, or keep it on the screen until q."""
    parser = argparse.ArgumentParser("ctx box", description="The compaction box of a live session.")
    parser.add_argument("--session", default="", metavar="ID", help="or SESSION.AGENT (this one)")
    parser.add_argument("--watch", action="store_true", help="stay and follow; q quits")
    options = parser.parse_args(arguments)
    session, console = find_session(options.session), Console()
    if options.watch:
        watch(session, console)
    else:
        console.print(box(live(session, str(state_folder())), console, segments=3))
    return 0


def box(found: Live, console: Console, *, segments: int) -> RenderableType:
    """Return the box of a live session."""
    budget, window = found.budget, found.window
    part, whole = ELIGIBLE_BELOW
    rows = [("compaction below", budget.model_context_tokens * part // whole)]
    growth = found.typical_growth
    if growth is not None:
        used = budget.total_input_tokens + growth
        left = free_tokens(
            budget.model_context_tokens, used, budget.output_reservation_tokens, safety_margin(used)
        )
        rows.append((f"after a typical turn, +{growth:,}", left))
    notes = [
        advice(found),
        f"in use by {total_source(window)}; window by {window.source}",
        f"session {found.session.name}",
    ]
    if found.pending_tokens:
        notes.insert(1, f"came in since the last bill: about {found.pending_tokens:,}")
    return render(budget, console, segments, rows, notes)


def advice(found: Live) -> str:
    """Return what the user can type, and what it would do."""
    if found.budget.compaction_eligible:
        return "type /compact: what must be kept is added to the summary's instructions"
    session = found.session
    folder = session_folder(str(state_folder()), session.session_id, session.agent_id)
    reason = reason_to_pass(found, held_id(folder), is_automatic=False)
    if reason:
        return f"/compact would go through all the same: {reason}"
    return "/compact would be held; /compact force goes through"


def watch(session: Session, console: Console) -> None:
    """Show the box and follow the session until q.

    Raises:
        Trouble: this is no terminal, or the session's log has gone.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Trouble("--watch needs a terminal: leave out --watch to print it once")
    from rich.live import Live as Screen

    with keys(), Screen(console=console, screen=True, auto_refresh=False) as screen:
        shown: object = None
        while True:
            now = stamp(session), console.size
            if now != shown:
                segments = 3 if console.height >= TALL else 0
                found = live(session, str(state_folder()))
                screen.update(box(found, console, segments=segments), refresh=True)
                shown = now
            if key(LOOK_SECONDS) in QUITS:
                return


def stamp(session: Session) -> list[tuple[int, int]]:
    """Return what changes when anything that the box shows does."""
    state = str(state_folder())
    folder = session_folder(state, session.session_id, session.agent_id)
    files = [
        str(session.log),
        f"{folder}/window.json",
        f"{folder}/held",
        f"{state}/sizes",
        str(config_file()),
        str(client_settings()),
    ]
    return [_stamp(file) for file in files]


def _stamp(file: str) -> tuple[int, int]:
    try:
        found = os.stat(file)
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def key(seconds: float) -> bytes | None:
    """Return what was typed within so many seconds; b"" once the terminal is gone."""
    is_typed = select.select([sys.stdin], [], [], seconds)[0]
    return os.read(sys.stdin.fileno(), 64) if is_typed else None


@contextmanager
def keys() -> Iterator[None]:
    """Hand over every key at once while inside; the terminal is put back as it was."""
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
