"""A command of the user's own, run with an end in sight: in seconds and in bytes."""

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence


def output_of(command: Sequence[str], given: bytes, seconds: float, limit_bytes: int) -> bytes:
    """Return what *command* prints, at most *limit_bytes*; *given* is its input.

    Whatever it started in its process group ends with it. Its exit code does not matter.

    Raises:
        OSError: it cannot be run.
        TimeoutError: it was not done in time.
    """
    deadline = time.monotonic() + seconds
    output, its_end = os.pipe()
    try:
        running = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=its_end,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        os.close(output)
        raise
    finally:
        os.close(its_end)
    said = b""
    try:
        if running.stdin:
            with contextlib.suppress(BrokenPipeError), running.stdin as its_input:
                its_input.write(given)
        while len(said) < limit_bytes:
            if not select.select([output], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"{command[0]} took over {seconds:.0f} s")
            if not (piece := os.read(output, limit_bytes)):
                break
            said += piece
    finally:
        os.close(output)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    return said[:limit_bytes]
