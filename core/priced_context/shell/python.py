"""What a Python program on a command line prints of the files that it opens."""

from priced_context.shell.follower import Ended
from priced_context.shell.python_calls import PythonCalls
from priced_context.shell.tokens import LINE, NAME, OPERATOR, Unfollowed, python_tokens
from priced_context.shell.values import (
    CONTENT,
    LINES,
    OWN,
    Value,
    merged,
    paths_of,
    some,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.acts import Act


def acts_of_python(code: str, arguments: "list[str | None]") -> "list[Act]":
    """Return what the program does that a shell can see, in order.

    *arguments* are those behind the program, None for one that is not known.

    Raises:
        Unfollowed: it leaves the part of the language that is known.
    """
    program = _Python(python_tokens(code), arguments)
    try:
        program.run()
    except Ended:
        pass
    return program.acts


_AUGMENTED = ("+=", "-=", "*=", "/=", "//=", "%=", "**=", "|=", "&=", "^=", ">>=", "<<=", "@=")
_ENDING = (")", "]", "}", ",", ";", ":", "=", *_AUGMENTED)
_LEAVING = ("break", "continue", "return", "raise", "yield", "exit", "quit", "_exit")

_BUILTINS = frozenset(
    """
    abs all any ascii bin bool bytearray bytes callable chr compile delattr dict dir divmod
    enumerate eval exec exit filter float format frozenset getattr globals hasattr hash hex id
    input int isinstance issubclass iter len list locals map max memoryview min next object oct
    open ord pow print property quit range repr reversed round set setattr slice sorted str sum
    super tuple type vars zip __name__ __file__ __import__
    """.split()
)
_CONSTANTS = ("True", "False", "None", "Ellipsis", "NotImplemented", "_", "__debug__")


class _Python(PythonCalls):
    OPERATORS = frozenset(
        """
        + - * / // % ** @ & | ^ << >> == != < > <= >= and or in not is
        """.split()
    )
    PREFIXES = frozenset("not - + ~ * ** await".split())

    def run(self) -> None:
        self.functions: list[tuple[int, int]] = []
        """Where the bodies of the program's own functions begin, and their indents."""
        if self.peek() != (LINE, 0):
            raise Unfollowed
        self.lines(0)
        self.is_in_doubt = self.stays_in_doubt = True
        for place, indent in self.functions:
            self.at = place
            self.block(indent)

    # Statements.

    def lines(self, indent: int) -> None:
        """Run the lines of one block."""
        while self.at < len(self.tokens):
            kind, found = self.peek()
            if kind != LINE or found != indent:
                if kind == LINE and isinstance(found, int) and found < indent:
                    return
                raise Unfollowed
            self.at += 1
            self.deeper(lambda: self.statement(indent))

    def block(self, indent: int) -> None:
        """Run what stands behind the `:` of a line of that indent."""
        self.expect(":")
        kind, inner = self.peek()
        if kind != LINE:
            self.simple_statements()
        elif isinstance(inner, int) and inner > indent:
            self.lines(inner)
        else:
            raise Unfollowed

    def end_of_block(self, indent: int) -> int:
        """Return the place behind the block whose `:` the cursor stands on."""
        place = self.at
        is_one_line = self.peek(1)[0] != LINE
        while place < len(self.tokens):
            kind, inner = self.tokens[place]
            if kind == LINE and (is_one_line or (isinstance(inner, int) and inner <= indent)):
                break
            place += 1
        return place

    def is_left(self, start: int, end: int) -> bool:
        """Return whether something in a body may leave it early."""
        return any(word in _LEAVING for kind, word in self.tokens[start:end] if kind == NAME)

    def statement(self, indent: int) -> None:
        word = self.word()
        if word == "async":
            self.at += 1
            word = self.word()
        compound = {
            "with": self.with_statement,
            "for": self.for_statement,
            "def": self.definition,
            "class": self.definition,
        }.get(word)
        if compound:
            self.at += 1
            compound(indent)
        elif word in ("if", "elif", "while", "except", "else", "try", "finally"):
            self.at += 1
            self.branch(word, indent)
        elif word == "@":
            self.at += 1
            self.expression()
        else:
            self.simple_statements()

    def branch(self, word: str, indent: int) -> None:
        if word in ("if", "elif", "while"):
            is_main = self.word() == "__name__" and self.word(1) == "=="
            self.expression()
            if is_main:
                self.block(indent)
                return
        elif word == "except" and self.word() != ":":
            self.take("*")
            self.expressions()
            if self.take("as"):
                self.names[self.name()] = Value()
        self.doubting(lambda: self.block(indent))

    def with_statement(self, indent: int) -> None:
        is_told = True
        while True:
            value = self.expression()
            is_told &= "redirect" not in value.name
            if self.take("as"):
                self.assign_to(self.targets(":", ","), value)
            if not self.take(","):
                break
        if is_told:
            self.block(indent)
        else:
            self.doubting(lambda: self.block(indent))

    def for_statement(self, indent: int) -> None:
        names = self.targets("in")
        self.expect("in")
        value = self.expressions()
        start, end = self.at, self.end_of_block(indent)

        def body() -> None:
            self.at = start
            self.block(indent)

        self.loop_over(value, names, body, is_sure=not self.is_left(start, end))
        self.at = end

    def definition(self, indent: int) -> None:
        """Leave a function's body for later: it prints, if at all, when it is called."""
        self.names[self.name()] = Value(OWN)
        if self.word() == "(":
            for value in self.parameters(self.closers[self.at]):
                self.names.setdefault(value, Value())
        if self.take("->"):
            self.expression()
        self.functions.append((self.at, indent))
        end = self.end_of_block(indent)
        if any(word in ("global", "nonlocal") for _, word in self.tokens[self.at : end]):
            self.doubt()
        self.at = end

    def parameters(self, close: int) -> "list[str]":
        """Step over a function's parameters and return their names."""
        names = [
            str(word)
            for place, (kind, word) in enumerate(self.tokens[self.at : close], self.at)
            if kind == NAME and self.tokens[place - 1][1] in ("(", ",", "*", "**", "lambda")
        ]
        self.at = close + 1
        return names

    def simple_statements(self) -> None:
        while True:
            self.simple_statement()
            if not self.take(";"):
                break
        if self.peek()[0] != LINE:
            raise Unfollowed

    def simple_statement(self) -> None:
        self.step()
        word = self.word()
        if self.peek()[0] == LINE or word in ("pass", "break", "continue"):
            self.at += word != ""
        elif word in ("import", "from"):
            self.at += 1
            self.imports(word)
        elif word in ("return", "yield", "raise", "assert", "del", "global", "nonlocal"):
            self.at += 1
            if word in ("global", "nonlocal"):
                self.doubt()
            if self.peek()[0] != LINE and self.word() != ";":
                value = self.expressions()
                if word in ("raise", "assert"):
                    self.print_some(value.paths)
                if self.take("from"):
                    self.expression()
            if word == "raise":
                self.end(is_failure=True)
            elif word == "assert":
                self.doubt()
        else:
            self.assignment()

    def imports(self, word: str) -> None:
        module = self.dotted() if word == "from" else ""
        if module:
            self.expect("import")
        self.take("(")
        while not self.take(")") and self.word() not in ("", ";"):
            if self.take("*"):
                self.names |= {name: Value(name=f"{module}.{name}") for name in ("Path", "pprint")}
                continue
            name = self.dotted()
            if not name:
                raise Unfollowed
            known = name if self.word() == "as" or module else name.partition(".")[0]
            alias = self.name() if self.take("as") else known
            full = f"{module}.{name}" if module else known
            self.names[alias] = self.constant(full) or Value(name=full)
            self.take(",")

    def dotted(self) -> str:
        name = ""
        while self.word() == "." or (self.peek()[0] == NAME and self.word() != "import"):
            if name and not name.endswith(".") and self.word() != ".":
                break
            name += self.word()
            self.at += 1
        return name

    def assignment(self) -> None:
        """Run an assignment, or an expression for its own sake."""
        start = self.at
        ends: list[int] = []
        place = start
        while place < len(self.tokens) and self.tokens[place][0] != LINE:
            word = self.tokens[place][1] if self.tokens[place][0] == OPERATOR else ""
            if word == ";":
                break
            if word == "=" or word in _AUGMENTED:
                ends.append(place)
            place = self.closers.get(place, place) + 1
        if not ends:
            value = self.expressions()
            if self.take(":"):  # an annotation
                self.expressions()
            return
        self.at = ends[-1] + 1
        value = self.expressions()
        after = self.at
        for nth, end in enumerate(ends):
            self.at = ends[nth - 1] + 1 if nth else start
            is_augmented = self.tokens[end][1] != "="
            self.store(value, end, is_augmented=is_augmented)
        self.at = after

    def store(self, value: Value, end: int, *, is_augmented: bool) -> None:
        """Bind the targets between the cursor and *end*."""
        base, follower = self.word(), self.word(1)
        if follower in (".", "["):
            if base == "sys":
                self.doubt()  # sys.stdout = …
            owner = self.names.get(base)
            if owner:
                owner.absorb(value.paths)
            return
        if is_augmented:
            before = self.names.get(base, Value())
            value = self.combined([before, value], ["+" if self.tokens[end][1] == "+=" else "*"])
        if follower == ":":
            self.assign(base, value)
        else:
            self.assign_to(self.targets("=", *_AUGMENTED), value)

    def targets(self, *stops: str) -> "list[str]":
        """Read the names that are bound, up to one of *stops*; one that is no name is left out."""
        names: list[str] = []
        while self.word() not in stops or self.word() == ",":
            if self.peek()[0] == LINE:
                raise Unfollowed
            if self.word() == "," and "," in stops:
                break
            if self.peek()[0] == NAME:
                names.append(self.word())
            self.at += 1
        return names

    # Expressions.

    def expressions(self) -> Value:
        """Read one expression, or a tuple without brackets."""
        values = [self.expression()]
        is_tuple = False
        while self.take(","):
            is_tuple = True
            if self.peek()[0] == LINE or self.word() in ("=", ")", "]", "}", ";", ":"):
                break
            values.append(self.expression())
        return self.listing(values) if is_tuple else values[0]

    def listing(self, values: "list[Value]") -> Value:
        value = some(paths_of(values))
        value.items = None if any(item.is_spread for item in values) else values
        return value

    def whole_expression(self) -> Value:
        if self.take("lambda"):
            return self.lambda_expression()
        if self.peek()[0] == NAME and self.word(1) == ":=":
            name = self.name()
            self.at += 1
            value = self.expression()
            self.assign(name, value)
            return value
        if self.take("yield"):
            self.take("from")
            return self.expressions() if self.word() not in (")", "") else Value()
        if not self.is_conditional():
            return self.operation()
        values: list[Value] = []
        self.doubting(lambda: values.append(self.operation()))
        self.expect("if")
        self.operation()
        self.expect("else")
        self.doubting(lambda: values.append(self.expression()))
        return some(paths_of(values))

    def is_conditional(self) -> bool:
        """Return whether the expression at the cursor is a `value if condition else other`."""
        has_condition = False
        place = self.at
        while place < len(self.tokens):
            kind, word = self.tokens[place]
            if kind == LINE or (kind == OPERATOR and word in _ENDING) or word == "for":
                return False
            if kind == NAME and word == "else":
                return has_condition
            has_condition |= kind == NAME and word == "if"
            place = self.closers.get(place, place) + 1
        return False

    def lambda_expression(self) -> Value:
        place = self.at
        while self.tokens[place : place + 1] and self.tokens[place][1] != ":":
            place = self.closers.get(place, place) + 1
        outside = dict(self.names)
        for name in self.parameters(place):
            self.names[name] = Value()
        paths: list[tuple[str | None, ...]] = []
        self.doubting(lambda: paths.append(self.expression().paths))
        self.names = outside
        return Value(OWN, merged(*paths))

    def named(self, name: str) -> Value:
        if name in self.names:
            return self.names[name]
        if name in _CONSTANTS:
            return Value()
        if name not in _BUILTINS and not name.endswith(("Error", "Exception", "Exit", "Interrupt")):
            self.doubt()  # NameError
        return Value(name=name)

    def bracketed(self, bracket: str, place: int) -> Value:
        close = self.closers[place]
        if place in self.comprehended:
            return self.comprehension(close)
        values: list[Value] = []
        is_tuple = bracket != "("
        while self.at < close:
            if self.take(",", ":") or self.skip_line():
                is_tuple = True
                continue
            values.append(self.expression())
        if not is_tuple and len(values) == 1:
            return values[0]
        return some(paths_of(values)) if bracket == "{" else self.listing(values)

    def comprehension(self, close: int) -> Value:
        """Read `head for names in value if …`, the cursor on its head."""
        head = self.at
        opening = next(place for place, end in self.closers.items() if end == close)
        self.at = self.comprehended[opening]
        self.take("async")
        self.expect("for")
        names = self.targets("in")
        self.expect("in")
        value = self.operation()
        rest = self.at
        results: list[Value] = []

        def body() -> None:
            self.at = rest
            while self.at < close:
                if self.take("for"):
                    inner = self.targets("in")
                    self.expect("in")
                    paths = self.operation().paths
                    self.assign_to(inner, some(paths))
                else:
                    self.take("async", "if")
                    self.operation()
            self.at = head
            results.append(self.expression())
            if self.take(":"):
                results.append(self.expression())

        outside = {name: self.names.get(name) for name in names}
        whole = value.paths
        self.loop_over(value, names, body, is_sure=rest == close)
        for name, before in outside.items():
            self.names.pop(name, None)
            if before:
                self.names[name] = before
        if len(results) == 1 and results[0].kind == CONTENT and results[0].loop == self.loops:
            lines = results[0].edited(LINES)
            lines.loop = self.loop
            return lines
        return some(merged(whole, paths_of(results)))
