"""What a value in a small program holds of a file, told without running it."""

from priced_context.shell.streams import ANEW, IN_ORDER, ONE_LINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.streams import Span

    Path = str | None
    """As the program spells it, STDIN, or None: a file that it does not name."""

STDIN = "/dev/stdin"

# Kinds.
PLAIN = "plain"
"""Nothing of a file: a number, a module, a text of its own, a list."""
PATH = "path"
"""A `pathlib.Path`."""
STREAM = "stream"
"""Where printing goes: `sys.stdout`."""
OWN = "own"
"""A function that the program defines."""
FILE = "file"
"""An open file that nothing was read from."""
BUFFER = "buffer"
"""All or the first bytes of a file, as bytes."""
CONTENT = "content"
"""All or the first bytes of a file as a text; in a loop over lines: one after the other."""
LINES = "lines"
"""A list of lines."""
DATA = "data"
"""What a file of JSON parses to."""
SOME = "some"
"""Made of files in a way that is not followed."""


class Value:
    """A value. It is changed in place where a list or a file is."""

    __slots__ = (
        "byte_count",
        "has_newlines",
        "is_bytes",
        "is_counter",
        "is_exact",
        "is_spread",
        "items",
        "kind",
        "loop",
        "name",
        "number",
        "order",
        "paths",
        "prefix",
        "span",
        "text",
    )

    def __init__(
        self,
        kind: str = PLAIN,
        paths: "tuple[Path, ...]" = (),
        *,
        text: str | None = None,
        number: int | None = None,
        name: str = "",
        items: "list[Value] | None" = None,
    ) -> None:
        self.kind = kind
        self.paths = paths
        """The files it is made of."""
        self.text = text
        """Of a text or path that is known: what it is."""
        self.number = number
        self.name = name
        """Of a function or a module: what it is known by, with its module."""
        self.items = items
        """Of a list or tuple that stands in the program."""
        self.span: Span = (1, None)
        """Of a file's lines: which."""
        self.byte_count: int | None = None
        self.order = IN_ORDER
        self.prefix = ""
        self.is_exact = True
        """Whether it begins with the file's first byte, and nothing was cut within."""
        self.has_newlines = True
        """Whether a newline ends it, or each of its lines."""
        self.loop = 0
        """The loop over lines that it belongs to."""
        self.is_bytes = False
        """Of an open file: whether it is read as bytes."""
        self.is_counter = False
        """Whether it counts lines; of lines: whether each comes with its number."""
        self.is_spread = False
        """Whether a `*` hands its items on one by one."""

    def copy(self, kind: str = "") -> "Value":
        twin = Value(kind or self.kind, self.paths)
        for name in Value.__slots__:
            if name not in ("kind", "paths"):
                setattr(twin, name, getattr(self, name))
        return twin

    def edited(self, kind: str = "") -> "Value":
        """Return it changed within its lines."""
        twin = self.copy(kind)
        twin.is_exact = False
        return twin

    def on_one_line(self, kind: str = "") -> "Value":
        twin = self.edited(kind)
        twin.order = ONE_LINE
        twin.has_newlines = False
        return twin

    def anew(self, kind: str = "") -> "Value":
        """Return it with its lines in another layout."""
        twin = self.edited(kind)
        twin.order = ANEW
        return twin

    def absorb(self, paths: "tuple[Path, ...]") -> None:
        """Take note that something of *paths* was put into it."""
        if self.kind in (PLAIN, SOME) and self.text is None and not self.name:
            self.kind = SOME
            self.paths = merged(self.paths, paths)

    def use_up(self) -> None:
        """Take note that something was read from it: what comes next is not told."""
        if self.kind == FILE:
            self.kind = SOME

    def first_lines(self, low: int, high: int | None) -> "Value":
        """Return a slice of its lines."""
        if self.span != (1, None) or self.byte_count is not None:
            return some(self.paths)
        twin = self.copy()
        if low < 0:
            twin.span = (low, None)
        elif high is None or high < 0:
            twin.span = (low + 1, high)
        else:
            twin.span = (low + 1, max(high - low, 0))
        return twin if low >= 0 or high is None else some(self.paths)

    def first_bytes(self, count: int) -> "Value":
        """Return its beginning."""
        is_whole = self.span == (1, None) and self.byte_count is None and not self.loop
        if not self.is_exact or not is_whole or count < 0:
            return some(self.paths)
        twin = self.copy()
        twin.byte_count = count
        twin.order = ANEW
        return twin


class Call:
    """What a function is given."""

    __slots__ = ("named", "receiver", "values")

    def __init__(
        self, values: "list[Value]", named: "dict[str, Value]", receiver: Value | None = None
    ) -> None:
        self.values = values
        self.named = named
        self.receiver = receiver

    def given(self) -> "list[Value]":
        own = [self.receiver] if self.receiver else []
        return [*own, *self.values, *self.named.values()]

    def get(self, place: int, name: str = "") -> Value | None:
        if place < len(self.values):
            return self.values[place]
        return self.named.get(name)


def merged(*each: "tuple[Path, ...]") -> "tuple[Path, ...]":
    """Return all paths, each once."""
    return tuple(dict.fromkeys(path for paths in each for path in paths))


def paths_of(values: "list[Value]") -> "tuple[Path, ...]":
    return merged(*(value.paths for value in values))


def some(paths: "tuple[Path, ...]") -> Value:
    """Return something made of *paths*; of none it is plain."""
    return Value(SOME if paths else PLAIN, paths)
