"""A log's texts as files: what the guard finds when it looks at the files of another day.

Every name that a hook stats or opens passes through `files.place_of`; while stand-ins are in
place it leads to a scratch file that holds what the log says stood there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from priced_context import files
from priced_context.records import Read
from priced_context.transcript import Shown

LARGEST_BYTES = 8 << 20
"""Of a file made longer than the log shows it."""


class StandIns:
    """The files of one session, as far as its log shows them."""

    def __init__(self, folder: Path, state: str) -> None:
        self._folder = folder
        self._state = state + "/"
        """Stands as it is: the hook's own settings are today's."""
        self._places: dict[str, str] = {}
        self._directory = str(folder / "directory")
        Path(self._directory).mkdir()
        self._printed_place = str(folder / "printed")
        self._printed: str | None = None

    def keep(self, path: str, text: str) -> None:
        """Put *text* in the place of *path*."""
        place = self._places.get(path) or str(self._folder / str(len(self._places)))
        self._write(place, text)
        self._places[path] = place
        self.keep_directory(str(PurePosixPath(path).parent))

    def keep_directory(self, path: str) -> None:
        """Let *path*, and what is above it, be a directory."""
        above = str(PurePosixPath(path).parent)
        while self._places.setdefault(path, self._directory) == self._directory and path != above:
            path, above = above, str(PurePosixPath(above).parent)

    def keep_read(self, path: str, shown: Shown, total_lines: int) -> None:
        """Put what a Read showed in the place of its file, repeated to the file's length."""
        lines = max(total_lines, shown.last_line)
        text = shown.text
        if lines > shown.line_count:
            text = lengthened(text, shown.line_count, lines)
        self.keep(path, text)

    def keep_printed(self, text: str) -> None:
        """Put what a command printed in the place of every file that is not known."""
        self._printed = text  # written when somebody looks: most commands print no file

    def fit_printed(self, text: str, reads: list[Read]) -> bool:
        """Put it there again, now that it is known which files it came from; False: no need.

        Several files share it; of a range it is the lines, repeated to the range's end.
        """
        unknown = [read for read in reads if read.path not in self._places]
        if not unknown or (len(unknown) == 1 and unknown[0].is_whole):
            return False
        lines = text.count("\n") + 1
        last_line = unknown[0].first_line + (unknown[0].line_count or lines) - 1
        if len(unknown) == 1 and last_line > lines:
            text = lengthened(text, lines, last_line)
        self.keep_printed(text[: len(text) // len(unknown)])
        return True

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Look into the log instead of at the disk."""

        def place_of(path: str) -> str:
            if path.startswith(self._state):
                return path
            place = self._places.get(path)
            if place is None:
                place = self._printed_place
                if self._printed is not None:
                    self._write(place, self._printed)
                    self._printed = None
            return place

        before, files.place_of = files.place_of, place_of
        try:
            yield
        finally:
            files.place_of = before

    def _write(self, place: str, text: str) -> None:
        Path(place).write_bytes(text.encode("utf-8", "replace"))


def lengthened(text: str, lines: int, total_lines: int) -> str:
    """Return *text* of so many lines, repeated until it has *total_lines*."""
    wanted = min(total_lines, lines * (1 + LARGEST_BYTES // (len(text) + 1)))
    copies = -(-wanted // lines)
    return "\n".join("\n".join([text] * copies).split("\n")[:wanted])
