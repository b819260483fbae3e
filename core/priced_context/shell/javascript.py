"""What a JavaScript program on node's command line prints of the files that it opens."""

from priced_context.shell.follower import Ended
from priced_context.shell.javascript_calls import JavaScriptCalls
from priced_context.shell.tokens import LINE, NAME, OPERATOR, Unfollowed, javascript_tokens
from priced_context.shell.values import (
    FILE,
    OWN,
    Value,
    merged,
    paths_of,
    some,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.acts import Act


def acts_of_javascript(
    code: str, arguments: "list[str | None]", *, prints_value: bool
) -> "list[Act]":
    """Return what the program does that a shell can see; see `python.acts_of_python`.

    With *prints_value* (`node -p`) the value of its last statement is printed.
    """
    program = _JavaScript(javascript_tokens(code), arguments)
    try:
        program.run(prints_value=prints_value)
    except Ended:
        pass
    return program.acts


_ASSIGNING = (
    "=", "+=", "-=", "*=", "/=", "%=", "**=", "&&=", "||=", "??=", "|=", "&=", "^=", "<<=", ">>=",
)  # fmt: skip
_DECLARING = ("const", "let", "var")
_LEAVING = ("break", "continue", "return", "throw", "exit")


class _JavaScript(JavaScriptCalls):
    OPERATORS = frozenset(
        """
        + - * / % ** & | ^ << >> >>> == != === !== < > <= >= && || ?? in instanceof
        """.split()
    )
    PREFIXES = frozenset("! - + typeof void delete await new yield ... ++ --".split())

    value = Value()
    """Of the last statement that is an expression."""
    declared: "list[str]"
    """The names that the block around the statement has for itself."""

    def run(self, *, prints_value: bool) -> None:
        self.declared = []
        self.statements(len(self.tokens))
        if prints_value:
            self.log(self.value)

    # Statements.

    def statements(self, end: int) -> None:
        while self.at < end:
            self.statement()
        if self.at > end:
            raise Unfollowed

    def statement(self) -> None:
        self.deeper(self.any_statement)

    def any_statement(self) -> None:
        self.step()
        if self.take(";") or self.skip_line():
            return
        word = self.word()
        if word == "{":
            self.block()
        elif word in _DECLARING:
            self.at += 1
            self.declaration(is_local=word != "var")
        elif word in ("if", "while"):
            self.at += 1
            self.condition()
            self.doubting(self.statement)
        elif word in ("else", "try", "finally", "do"):
            self.at += 1
            self.doubting(self.statement)
        elif word == "catch":
            self.at += 1
            if self.word() == "(":
                self.bind(self.targets(self.closers[self.at] + 1), Value())
            self.doubting(self.statement)
        elif word == "for":
            self.at += 1
            self.loop_statement()
        elif word in ("function", "class") or (word == "async" and self.word(1) == "function"):
            self.at += 1 + (word == "async")
            self.definition()
        elif word == "import" and self.word(1) not in ("(", "."):
            self.at += 1
            self.imports()
        elif word in ("break", "continue"):
            self.at += 1
        elif word in ("return", "throw"):
            self.at += 1
            if self.word() not in (";", "}") and self.peek()[0] != LINE:
                self.expressions()
            self.end(is_failure=word == "throw")
        else:
            self.value = self.expressions()
            self.finish()

    def finish(self) -> None:
        """Step over the end of a statement."""
        is_end = self.at >= len(self.tokens) or self.word() in ("}", ")", "else")
        if not self.take(";") and not self.skip_line() and not is_end:
            raise Unfollowed

    def block(self) -> None:
        close = self.closers[self.at]
        self.at += 1
        outside, declared = dict(self.names), self.declared
        self.declared = []
        self.statements(close)
        self.at = close + 1
        self.names |= {name: outside[name] for name in self.declared if name in outside}
        self.declared = declared

    def condition(self) -> None:
        opening = self.at
        self.expect("(")
        self.bracketed("(", opening)
        self.at = self.closers[opening] + 1

    def declaration(self, *, is_local: bool) -> None:
        while True:
            names = self.targets(len(self.tokens))
            self.declared += names if is_local else []
            if self.take("="):
                self.bind(names, self.expression())
            else:
                self.bind(names, Value())
            if not self.take(","):
                break
            self.skip_line()
        if self.word() not in ("of", "in"):
            self.finish()

    def targets(self, end: int) -> "list[str]":
        """Read the name, or the names in brackets, that are bound; `a: b` binds b.

        A pattern's names come with what they are taken from in front, as `{readFileSync}` does.
        """
        if self.word() not in ("{", "[", "("):
            return [self.name()]
        close = self.closers[self.at]
        names = [""]
        while self.at < min(close, end):
            kind, word = self.peek()
            if kind == NAME and self.word(1) != ":":
                names.append(str(word))
            self.at += 1
        self.at = close + 1
        return names

    def bind(self, names: "list[str]", value: Value) -> None:
        if names[:1] != [""]:
            self.assign_to(names, value)
        elif value.name:
            for name in names[1:]:
                full = f"{value.name}.{name}"
                self.names[name] = self.constant(full) or Value(name=full)
        else:
            for name in names[1:]:
                self.assign(name, some(value.paths))

    def loop_statement(self) -> None:
        self.take("await")
        if self.word() != "(":
            raise Unfollowed
        opening = self.at
        close = self.closers[opening]
        self.at += 1
        names: list[str] | None = None
        if self.word() in _DECLARING:
            place = self.at
            self.at += 1
            names = self.targets(close)
            if self.word() not in ("of", "in"):
                names, self.at = None, place
        if names is None:
            self.statements(close)
            self.at = close + 1
            self.doubting(self.statement)
            return
        is_of = self.word() == "of"
        self.at += 1
        value = self.expression()
        start = close + 1
        end = self.end_of_statement(start)

        def body() -> None:
            self.at = start
            self.statement()

        is_left = any(kind == NAME and word in _LEAVING for kind, word in self.tokens[start:end])
        if is_of and value.kind != FILE:
            names = names if names[:1] != [""] else [*names[1:], ""]
            self.loop_over(value, names, body, is_sure=not is_left)
        else:
            self.bind(names, some(value.paths))
            self.doubting(body)
        self.at = end

    def end_of_statement(self, start: int) -> int:
        """Return the place behind a loop's body."""
        place = start
        while place < len(self.tokens):
            kind, word = self.tokens[place]
            if kind == OPERATOR and word == "{":
                return self.closers[place] + 1
            if kind == LINE or (kind == OPERATOR and word in (";", "}")):
                return place
            place = self.closers.get(place, place) + 1
        return place

    def definition(self) -> None:
        """Take a function's body as one that may run."""
        if self.peek()[0] == NAME:
            self.names[self.name()] = Value(OWN)
        self.take("*")
        if self.word() == "(":
            self.bind_parameters()
        while self.word() != "{":
            if self.at >= len(self.tokens):
                raise Unfollowed
            self.at += 1
        self.doubting(self.block)

    def bind_parameters(self) -> None:
        for name in self.targets(len(self.tokens))[1:]:
            self.names.setdefault(name, Value())

    def imports(self) -> None:
        """`import fs, {readFileSync} from "fs"`."""
        names: list[list[str]] = []
        while self.word() and self.word() != "from":
            if self.take("*"):
                self.expect("as")
            names.append(self.targets(len(self.tokens)))
            self.take(",")
        self.take("from")
        module = self.module(self.primary())
        for group in names:
            self.bind(group, module)
        self.finish()

    # Expressions.

    def expressions(self) -> Value:
        value = self.expression()
        while self.take(","):
            value = some(merged(value.paths, self.expression().paths))
        return value

    def whole_expression(self) -> Value:
        if self.is_arrow():
            return self.arrow()
        start = self.at
        value = self.operation()
        if self.word() in _ASSIGNING:
            return self.assignment(start)
        if self.take("?"):
            values: list[Value] = []
            self.doubting(lambda: values.append(self.expression()))
            self.expect(":")
            self.doubting(lambda: values.append(self.expression()))
            return some(paths_of(values))
        return value

    def assignment(self, start: int) -> Value:
        """Read the right side of an assignment whose left one begins at *start*."""
        operator = self.word()
        is_name = self.at == start + 1
        self.at += 1
        value = self.expression()
        base = str(self.tokens[start][1])
        if not is_name:
            owner = self.names.get(base)
            if owner:
                owner.absorb(value.paths)
            elif base == "process":
                self.doubt()
        elif operator == "=":
            self.assign(base, value)
        else:
            before = self.names.get(base, Value())
            self.assign(base, some(merged(before.paths, value.paths)))
        return value

    def is_arrow(self) -> bool:
        place = self.at + (self.word() == "async" and self.word(1) != "=>")
        if (
            self.tokens[place : place + 1]
            and self.tokens[place][1] == "("
            and place in self.closers
        ):
            place = self.closers[place]
        elif self.peek()[0] != NAME:
            return False
        follower = self.tokens[place + 1 : place + 2]
        return follower == [(OPERATOR, "=>")]

    def arrow(self) -> Value:
        self.take("async")
        if self.word() == "(":
            self.bind_parameters()
        else:
            self.names.setdefault(self.name(), Value())
        self.expect("=>")
        paths: list[tuple[str | None, ...]] = []
        if self.word() == "{":
            before = self.files_opened
            self.doubting(self.block)
            if self.files_opened > before:
                paths.append((None,))
        else:
            self.doubting(lambda: paths.append(self.expression().paths))
        return Value(OWN, merged(*paths))

    def named(self, name: str) -> Value:
        if name in self.names:
            return self.names[name]
        if name in ("function", "class"):
            self.definition()
            return Value(OWN)
        if name == "async":
            while self.take("async"):
                pass
            return self.primary()
        return self.constant(name) or Value(name=name)

    def bracketed(self, bracket: str, place: int) -> Value:
        close = self.closers[place]
        values: list[Value] = []
        while self.at < close:
            if self.take(",", ":") or self.skip_line():
                continue
            if bracket == "{" and self.word(1) == "(":  # a method
                self.at += 1
                self.definition()
                continue
            values.append(self.expression())
        if bracket == "(" and len(values) == 1:
            return values[0]
        value = some(paths_of(values))
        if bracket == "[" and not any(item.is_spread for item in values):
            value.items = values
        return value
