"""Follows a small program through its statements, to what it prints of the files that it opens.

`python` and `javascript` know the statements and the functions of their language; here stands
what both share: expressions, names, loops, and how sure it is that a statement runs. A program
that leaves this part of its language is unknown; a statement that only may run prints "some".
"""

from priced_context.shell.selections import Selection
from priced_context.shell.streams import ANEW
from priced_context.shell.tokens import (
    HOLED,
    LINE,
    NAME,
    NUMBER,
    OPERATOR,
    PATTERN,
    TEXT,
    Unfollowed,
    brackets_of,
)
from priced_context.shell.values import (
    BUFFER,
    CONTENT,
    DATA,
    FILE,
    LINES,
    OWN,
    PATH,
    PLAIN,
    STREAM,
    Value,
    merged,
    paths_of,
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

OPENS, MAY_OPEN, WRITES, PRINTS, RUNS, FAILS = (
    "opens", "may open", "writes", "prints", "runs", "fails",
)  # fmt: skip

_LOGIC = ("and", "or", "&&", "||", "??")
_COMPARISONS = (
    "==", "!=", "===", "!==", "<", ">", "<=", ">=", "in", "not", "is", "instanceof",
)  # fmt: skip


class Act:
    """What a program does that a shell can see."""

    __slots__ = ("path", "selection", "what")

    what: str
    """OPENS a file to read it, MAY_OPEN it, WRITES one, PRINTS, RUNS a command, or FAILS."""
    path: "Path"
    """Of RUNS: the text of the command, None if it is not told."""
    selection: Selection | None
    """What it prints of the file; None: words of its own."""

    def __init__(self, what: str, path: "Path", selection: Selection | None = None) -> None:
        self.what = what
        self.path = path
        self.selection = selection


class Ended(Exception):  # noqa: N818 - an event: the program stops here
    pass


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


class Follower:
    """A cursor in a program."""

    OPERATORS: "frozenset[str]"
    """What stands between two operands."""
    PREFIXES: "frozenset[str]"
    """What stands before one."""

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

    # Expressions.

    def expression(self) -> Value:
        return self.deeper(self.whole_expression)

    def whole_expression(self) -> Value:
        """Read an expression, conditions and functions included."""
        raise NotImplementedError

    def operation(self) -> Value:
        """Read operands with operators between."""
        values = [self.operand()]
        operators: list[str] = []
        while self.word() in self.OPERATORS:
            operator = self.word()
            self.at += 1
            if operator == "not":
                self.expect("in")
            elif operator == "is":
                self.take("not")
            operators.append(operator)
            if operator in _LOGIC:
                self.doubting(lambda: values.append(self.operand()))
            else:
                values.append(self.operand())
        return self.combined(values, operators) if operators else values[0]

    def combined(self, values: "list[Value]", operators: "list[str]") -> Value:
        """Return what an operation makes of its operands."""
        if any(operator in _LOGIC for operator in operators):
            return some(paths_of(self.alternatives(values, operators)))
        if not operators:
            return values[0]
        if any(operator in _COMPARISONS for operator in operators):
            return Value()
        if set(operators) == {"+"}:
            return self.concatenated(values)
        numbers = [value.number for value in values]
        if operators == ["-"] and None not in numbers:
            return Value(number=(numbers[0] or 0) - (numbers[1] or 0))
        return some(paths_of(values))

    def alternatives(self, values: "list[Value]", operators: "list[str]") -> "list[Value]":
        """Return the operands of `and` and `or`, of which one is the result."""
        found: list[Value] = []
        start = 0
        for place, operator in enumerate((*operators, "or")):
            if operator in _LOGIC:
                found.append(self.combined(values[start : place + 1], operators[start:place]))
                start = place + 1
        return found

    def concatenated(self, values: "list[Value]") -> Value:
        """Return what `+` or a text with holes makes of *values*."""
        texts = [value.text for value in values]
        if None not in texts and all(value.kind == PLAIN for value in values):
            return Value(text="".join(text or "" for text in texts))
        numbers = [value.number for value in values]
        if None not in numbers:
            return Value(number=sum(number or 0 for number in numbers))
        contents = [value for value in values if value.paths]
        if len(contents) != 1 or contents[0].kind != CONTENT:
            return some(paths_of(values))
        return self.among(contents[0], [value for value in values if not value.paths], values[-1])

    def among(self, content: Value, rest: "list[Value]", last: Value) -> Value:
        """Return *content* with plain values before and behind it."""
        is_line = all(
            value.is_counter or value.number is not None or "\n" not in (value.text or "\n")
            for value in rest[: len(rest) - (last is not content)]
        )
        twin = content.edited() if is_line else content.anew()
        if any(value.is_counter for value in rest):
            twin.prefix = "grep-n"
        if last is not content:
            after = last.text or ""
            is_ended = after == "\n" and not content.has_newlines
            twin.has_newlines = is_ended
            if content.has_newlines and content.loop:
                twin.order = ANEW
        return twin

    def operand(self) -> Value:
        self.step()
        prefixes = []
        while self.word() in self.PREFIXES:
            prefixes.append(self.word())
            self.at += 1
        value = self.followed(self.primary())
        for prefix in reversed(prefixes):
            value = self.prefixed(prefix, value)
        return value

    def followed(self, value: Value) -> Value:
        """Read the attributes, calls and subscripts behind a value."""
        while True:
            word = self.word()
            if word in (".", "?."):
                self.at += 1
                if self.word() not in ("(", "["):
                    value = self.member(value, self.name())
            elif word == "(":
                value = self.call(value, self.given())
            elif word == "[":
                value = self.subscripted(value)
            else:
                return value

    def prefixed(self, operator: str, value: Value) -> Value:
        """Return what an operator before *value* makes of it."""
        if operator == "-" and value.number is not None:
            return Value(number=-value.number)
        if operator in ("await", "new", "yield"):
            return value
        if operator in ("*", "..."):
            value = self.listed(value).copy()
            value.is_spread = True
            return value
        return Value() if operator in ("not", "!", "typeof") else some(value.paths)

    def listed(self, value: Value) -> Value:
        """Return *value* as a list, as `list()` does."""
        if value.kind == FILE:
            twin = some(value.paths) if value.is_bytes else value.copy(LINES)
            value.use_up()
            return twin
        return value if value.kind in (LINES, PLAIN) else some(value.paths)

    def primary(self) -> Value:
        kind, content = self.peek()
        place = self.at
        self.at += 1
        if kind == NAME and isinstance(content, str):
            return self.named(content)
        if kind == NUMBER:
            return Value(number=content if isinstance(content, int) else None)
        if kind == TEXT:
            text = content if isinstance(content, str) else None
            while self.peek()[0] == TEXT:
                text = None
                self.at += 1
            return Value(text=text)
        if kind == HOLED:
            return self.filled(content)
        if kind == PATTERN:
            return Value(text="\n" if content in ("\\n", "\\r?\\n") else None)
        if kind == OPERATOR and place in self.closers:
            value = self.bracketed(str(content), place)
            self.at = self.closers[place] + 1
            return value
        raise Unfollowed

    def named(self, name: str) -> Value:
        """Return what a name stands for."""
        raise NotImplementedError

    def bracketed(self, bracket: str, place: int) -> Value:
        """Read what stands in brackets that begin an operand."""
        raise NotImplementedError

    def hole(self) -> Value:
        """Read one hole of a text: an expression, and perhaps how it is laid out."""
        value = self.expression()
        if self.at < len(self.tokens):
            if value.is_counter or not value.paths:
                return value
            return some(value.paths)
        return value

    def filled(self, parts: object) -> Value:
        """Return a text with its holes filled."""
        if not isinstance(parts, list):
            raise Unfollowed
        outside = self.tokens, self.at, self.closers, self.comprehended
        values = []
        for part in parts:
            if isinstance(part, str):
                if part:
                    values.append(Value(text=part))
                continue
            self.tokens, self.at = part, 0
            self.closers, self.comprehended = brackets_of(part)
            value = self.hole()
            values.append(value.copy(CONTENT) if value.kind == BUFFER else value)
        self.tokens, self.at, self.closers, self.comprehended = outside
        if len(values) == 1 and values[0].paths:
            return values[0] if values[0].kind == CONTENT else some(values[0].paths)
        return self.concatenated(values or [Value(text="")])

    # Calls.

    def given(self) -> Call:
        """Read the arguments of a call, the cursor on its bracket."""
        place = self.at
        close = self.closers[place]
        self.at += 1
        values: list[Value] = []
        named: dict[str, Value] = {}
        while self.at < close:
            if self.take(",") or self.skip_line():
                continue
            if self.peek()[0] == NAME and self.word(1) == "=":
                name = self.name()
                self.at += 1
                named[name] = self.expression()
            elif not values and place in self.comprehended:
                values.append(self.comprehension(close))
            else:
                values.append(self.expression())
        self.at = close + 1
        return Call(values, named)

    def skip_line(self) -> bool:
        is_line = self.peek()[0] == LINE and self.at < len(self.tokens)
        self.at += is_line
        return is_line

    def comprehension(self, close: int) -> Value:
        raise NotImplementedError

    def member(self, value: Value, name: str) -> Value:
        """Return an attribute, or call a method."""
        if value.name:
            value = Value(value.kind, value.paths, name=f"{value.name}.{name}")
            known = self.constant(value.name)
            return known or value
        if self.word() == "(":
            call = self.given()
            call.receiver = value
            return self.method(value, name, call)
        return self.attribute(value, name)

    def constant(self, name: str) -> Value | None:
        """Return what a dotted name stands for, if it is no function."""
        raise NotImplementedError

    def attribute(self, value: Value, name: str) -> Value:
        raise NotImplementedError

    def method(self, value: Value, name: str, call: Call) -> Value:
        raise NotImplementedError

    def call(self, function: Value, call: Call) -> Value:
        raise NotImplementedError

    def unknown_call(self, call: Call, *, is_own: bool = False) -> Value:
        """Call what is not followed: it may print what it is given if it is told where to."""
        given = call.given()
        for value in list(given):
            given += value.items or []
        paths = paths_of(given)
        if not paths:
            return some((None,)) if is_own else Value()
        if is_own or any(value.kind in (STREAM, OWN) or self.is_printer(value) for value in given):
            self.print_some(paths)
        for value in given:
            value.use_up()
            value.absorb(paths)
        return some(merged(paths, (None,) if is_own else ()))

    def is_printer(self, value: Value) -> bool:
        """Return whether *value* is a function that prints."""
        raise NotImplementedError

    # Subscripts.

    def subscripted(self, value: Value) -> Value:
        """Read `[5]`, `[2:9]` or `["name"]` behind a value."""
        place = self.at
        close = self.closers[place]
        self.at += 1
        bounds: list[Value | None] = [None]
        while self.at < close:
            if self.take(":"):
                bounds.append(None)
            elif self.take(",") or self.skip_line():
                bounds += [None] * 3
            else:
                bounds[-1] = self.expression()
        self.at = close + 1
        if len(bounds) == 1 and bounds[0]:
            return self.item(value, bounds[0])
        if len(bounds) == 2:
            return self.slice(value, *bounds)
        return some(value.paths)

    def item(self, value: Value, key: Value) -> Value:
        number = key.number
        if value.items and number is not None and -len(value.items) <= number < len(value.items):
            return value.items[number]
        if value.kind == LINES and number is not None and number >= 0:
            line = value.first_lines(number, number + 1)
            line.kind = CONTENT if line.kind == LINES else line.kind
            line.is_exact = False
            return line
        return some(merged(value.paths, key.paths))

    def slice(self, value: Value, low: Value | None, high: Value | None) -> Value:
        start = 0 if low is None else low.number
        end = None if high is None else high.number
        if start is None or (high is not None and end is None):
            return some(value.paths)
        if value.items is not None:
            return Value(value.kind, value.paths, items=value.items[start:end])
        if value.kind == LINES:
            return value.first_lines(start, end)
        if value.kind in (CONTENT, BUFFER) and not start:
            return value.first_bytes(end) if end is not None else value
        return some(value.paths)

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
