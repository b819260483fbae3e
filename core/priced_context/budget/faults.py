"""Where a request is broken: the error with its JSON path, and the strict scan that finds it.

The decoders of the fast path say at most a byte offset, and some faults they let pass (a key
twice). This scan runs only once something is known to be wrong.
"""

import re

from priced_context.console import Trouble

MAX_DEPTH = 128
"""Levels of nesting accepted; real requests stay below 40, the decoders give up near 1,000."""

_SHOWN_PATH = 200
"""Characters of a path that the sentence shows; `BudgetError.path` has it all."""

_SPACE = re.compile(rb"[ \t\n\r]*")
_STRING = re.compile(rb'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_NUMBER = re.compile(rb"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])")
_LITERAL = re.compile(rb"(?:true|false|null)(?!\w)")
_WORD = re.compile(rb"[-+.\w]{1,20}")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)")
_PLAIN_KEY = re.compile(r"[A-Za-z_]\w*")


class BudgetError(Trouble):
    """A request that no ledger can be made of: what is wrong, and at which JSON path.

    `path` is written as `$.messages[3].content[0]`; `$` is the request itself.
    """

    def __init__(self, what: str, path: str = "$") -> None:
        shown = path if len(path) <= _SHOWN_PATH else path[:_SHOWN_PATH] + "…"
        super().__init__(f"{what} at {shown}")
        self.what = what
        self.path = path


def child(path: str, key: str | int) -> str:
    """Return the path of one member or element below *path*."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if _PLAIN_KEY.fullmatch(key):
        return f"{path}.{key}"
    shown = key if len(key) <= 40 else key[:40] + "…"
    return f"{path}[{shown!r}]"


class _Open:
    """One array or object whose end has not been seen."""

    __slots__ = ("here", "is_object", "seen")

    def __init__(self, *, is_object: bool) -> None:
        self.is_object = is_object
        self.here: str | int | None = None
        """The member or element being read; None before the first."""
        self.seen: set[str] = set()


def locate(document: bytes, root: str = "$") -> BudgetError:
    """Return the first fault of *document* as an error to raise; scans without recursion."""
    scan = _Scan(document, root)
    try:
        scan.run()
    except BudgetError as fault:
        return fault
    return BudgetError("cannot be read", root)


class _Scan:
    def __init__(self, document: bytes, root: str) -> None:
        self.document = document
        self.root = root
        self.open: list[_Open] = []
        self.position = 0

    def run(self) -> None:
        """Read one value and the end of the document.

        Raises:
            BudgetError: the first fault.
        """
        self.value()
        while self.open:
            self.rest_of_container()
        if self.peek():
            raise self.fault("something follows the end of the request")

    def fault(self, what: str, path: str | None = None) -> BudgetError:
        if self.position >= len(self.document):
            what = "the request ends too early"
        return BudgetError(what, self.path() if path is None else path)

    def path(self) -> str:
        path = self.root
        for level in self.open:
            if level.here is not None:
                path = child(path, level.here)
        return path

    def peek(self) -> bytes:
        """Skip blanks; return the next byte, empty at the end."""
        blanks = _SPACE.match(self.document, self.position)
        self.position = blanks.end() if blanks else self.position
        return self.document[self.position : self.position + 1]

    def value(self) -> None:
        """Read a scalar whole, or open a container."""
        first = self.peek()
        if first in (b"{", b"["):
            if len(self.open) == MAX_DEPTH:
                raise self.fault(f"nested deeper than {MAX_DEPTH} levels")
            self.open.append(_Open(is_object=first == b"{"))
            self.position += 1
        elif first == b'"':
            self.string()
        else:
            self.scalar()

    def scalar(self) -> None:
        found = _NUMBER.match(self.document, self.position) or _LITERAL.match(
            self.document, self.position
        )
        if not found:
            word = _WORD.match(self.document, self.position)
            shown = f"{word.group().decode(errors='replace')!r} is" if word else "this is"
            raise self.fault(f"{shown} not a JSON value")
        if len(found.group()) > 4000:
            raise self.fault("a number of over 4,000 digits")
        self.position = found.end()

    def string(self) -> str:
        """Read a string; return its text."""
        found = _STRING.match(self.document, self.position)
        if not found:
            if b'"' not in self.document[self.position + 1 :]:
                self.position = len(self.document)
            raise self.fault("a string that is not closed, or a bad escape or control byte in it")
        raw = found.group()[1:-1]
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            raise self.fault("text that is not UTF-8") from error
        text = _ESCAPE.sub(_unescaped, text)
        try:
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError as error:
            raise self.fault("a lone surrogate, which no UTF-8 text can hold") from error
        self.position = found.end()
        return text

    def rest_of_container(self) -> None:
        """Read the next member or element of the innermost container, or its end."""
        level = self.open[-1]
        end = b"}" if level.is_object else b"]"
        mark = self.peek()
        if mark == end:
            self.position += 1
            self.open.pop()
            return
        if level.here is not None:
            if mark != b",":
                raise self.fault(f"expected ',' or {end.decode()!r}")
            self.position += 1
            mark = self.peek()
        if level.is_object:
            self.member(level, mark)
        else:
            level.here = 0 if level.here is None else int(level.here) + 1
        self.value()

    def member(self, level: _Open, mark: bytes) -> None:
        if mark != b'"':
            raise self.fault("expected a key in quotes")
        level.here = None  # a fault in the key itself is the object's
        key = self.string()
        if key in level.seen:
            level.here = key
            raise self.fault(f"the key {key[:40]!r} stands twice")
        level.seen.add(key)
        level.here = key
        if self.peek() != b":":
            raise self.fault("expected ':'")
        self.position += 1


_CONTROL = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _unescaped(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return _CONTROL.get(escape[0][1], escape[0][1])
