"""The executable that the client spawns for each call: written once, outside any checkout.

It starts the real interpreter without `site` (-I -S), which costs a third of what a console
script does (benchmarks/cold_start.py), and knows where the package and the state are.
"""

import compileall
import os
import shlex
import sys
from pathlib import Path

from priced_context.folders import make_private
from priced_context.registration import LAUNCHER

# Linux before 5.1 cuts a shebang line at 127 bytes, and none may hold a blank.
SHEBANG_BYTES = 120

PROGRAM = """\
import sys
sys.path.insert(0, {package_folder!a})
from priced_context.gate import main
main({state!a})
"""


def base_interpreter() -> str:
    """Return the interpreter behind this one's virtual environment.

    A link to it stays a link: an upgrade moves what stands behind `python3.12`, not the name.
    """
    base = str(getattr(sys, "_base_executable", ""))
    return base if os.path.isfile(base) else os.path.realpath(sys.executable)


def package_folder() -> str:
    """Return the folder that holds the package: site-packages, or the checkout's core/."""
    return str(Path(__file__).resolve().parent.parent)


def launcher_files(interpreter: str, state: Path) -> dict[str, bytes]:
    """Return name → content of what stands in the state folder for the client to spawn."""
    program = PROGRAM.format(package_folder=package_folder(), state=str(state))
    shebang = f"#!{interpreter} -IS\n"
    if len(os.fsencode(shebang)) <= SHEBANG_BYTES and len(shebang.split()) == 2:
        return {LAUNCHER: os.fsencode(shebang + program)}
    behind = state / f"{LAUNCHER}.py"
    command = f"exec {shlex.quote(interpreter)} -I -S {shlex.quote(str(behind))}"
    return {behind.name: program.encode(), LAUNCHER: os.fsencode(f"#!/bin/sh\n{command}\n")}


def write_launcher(state: Path) -> Path:
    """Write the launcher into the state folder and return it.

    Raises:
        OSError: the folder cannot be made or written.
    """
    make_private(state)
    state.chmod(0o700)
    for name, content in launcher_files(base_interpreter(), state).items():
        scratch = state / f".{name}"
        scratch.write_bytes(content)
        scratch.chmod(0o700)
        scratch.replace(state / name)
    return state / LAUNCHER


def compile_package() -> None:
    """Byte-compile the package, so that no call compiles it again, even where it is read-only."""
    compileall.compile_dir(Path(__file__).parent, quiet=2)
