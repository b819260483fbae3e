"""The native program in front of the launcher: what it is compiled from, and how.

hooks/prefilter.c leaves most calls in the time of /bin/true (benchmarks/cold_start.py). Its tables
are made here from the very modules that it answers for, so they cannot differ.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from priced_context.reads import RENDERED, SMALL_BYTES
from priced_context.registration import LAUNCHER, PREFILTER
from priced_context.words import READING_WORDS, may_read, words_in

FLAGS = ("-std=c11", "-O2", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", "-fstack-protector-strong")
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


def compiler() -> str | None:
    """Return the C compiler: `$CC`, else `cc`; None where there is none."""
    return shutil.which(os.environ.get("CC") or "cc")


def hook_in(state: Path) -> Path:
    """Return what the client is to spawn: the prefilter where it was built, else the launcher."""
    prefilter = state / PREFILTER
    return prefilter if prefilter.exists() else state / LAUNCHER


def is_current(state: Path) -> bool:
    """Say whether the prefilter was built from this version, for the launcher beside it."""
    try:
        built_from = (state / f"{PREFILTER}.c").read_text("utf-8")
    except (OSError, ValueError):
        return False
    return built_from == program(str(state / LAUNCHER))


def can_build(state: Path) -> bool:
    """Say whether a prefilter for this state folder can be made here; nothing is left of it."""
    with tempfile.TemporaryDirectory() as scratch:
        return _is_built(state, Path(scratch, f"{PREFILTER}.c"), Path(scratch, PREFILTER))


def write_prefilter(state: Path) -> None:
    """Compile the prefilter into the state folder, its source beside it; none where that fails.

    Raises:
        OSError: the folder cannot be written.
    """
    target, source, scratch = (
        state / name for name in (PREFILTER, f"{PREFILTER}.c", f".{PREFILTER}")
    )
    if _is_built(state, source, scratch):
        scratch.chmod(0o700)
        scratch.replace(target)
        return
    for path in (target, source, scratch):
        path.unlink(missing_ok=True)


def _is_built(state: Path, source: Path, target: Path) -> bool:
    """Write the source for this state folder and make a program of it that runs; False: none."""
    cc = compiler()
    if cc is None:
        return False
    source.touch(mode=0o600)
    source.write_text(program(str(state / LAUNCHER)), "utf-8")
    return any(
        _succeeds(cc, *FLAGS, *links, "-o", target, source) and _succeeds(target) for links in LINKS
    )


def _succeeds(*command: str | Path) -> bool:
    """Run the compiler, or what it made: on a call of no tool, which passes."""
    call = b'{"tool_name": "", "tool_input": {}}'
    try:
        subprocess.run(command, input=call, capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def _kind_of(letter: str) -> str:
    """Return what an ASCII character does to a word, as hooks/prefilter.c reads it."""
    if may_read(letter):
        return "<"
    words = words_in(f"a{letter}b")
    return " " if words == {"a", "b"} else "-" if words == {"ab"} else "w"


def _literal(text: str) -> str:
    """Return *text* as a C string, whatever bytes it has."""
    return '"' + "".join(f"\\{byte:03o}" for byte in os.fsencode(text)) + '"'
