"""The prefilter asked about many payloads in one process, and Python asked the same."""

import os
import subprocess
from pathlib import Path

from priced_context import gate
from priced_context.prefilter import FLAGS, compiler, program
from priced_context.wire import decode_call

SANITIZED = ("-g", "-O1", "-std=c11", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
STRICT = 'window_tokens = 200000\nread_budget_min = 1\nread_budget_max = 1\ntools = ["ours"]\n'
"""Settings that refuse whatever has a price."""
BATCH = Path(__file__).with_suffix(".c")


class PrefilterBatch:
    """A running prefilter that only says what it would do."""

    def __init__(self, folder: Path, flags: tuple[str, ...] = FLAGS):
        """Compile it.

        Raises:
            subprocess.CalledProcessError: not with these flags.
        """
        source, target = folder / "batch.c", folder / "batch"
        source.write_text(batch_text(), "utf-8")
        command = [compiler(), *flags, "-Wall", "-Wextra", "-Werror", "-o", target, source]
        subprocess.run(command, check=True, capture_output=True)
        self.process = subprocess.Popen(
            [target], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def passes(self, payload: bytes) -> bool:
        """Say whether the prefilter leaves; an AssertionError where it breaks."""
        self.process.stdin.write(b"%d\n" % len(payload) + payload)
        answer = self.process.stdout.read(1)
        assert answer in {b"p", b"h"}, payload
        return answer == b"p"

    def close(self) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(timeout=10) == 0


def batch_text() -> str:
    return "#define main of_the_prefilter\n" + program("/nowhere/launch") + BATCH.read_text()


def is_silent_in_python(payload: bytes, state: Path) -> bool:
    """Say whether Python says nothing and leaves the state folder as it was."""
    before = listing(state)
    try:
        answer = gate.answer(decode_call(payload), str(state))
    except Exception:  # noqa: BLE001 - gate.main writes a line to the log for any of them
        return False
    return answer == b"" and listing(state) == before


def listing(folder: Path) -> list[tuple[str, int, int]]:
    """Return every file with its size and time."""
    return [
        (entry.path, entry.stat().st_size, entry.stat().st_mtime_ns)
        for parent, _, _ in os.walk(folder)
        for entry in os.scandir(parent)
        if entry.is_file()
    ]
