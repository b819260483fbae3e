"""The failures of hooks: `ms<TAB>where<TAB>what`, a line each; `ctx doctor` shows the last."""

from time import time_ns

from priced_context.files import append_line, make_directory, read_small, replace, size_of_regular

LARGEST_BYTES = 1 << 20


def note(state: str, error: Exception) -> None:
    """Append one line about *error*; drops the older half of a full log. Never raises."""
    place = "?"
    step = error.__traceback__
    while step is not None:  # the innermost frame is where it happened
        place = f"{step.tb_frame.f_code.co_filename.rpartition('/')[2]}:{step.tb_lineno}"
        step = step.tb_next
    what = ascii(f"{type(error).__name__}: {error}"[:200])[1:-1]  # one line, whatever it quotes
    line = f"{time_ns() // 1_000_000}\t{place}\t{what}\n".encode("ascii", "backslashreplace")
    path = state + "/log"
    try:
        if size_of_regular(path) > LARGEST_BYTES - len(line):
            replace(path, read_small(path, LARGEST_BYTES // 2).partition(b"\n")[2])
        make_directory(state)
        append_line(path, line)
    except (OSError, ValueError):  # nowhere to say it
        pass
