"""`ctx off` and `ctx on`: a file whose presence stops the pricing, everywhere or in one session."""

import argparse
import os
from pathlib import Path

from priced_context.console import Trouble
from priced_context.folders import make_private, state_folder
from priced_context.places import SESSION_VARIABLE, own_session, session_folder
from priced_context.settings import SWITCH


def off(arguments: list[str]) -> int:
    """Stop pricing: every call passes as if the hook were not there."""
    switch, scope = _switch("off", off.__doc__, arguments)
    make_private(switch.parent)
    switch.touch(mode=0o600)
    undo = "ctx on" if scope == "everywhere" else "ctx on --session"
    print(f"off {scope}; `{undo}` undoes it")
    return 0


def on(arguments: list[str]) -> int:
    """Price again."""
    switch, scope = _switch("on", on.__doc__, arguments)
    switch.unlink(missing_ok=True)
    print(f"on {scope}")
    if (state_folder() / SWITCH).exists():
        print("but still off everywhere: `ctx on` without --session undoes that")
    own = session_folder(str(state_folder()), own_session())
    if own and (Path(own) / SWITCH).exists():
        print("but still off in this session: `ctx on --session` undoes that")
    if os.environ.get("CTX_OFF") == "1":
        print("but still off where CTX_OFF=1 is set, as it is here")
    return 0


def _switch(verb: str, what: str | None, arguments: list[str]) -> tuple[Path, str]:
    """Return the file to make or remove, and its scope in words."""
    parser = argparse.ArgumentParser(f"ctx {verb}", description=what)
    parser.add_argument("--session", action="store_true", help="this session only")
    if not parser.parse_args(arguments).session:
        return state_folder() / SWITCH, "everywhere"
    folder = session_folder(str(state_folder()), own_session())
    if not folder:
        raise Trouble(f"which session? {SESSION_VARIABLE} is not set: run it in the client's shell")
    return Path(folder) / SWITCH, "in this session"
