"""A session's window.json, checked in full: what a status line or a person writes there.

The hot path reads it leniently (window): a file that is wrong is passed over for the next source.
docs/files.md explains each field; window.json.example is a valid one.
"""

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from priced_context.console import Trouble
from priced_context.files import read_regular

LARGEST_BYTES = 1 << 16
"""A valid one has some 200."""


class WindowFile(msgspec.Struct, frozen=True):
    """How full one agent's context window is, and when that was so."""

    version: Literal[1]
    session_id: str
    model: str
    window_tokens: Annotated[int, msgspec.Meta(gt=0)]
    used_tokens: Annotated[int, msgspec.Meta(ge=0)]
    """Input, cached input and output of the last response."""
    written_ms: Annotated[int, msgspec.Meta(gt=0)]
    """Unix time in milliseconds."""
    source: str
    """Who wrote it, for example status-line."""


def load_window_file(path: Path) -> WindowFile:
    """Read and check *path*.

    Raises:
        Trouble: it cannot be read, is not JSON, or a field is missing or wrong.
    """
    try:
        content = read_regular(str(path), LARGEST_BYTES)
        return msgspec.json.decode(content, type=WindowFile)
    except OSError as error:
        raise Trouble(f"{path}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:  # a ValidationError is a DecodeError
        raise Trouble(f"{path}: {error}") from error
