"""The file system without `os`: `posix` is built in, `os` costs a quarter of the floor.

Every function takes and returns plain strings and bytes; an error is an OSError unless the
docstring says otherwise.
"""

import posix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

REGULAR = 0o100000
DIRECTORY = 0o040000
_FORMAT = 0o170000
BLOCK_BYTES = 1 << 16
COUNTED_BYTES = 4 << 20
"""Lines are counted in so much of a file, and of several together."""
EINVAL, EFBIG = 22, 27
"""As `errno` has them, which is not worth its import."""


def _as_named(path: str) -> str:
    return path


place_of: "Callable[[str], str]" = _as_named
"""Where a path is looked for: there. `ctx replay` alone puts the texts of a log in their place."""


def size_of_regular(path: str) -> int:
    """Return the size in bytes of a regular file (links followed), else -1. Never raises."""
    try:
        found = posix.stat(place_of(path))
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return -1
    return found.st_size if found.st_mode & _FORMAT == REGULAR else -1


def is_directory(path: str) -> bool:
    """Never raises."""
    try:
        return posix.stat(place_of(path)).st_mode & _FORMAT == DIRECTORY
    except (OSError, ValueError):
        return False


def names_in(path: str) -> list[str]:
    """Return the sorted names in directory *path*; empty where it cannot be listed."""
    try:
        return sorted(posix.listdir(place_of(path)))
    except (OSError, ValueError):
        return []


def environment(name: str) -> str:
    """Return one variable of this process, or "" where it is unset or not UTF-8."""
    try:
        return posix.environ.get(name.encode(), b"").decode()
    except UnicodeDecodeError:
        return ""


def whole_number(text: str) -> int:
    """Return a text of one to nine ASCII digits as a number; 0 for any other."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def resolve(path: str, cwd: str) -> str:
    """Return *path* made absolute against *cwd*, with `.`, `..` and `//` folded as text."""
    if not path.startswith("/"):
        path = cwd + "/" + path
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if parts:
                parts.pop()
        elif part and part != ".":
            parts.append(part)
    return "/" + "/".join(parts)


def kind_of(path: str) -> str:
    """Return the kind of a file: its suffix in lower case, or "" where it has none."""
    name, dot, suffix = path[path.rfind("/") + 1 :].rpartition(".")
    return suffix.lower() if name and dot else ""


def as_field(path: str) -> bytes:
    """Return *path* as one field of a line: a tab, a newline and a backslash are escaped."""
    path = path.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
    return path.encode("utf-8", "surrogatepass")


def as_path(field: bytes) -> str:
    """Return the path that `as_field` made a field of.

    Raises:
        ValueError: not UTF-8.
    """
    text = field.decode("utf-8", "surrogatepass")
    if "\\" not in text:
        return text
    pieces = text.split("\\\\")  # an escaped backslash divides; the rest is unambiguous
    return "\\".join([piece.replace("\\t", "\t").replace("\\n", "\n") for piece in pieces])


def opened(path: str) -> int:
    """Return a handle to read from; a FIFO that took the file's place cannot hold the hook."""
    return posix.open(place_of(path), posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)


def read_spread(path: str, size_bytes: int, piece_bytes: int, pieces: int) -> bytes:
    """Return *pieces* stretches spread evenly over the file, joined; the whole of a small file."""
    handle = opened(path)
    try:
        if size_bytes <= piece_bytes * pieces:
            return posix.pread(handle, size_bytes, 0)
        step = (size_bytes - piece_bytes) / (pieces - 1)
        return b"".join(
            [posix.pread(handle, piece_bytes, int(step * piece)) for piece in range(pieces)]
        )
    finally:
        posix.close(handle)


def read_tail(path: str, limit_bytes: int) -> tuple[bytes, bool]:
    """Return the last *limit_bytes* of a regular file, and whether that is all of it."""
    handle = opened(path)
    try:
        found = posix.fstat(handle)
        if found.st_mode & _FORMAT != REGULAR:
            return b"", False
        start = max(0, found.st_size - limit_bytes)
        return posix.pread(handle, found.st_size - start, start), start == 0
    finally:
        posix.close(handle)


def read_small(path: str, limit_bytes: int = 1 << 20) -> bytes:
    """Return a state file's bytes, at most *limit_bytes* from its end; b"" where there is none."""
    try:
        return read_tail(path, limit_bytes)[0]
    except (OSError, ValueError):
        return b""


