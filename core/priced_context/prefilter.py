"""The native program in front of the launcher: what it is compiled from, and how.

hooks/prefilter.c leaves most calls in the time of /bin/true (benchmarks/cold_start.py). Its tables
are made here from the very modules that it answers for, so they cannot differ.
"""

import os
import shutil
import subprocess
from pathlib import Path

from priced_context.folders import make_private
from priced_context.reads import RENDERED, SMALL_BYTES
from priced_context.registration import LAUNCHER, PREFILTER
from priced_context.words import READING_WORDS, may_read, words_in

COMPILER = "cc"
FLAGS = ("-std=c11", "-O2", "-D_FORTIFY_SOURCE=2", "-fstack-protector-strong")
# The first that gives a program which runs: static starts in two thirds of the time, but not
# every system has the libraries for it.
LINKS = (
    ("-fPIE", "-static-pie", "-Wl,-z,relro,-z,now"),
    ("-fPIE", "-pie", "-Wl,-z,relro,-z,now"),
    (),
)

_HERE = Path(__file__).resolve().parent
_SOURCES = (_HERE / "prefilter.c", _HERE.parent.parent / "hooks" / "prefilter.c")
"""In the wheel, and in a checkout."""


def program(launcher: str) -> str:
    """Return the whole C text for one launcher: the tables and hooks/prefilter.c."""
    words = sorted(READING_WORDS)
    kinds = "".join(_kind_of(chr(code)) for code in range(128))
    tables = [
        f"#define LAUNCHER {_literal(launcher)}",
        f"#define SMALL_BYTES {SMALL_BYTES}",
        f"#define LONGEST_WORD {max(map(len, words))}",
        f"static const char KINDS[] = {_literal(kinds)};",
        f"static const char *const RENDERED[] = {{{', '.join(map(_literal, RENDERED))}}};",
        f"static const char *const READING_WORDS[] = {{{', '.join(map(_literal, words))}}};",
    ]
    source = next(path for path in _SOURCES if path.exists())
    return "\n".join([*tables, source.read_text("utf-8")])


def write_prefilter(state: Path) -> Path | None:
    """Compile the prefilter into the state folder, its source beside it; None where that fails.

    Raises:
        OSError: the folder cannot be made or written.
    """
    make_private(state)
    source, target = state / f"{PREFILTER}.c", state / PREFILTER
    target.unlink(missing_ok=True)
    compiler = shutil.which(COMPILER)
    if compiler is None:
        return None
    source.write_text(program(str(state / LAUNCHER)), "utf-8")
    source.chmod(0o600)
    scratch = state / f".{PREFILTER}"
    for links in LINKS:
        if _succeeds([compiler, *FLAGS, *links, "-o", str(scratch), str(source)]) and _succeeds(
            [str(scratch)]
        ):
            scratch.chmod(0o700)
            return scratch.replace(target)
    scratch.unlink(missing_ok=True)
    return None


def _succeeds(command: list[str]) -> bool:
    payload = b'{"tool_name": "", "tool_input": {}}'
    try:
        done = subprocess.run(command, input=payload, capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def _kind_of(letter: str) -> str:
    """Return what an ASCII character does to a word, as hooks/prefilter.c reads it."""
    if may_read(letter):
        return "<"
    words = words_in(f"a{letter}b")
    return " " if words == {"a", "b"} else "-" if words == {"ab"} else "w"


def _literal(text: str) -> str:
    """Return *text* as a C string, whatever bytes it has."""
    return '"' + "".join(f"\\{byte:03o}" for byte in os.fsencode(text)) + '"'
