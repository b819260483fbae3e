"""The executables that the client spawns: written once, outside any checkout.

They start the real interpreter without `site` (-I -S), which costs a third of what a console
script does (benchmarks/cold_start.py), and know where the package and the state are. Their paths
are UTF-8 whatever the locale of the session (-X utf8).
"""

import compileall
import os
import shlex
import sys
import sysconfig
from pathlib import Path

from priced_context.folders import make_private
from priced_context.registration import COMMAND, LAUNCHER, POSTTOOLUSE, PRECOMPACT, STATUSLINE

# Linux before 5.1 cuts a shebang line at 127 bytes, and none may hold a blank.
SHEBANG_BYTES = 120

PROGRAM = """\
import gc, sys
gc.disable()
sys.path[:0] = {folders!a}
from priced_context.{module} import main
main({state!a})
"""
"""No hook lives long enough for a collection to pay: `gc` costs a refusal 0.3 ms of ten
(benchmarks/cold_start.py), and a compaction up to 6% of its time without freeing anything
(benchmarks/precompact.py)."""

SHELL = """\
#!/bin/sh
[ -x {python} ] || exit 0
exec {python} -I -S -X utf8 -c {program}
"""
"""Where a shebang line cannot name the interpreter. The program is no file of its own: a call that
runs while it is removed would end with 2, and the client takes that for a refusal."""

MODULES = {
    LAUNCHER: "gate",
    POSTTOOLUSE: "trim",
    PRECOMPACT: "compaction.precompact",
    STATUSLINE: "statusline",
}
"""Whose `main` each of them calls."""
STANDALONE = (LAUNCHER, POSTTOOLUSE, STATUSLINE)
"""Those that load nothing but the standard library."""


def base_interpreter() -> str:
    """Return the interpreter behind this one's virtual environment.

    A link to it stays a link: an upgrade moves what stands behind `python3.12`, not the name.
    """
    base = str(getattr(sys, "_base_executable", ""))
    return base if os.path.isfile(base) else os.path.realpath(sys.executable)


def package_folder() -> str:
    """Return the folder that holds the package: site-packages, or the checkout's core/."""
    return str(Path(__file__).resolve().parent.parent)


def dependency_folders() -> list[str]:
    """Return where the packages are that only the compaction's hook needs, the first from here."""
    paths = sysconfig.get_paths()
    return list(dict.fromkeys([package_folder(), paths["purelib"], paths["platlib"]]))


def launcher_files(interpreter: str, state: Path) -> dict[str, bytes]:
    """Return name → content of what stands in the state folder for the client to spawn."""
    files: dict[str, bytes] = {}
    for name, module in MODULES.items():
        folders = [package_folder()] if name in STANDALONE else dependency_folders()
        program = PROGRAM.format(folders=folders, module=module, state=str(state))
        shebang = f"#!{interpreter} -ISXutf8\n"
        if len(os.fsencode(shebang)) <= SHEBANG_BYTES and len(shebang.split()) == 2:
            files[name] = os.fsencode(shebang + program)
            continue
        python = shlex.quote(interpreter)
        files[name] = os.fsencode(SHELL.format(python=python, program=shlex.quote(program)))
    return files


def write_launcher(state: Path) -> Path:
    """Write the launchers into the state folder and return the guard's.

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


def link_command(state: Path) -> Path:
    """Link our verbs into the state folder, where a refusal names them by a path of its own.

    Raises:
        OSError: the link cannot be made.
    """
    scratch = state / f".{COMMAND}"
    scratch.unlink(missing_ok=True)
    scratch.symlink_to(Path(sys.executable).parent / COMMAND)
    scratch.replace(state / COMMAND)
    return state / COMMAND


def compile_package() -> None:
    """Byte-compile the package, so that no call compiles it again, even where it is read-only."""
    compileall.compile_dir(Path(__file__).parent, quiet=2)