def read_regular(path: str, limit_bytes: int) -> bytes:
    """Return the whole of a regular file (links followed); nothing else is ever opened.

    Raises:
        OSError: it cannot be read, is not a regular file, or is larger than *limit_bytes*.
    """
    if posix.stat(place_of(path)).st_mode & _FORMAT != REGULAR:
        raise OSError(EINVAL, "it is not a regular file", path)
    handle = opened(path)
    try:
        if posix.fstat(handle).st_mode & _FORMAT != REGULAR:  # it took the file's place just now
            raise OSError(EINVAL, "it is not a regular file", path)
        content = posix.pread(handle, limit_bytes + 1, 0)
    finally:
        posix.close(handle)
    if len(content) > limit_bytes:
        raise OSError(EFBIG, f"it is larger than {limit_bytes:,} bytes", path)
    return content


def append_line(path: str, line: bytes) -> None:
    """Append *line* in one write, so that parallel hooks never mix; the file is 0600."""
    _put(path, posix.O_APPEND, line)


def replace(path: str, data: bytes) -> None:
    """Put *data* in the file's place at once: a reader sees the old bytes or the new."""
    scratch = f"{path}.{posix.getpid()}"
    try:
        _put(scratch, posix.O_TRUNC, data)
        posix.rename(scratch, path)
    finally:  # whatever stops it, a full disk or the hook's clock
        if size_of_regular(scratch) >= 0:
            posix.unlink(scratch)


def _put(path: str, flags: int, data: bytes) -> None:
    flags |= posix.O_WRONLY | posix.O_CREAT | posix.O_CLOEXEC | posix.O_NOFOLLOW
    flags |= posix.O_NONBLOCK  # a FIFO in the file's place is an error, not a wait
    handle = posix.open(path, flags, 0o600)
    try:
        if posix.write(handle, data) != len(data):  # the disk became full on the way
            raise OSError(f"{path} could not be written whole")
    finally:
        posix.close(handle)


def make_directory(path: str) -> None:
    """Make *path* and the folders above it, 0700 each, where they are missing."""
    try:
        posix.mkdir(path, 0o700)
    except FileExistsError:  # also by another hook, a moment ago
        pass
    except FileNotFoundError:
        make_directory(path[: path.rindex("/")])
        make_directory(path)


def lines_from(
    path: str, first_line: int, span_bytes: int, limit_bytes: int = 1 << 40
) -> tuple[int, bytes]:
    """Return how many newlines a file has, and *span_bytes* from where *first_line* begins.

    Reads pieces of 256 KiB, once, and stops at *limit_bytes*: what took the file's place may have
    no end. A line past the end begins nowhere: b"".
    """
    handle = opened(path)
    try:
        newlines, offset = 0, 0
        start = 0 if first_line == 1 else -1
        while offset < limit_bytes and (piece := posix.read(handle, 1 << 18)):
            found = piece.count(b"\n")
            if start < 0 and newlines + found >= first_line - 1:
                at = -1
                for _ in range(first_line - 1 - newlines):
                    at = piece.index(b"\n", at + 1)
                start = offset + at + 1
            newlines += found
            offset += len(piece)
        return newlines, posix.pread(handle, span_bytes, start) if start >= 0 else b""
    finally:
        posix.close(handle)


def exists(path: str) -> bool:
    """Return whether anything stands at *path* (links followed). Never raises."""
    try:
        posix.stat(place_of(path))
    except (OSError, ValueError):
        return False
    return True


def lines_in(path: str, at_most: int) -> int:
    """Count the lines of a file up to *at_most*; text after the last newline is a line.

    Returns -1 where the file cannot be read, or COUNTED_BYTES hold fewer lines than asked for.
    """
    try:
        handle = opened(path)
    except (OSError, ValueError):
        return -1
    try:
        found, last = 0, b"\n"
        for _ in range(COUNTED_BYTES // BLOCK_BYTES):
            block = posix.read(handle, BLOCK_BYTES)
            if not block:
                return min(at_most, found + (last != b"\n"))
            found += block.count(b"\n")
            if found >= at_most:
                return at_most
            last = block[-1:]
    except OSError:
        pass
    finally:
        posix.close(handle)
    return -1


def has_final_newline(path: str) -> bool:
    """Return whether the last byte of a file is a newline; False where it cannot be read."""
    try:
        handle = opened(path)
    except (OSError, ValueError):
        return False
    try:
        end = posix.lseek(handle, 0, 2)
        return end > 0 and posix.pread(handle, 1, end - 1) == b"\n"
    except OSError:
        return False
    finally:
        posix.close(handle)
