"""Reads a program's expressions, to the values that they stand for."""

from priced_context.shell.follower import Follower
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
    LINES,
    OWN,
    PLAIN,
    SOME,
    STREAM,
    Call,
    Value,
    merged,
    paths_of,
    some,
)

_LOGIC = ("and", "or", "&&", "||", "??")
_COMPARISONS = (
    "==", "!=", "===", "!==", "<", ">", "<=", ">=", "in", "not", "is", "instanceof",
)  # fmt: skip


# What prints, in the libraries of both languages; `os.write` is one of them.
_TALKATIVE = frozenset(
    "pp echo display log debug info warn warning error critical exception write print_json".split()
)


class Expressions(Follower):
    """What both languages share of them; a language adds its names, calls and brackets."""

    OPERATORS: "frozenset[str]"
    """What stands between two operands."""
    PREFIXES: "frozenset[str]"
    """What stands before one."""

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
            elif word in ("++", "--"):
                self.at += 1
                value = Value()
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

    def comprehension(self, _close: int) -> Value:
        """Read `head for names in value`, up to a bracket; JavaScript has no such thing."""
        raise Unfollowed

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

    def unknown_call(self, call: Call, name: str = "", *, is_own: bool = False) -> Value:
        """Call what is not followed: by its *name*, or by what it is given, it may print."""
        given = call.given()
        for value in list(given):
            given += value.items or []
        paths = paths_of(given)
        if not paths:
            return some((None,)) if is_own else Value()
        is_told_where = any(
            value.kind in (STREAM, OWN) or self.is_printer(value) for value in given
        )
        if is_own or is_told_where or name.rpartition(".")[2] in _TALKATIVE:
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
        return self.part(value)

    def part(self, value: Value) -> Value:
        """Return something in *value*: what is put into it is put into the whole."""
        is_whole = value.kind in (PLAIN, SOME) and value.text is None and not value.name
        return value if is_whole else some(value.paths)

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
