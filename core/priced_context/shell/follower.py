"""Follows a small program through its statements, to what it prints of the files that it opens.

`python` and `javascript` know the statements and the functions of their language; `expressions`
holds what both share of those, and here stand names, loops, and how sure it is that a statement
runs. A program that leaves this part of its language is unknown; a statement that only may run
prints some lines.
"""

from priced_context.shell.acts import FAILS, MAY_FAIL, MAY_OPEN, OPENS, PRINTS, Act
from priced_context.shell.selections import Selection
from priced_context.shell.streams import ANEW
from priced_context.shell.tokens import (
    LINE,
    NAME,
    OPERATOR,
    Unfollowed,
    brackets_of,
)
from priced_context.shell.values import (
    BUFFER,
    CONTENT,
    DATA,
    FILE,
    LINES,
    PATH,
    PLAIN,
    STREAM,
    Value,
    merged,
    some,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from priced_context.shell.tokens import Token
    from priced_context.shell.values import Path

    Result = TypeVar("Result")

# Statements and operands, loops over literal lists unrolled.
MAX_STEPS = 6_000

# Expressions and blocks in each other; every one takes up to eight frames of the interpreter's.
MAX_NESTING = 40


class Ended(Exception):  # noqa: N818 - an event: the program stops here
    pass


class Follower:
    """A cursor in a program."""

    def __init__(self, tokens: "list[Token]", arguments: "list[str | None]") -> None:
        self.tokens = tokens
        self.at = 0
        self.closers, self.comprehended = brackets_of(tokens)
        self.arguments = arguments
        self.names: dict[str, Value] = {}
        self.acts: list[Act] = []
        self.printed_some: set[Path] = set()
        """The files of which it was said that it prints some."""
        self.steps = MAX_STEPS
        self.depth = 0
        self.folder: Path = ""
        """Where relative paths begin, seen from the shell's directory."""
        self.files_opened = 0
        self.is_in_doubt = False
        """Whether the statements only may run."""
        self.stays_in_doubt = False
        self.loops = 0
        """Loops over lines entered so far."""
        self.loop = 0
        """The one around the statement, 0 for none."""
        self.looped: tuple[Path, ...] = ()
        """The files that the loops around the statement go through."""

    # The cursor.

    def step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise Unfollowed

    def peek(self, ahead: int = 0) -> "Token":
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else (LINE, -1)

    def word(self, ahead: int = 0) -> str:
        """Return the name or operator at the cursor, else ""."""
        kind, value = self.peek(ahead)
        return value if kind in (NAME, OPERATOR) and isinstance(value, str) else ""

    def take(self, *words: str) -> bool:
        """Step over one of *words* if it stands there."""
        is_there = self.word() in words
        self.at += is_there
        return is_there

    def expect(self, word: str) -> None:
        if not self.take(word):
            raise Unfollowed

    def name(self) -> str:
        kind, value = self.peek()
        if kind != NAME or not isinstance(value, str):
            raise Unfollowed
        self.at += 1
        return value

    def deeper(self, read: "Callable[[], Result]") -> "Result":
        """Read a part that may hold parts of its own kind."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise Unfollowed
        result = read()
        self.depth -= 1
        return result

    # What is sure.

    def doubting(self, action: "Callable[[], object]") -> None:
        """Do what only may happen."""
        outside = self.is_in_doubt
        self.is_in_doubt = True
        action()
        self.is_in_doubt = outside or self.stays_in_doubt

    def doubt(self) -> None:
        """Take whatever follows as something that only may run."""
        if not self.stays_in_doubt:
            self.acts.append(Act(MAY_FAIL, None))
        self.is_in_doubt = self.stays_in_doubt = True

    def end(self, *, is_failure: bool = False) -> None:
        if not self.is_in_doubt and not self.loop:
            if is_failure:
                self.acts.append(Act(FAILS, None))
            raise Ended
        self.doubt()

    # What a shell can see.

    def located(self, value: Value | None) -> "Path":
        """Return the path that *value* names."""
        if value is None or value.kind not in (PLAIN, PATH) or value.text is None:
            return None
        if value.text.startswith("/") or self.folder == "":
            return value.text
        return None if self.folder is None else f"{self.folder}/{value.text}"

    def opened(self, path: "Path", kind: str = FILE) -> Value:
        """Open a file to read it."""
        self.files_opened += 1
        if path is not None:
            self.acts.append(Act(MAY_OPEN if self.is_in_doubt else OPENS, path))
        return Value(kind, (path,))

    def print_some(self, paths: "tuple[Path, ...]") -> None:
        new = [path for path in paths if path not in self.printed_some]
        self.printed_some.update(new)
        self.acts += [Act(PRINTS, path, Selection()) for path in new]

    def print_value(self, value: Value, order: int) -> None:
        """Print a value; *order* is how its lines come out."""
        is_told = value.kind in (CONTENT, LINES, BUFFER, DATA, FILE)
        if is_told and value.loop == self.loop and not self.is_in_doubt:
            order = ANEW if ANEW in (order, value.order) else max(order, value.order)
            selection = Selection([value.span], order, value.prefix, value.byte_count)
            self.acts.append(Act(PRINTS, value.paths[0], selection))
            value.use_up()
        elif value.paths or self.looped:
            self.print_some(merged(value.paths, self.looped))
        else:
            self.acts.append(Act(PRINTS, ""))

    # Names.

    def assign(self, name: str, value: Value) -> None:
        """Bind a name; where that only may happen, to what was there or to *value*."""
        if self.is_in_doubt and (value.paths or name in self.names):
            before = self.names.get(name, value)
            if STREAM not in (before.kind, value.kind):
                value = some(merged(before.paths, value.paths))
        self.names[name] = value

    def assign_to(self, names: "list[str]", value: Value) -> None:
        """Bind one name, or take a tuple apart."""
        if len(names) == 1:
            self.assign(names[0], value)
        elif value.items is not None and len(value.items) == len(names):
            for name, item in zip(names, value.items, strict=True):
                self.assign(name, item)
        else:
            for name in names:
                self.assign(name, some(value.paths))

    # Loops.

    def listed(self, value: Value) -> Value:
        """Return *value* as a list, as `list()` does."""
        if value.kind == FILE:
            twin = some(value.paths) if value.is_bytes else value.copy(LINES)
            value.use_up()
            return twin
        return value if value.kind in (LINES, PLAIN) else some(value.paths)

    def loop_over(
        self, value: Value, names: "list[str]", body: "Callable[[], None]", *, is_sure: bool
    ) -> None:
        """Run *body* for every item of *value*; not *is_sure*: it may leave out some."""
        if value.items is not None and not value.paths:
            for item in value.items:
                self.assign_to(names, item)
                self.run_if(body, is_sure)
            return
        is_counted = value.is_counter
        is_sure &= len(names) == 1 + is_counted
        lines = self.listed(value)
        if lines.kind != LINES or lines.loop != self.loop or self.is_in_doubt:
            is_sure = False
        outside = self.loop, self.looped
        self.loops += 1
        self.loop = self.loops
        self.looped = merged(self.looped, value.paths)
        for name in names:
            counter = Value()
            counter.is_counter = is_counted
            self.names[name] = counter if is_counted else some(value.paths)
        if is_sure:
            line = lines.edited(CONTENT)
            line.loop = self.loop
            line.is_counter = False
            self.names[names[-1]] = line
        elif names:
            self.names[names[-1]] = some(value.paths)
        self.run_if(body, is_sure)
        self.loop, self.looped = outside
        for name in names:
            self.names[name] = some(value.paths)

    def run_if(self, body: "Callable[[], None]", is_sure: bool) -> None:
        if is_sure:
            body()
        else:
            self.doubting(body)
