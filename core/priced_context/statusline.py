"""`<state>/statusline`: keeps what the client says of its window, and shows it in few words.

The client runs it at the start, after each response and after a compaction, in a terminal only. It
alone is told the window's size, so what it learns here serves the guard in every session.
"""

import posix
from time import time, time_ns

from priced_context.files import (
    append_line,
    environment,
    make_directory,
    read_small,
    replace,
)
from priced_context.gate import PIECE_BYTES, note_failure, print_answer
from priced_context.places import session_folder
from priced_context.records import ToolCall
from priced_context.room import is_eligible
from priced_context.settings import settings_of
from priced_context.window import keep_model, last_usage, learned_size, used_tokens_of, window_of
from priced_context.wire import encode, parse, text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from priced_context.records import Window

CHAINED = "chained"
"""The file in the state folder that holds the user's own status line command, as JSON text."""
CHAINED_SECONDS = 5
"""The user's own line may take so long; then ours stands alone."""
CHAINED_BYTES = 1 << 16
DAY_SECONDS = 86_400


def main(state: str) -> None:
    """Read the status line's JSON on stdin, print one line, and exit 0.

    What is kept is written first: the client stops a line that runs when the next one is due.
    """
    raw, ours = b"", ""
    try:
        raw = read_stdin()
        ours = segment_of(raw, state)
    except Exception as error:  # the user's own line must stand whatever is wrong with ours
        note_failure(state, error)
    try:
        print_answer(joined(_chained_output(state, raw), ours.encode("utf-8", "replace")))
        _prune(state)
    finally:
        posix._exit(0)  # noqa: SLF001 - its public name


def read_stdin() -> bytes:
    """Return what stands on stdin, to its end."""
    pieces = []
    while piece := posix.read(0, PIECE_BYTES):
        pieces.append(piece)
    return b"".join(pieces)


def segment_of(raw: bytes, state: str) -> str:
    """Keep what the payload says and return what is shown of it; "" where nothing is known.

    Raises:
        ValueError: the payload is not the client's.
    """
    payload = _object(parse(raw))
    session_id = text_in(payload, "session_id")
    workspace = _object(payload.get("workspace"))
    project = text_in(workspace, "project_dir") or text_in(payload, "cwd")
    transcript = text_in(payload, "transcript_path")
    now_ms = time_ns() // 1_000_000
    folder = session_folder(state, session_id)
    if folder:
        keep(payload, folder, state, transcript, now_ms)
    call = ToolCall("", {}, session_id, "", project, transcript)
    window = window_of(call, state, project, settings_of(state, project), now_ms)
    keep_model(state, project, window)
    return segment(window, is_utf8=_is_utf8())


def keep(payload: "dict[str, Any]", folder: str, state: str, transcript: str, now_ms: int) -> None:
    """Write the session's window.json, and the size of the model's window where that is news.

    Before the first response and after a compaction the client sends no counts, or zeros: that
    is written only where the log has no response either. Never raises OSError.
    """
    model = text_in(_object(payload.get("model")), "id")
    context = _object(payload.get("context_window"))
    size = context.get("context_window_size")
    if not model or type(size) is not int or size <= 0:
        return
    used = used_tokens_of(_object(context.get("current_usage")))
    try:
        make_directory(folder)
        if learned_size(state, model) != size:
            append_line(state + "/sizes", f"{model}\t{size}\n".encode("utf-8", "replace"))
        if used or last_usage(transcript, "").is_empty:
            window = {
                "version": 1,
                "session_id": folder[folder.rindex("/") + 1 :],
                "model": model,
                "window_tokens": size,
                "used_tokens": used,
                "written_ms": now_ms,
                "source": "status-line",
            }
            replace(folder + "/window.json", (encode(window) + "\n").encode())
    except (OSError, ValueError):  # a full or read-only disk: the log still says it
        pass


def segment(window: "Window", *, is_utf8: bool) -> str:
    """Return `⛁ 62% free · hold`, or what to type once compaction is due; "" for no window."""
    free, size = window.free_tokens, window.tokens
    if free is None or not size:
        return ""
    mark, dot = ("⛁", "·") if is_utf8 else ("[ctx]", "-")
    advice = "type /compact" if is_eligible(free, size) else "hold"
    return f"{mark} {100 * max(0, free) // size}% free {dot} {advice}"


def joined(own: bytes, ours: bytes) -> bytes:
    """Return the user's output as it is, ours at the end of its last line."""
    body = own.rstrip(b"\n")
    end = own[len(body) :] or b"\n"
    if not ours:
        return own
    if not body:
        return ours + b"\n"
    reset = b"\x1b[0m" if b"\x1b" in body else b""
    return body + reset + b"  " + ours + end


def _chained_output(state: str, raw: bytes) -> bytes:
    """Run the user's own status line as the client would; b"" where there is none or it fails."""
    text = read_small(f"{state}/{CHAINED}")
    if not text:
        return b""
    from priced_context.users_command import output_of

    try:
        command = ["/bin/sh", "-c", str(parse(text))]
        return output_of(command, raw, CHAINED_SECONDS, CHAINED_BYTES)
    except (OSError, ValueError):
        return b""


def _prune(state: str) -> None:
    """Once a day, remove what old sessions left; the verbs do it too."""
    try:
        if 0 <= time() - posix.stat(state + "/pruned").st_mtime < DAY_SECONDS:
            return
    except OSError:
        pass
    from pathlib import Path

    from priced_context.folders import prune

    prune(Path(state))


def _is_utf8() -> bool:
    """Say whether the terminal's locale has room for more than ASCII."""
    locale = environment("LC_ALL") or environment("LC_CTYPE") or environment("LANG")
    return "utf" in locale.lower()


def _object(value: object) -> "dict[str, Any]":
    return value if type(value) is dict else {}
