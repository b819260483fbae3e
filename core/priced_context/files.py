"""The file system without `os`: `posix` is built in, `os` costs a quarter of the floor.

Every function takes and returns plain strings and bytes; an error is an OSError unless the
docstring says otherwise.
"""

import posix

REGULAR = 0o100000
DIRECTORY = 0o040000
_FORMAT = 0o170000


def size_of_regular(path: str) -> int:
    """Return the size in bytes of a regular file (links followed), else -1. Never raises."""
    try:
        found = posix.stat(path)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return -1
    return found.st_size if found.st_mode & _FORMAT == REGULAR else -1


def is_directory(path: str) -> bool:
    """Never raises."""
    try:
        return posix.stat(path).st_mode & _FORMAT == DIRECTORY
    except (OSError, ValueError):
        return False


def names_in(path: str) -> list[str]:
    """Return the sorted names in directory *path*; empty where it cannot be listed."""
    try:
        return sorted(posix.listdir(path))
    except (OSError, ValueError):
        return []


def environment(name: str) -> str:
    """Return one variable of this process, or "" where it is unset or not UTF-8."""
    try:
        return posix.environ.get(name.encode(), b"").decode()
    except UnicodeDecodeError:
        return ""


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


def exists(path: str) -> bool:
    """Return whether anything stands at *path* (links followed). Never raises."""
    try:
        posix.stat(path)
    except (OSError, ValueError):
        return False
    return True


def lines_in(path: str, at_most: int) -> int:
    """Count the lines of a file up to *at_most*; text after the last newline is a line.

    Returns -1 where the file cannot be read, or 4 MiB hold fewer lines than asked for.
    """
    try:
        descriptor = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    except (OSError, ValueError):
        return -1
    try:
        found, last = 0, b"\n"
        for _ in range(64):
            block = posix.read(descriptor, 65_536)
            if not block:
                return min(at_most, found + (last != b"\n"))
            found += block.count(b"\n")
            if found >= at_most:
                return at_most
            last = block[-1:]
    except OSError:
        pass
    finally:
        posix.close(descriptor)
    return -1


def has_final_newline(path: str) -> bool:
    """Return whether the last byte of a file is a newline; False where it cannot be read."""
    try:
        descriptor = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    except (OSError, ValueError):
        return False
    try:
        end = posix.lseek(descriptor, 0, 2)
        return end > 0 and posix.pread(descriptor, 1, end - 1) == b"\n"
    except OSError:
        return False
    finally:
        posix.close(descriptor)
