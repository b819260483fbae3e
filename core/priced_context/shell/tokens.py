"""The tokens of a small Python or JavaScript program, as much of them as `follower` asks for.

Newlines are tokens only where they may end a statement. A text with holes (an f-string, a
template literal) holds the tokens of each hole. Linear; a program of more tokens is not followed.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    Part = str | list["Token"]
    Token = tuple[str, str | int | list[Part] | None]
    """Kind and value: NAME and OPERATOR their text; NUMBER the integer, None for another one;
    TEXT what it stands for, None where that is not simple; HOLED its parts; LINE its indent."""

NAME, NUMBER, TEXT, HOLED, PATTERN, OPERATOR, LINE = (
    "name", "number", "text", "holed", "pattern", "operator", "line",
)  # fmt: skip

MAX_TOKENS = 2_000
MAX_DEPTH = 24
MAX_HOLE_CHARS = 500

OPENING, CLOSING = "([{", ")]}"

_LONG = (
    ">>>=", "===", "!==", "**=", "//=", ">>=", "<<=", "&&=", "||=", "??=", "...", ">>>", "==",
    "!=", "<=", ">=", "->", ":=", "=>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=",
    "**", "//", "<<", ">>", "&&", "||", "??", "?.", "++", "--",
)  # fmt: skip
_STARTS_LONG = frozenset(operator[0] for operator in _LONG)

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "`": "`", "\n": ""}

# JavaScript ends a statement at a newline unless one of these stands before or behind it.
_GOES_ON_AFTER = frozenset(".,([{?:=+-*/%&|!<>;") | {"=>", "&&", "||", "??", "===", "==", "+="}
_GOES_ON_BEFORE = frozenset(".,)]?:=*/%&|<>+;") | {"?.", "&&", "||", "??", "=>", "==="}


class Unfollowed(Exception):  # noqa: N818 - an answer: what the program prints is unknown
    """The program is too long, too deep, or not in the part of the language that is known."""


def python_tokens(code: str) -> "list[Token]":
    return _Lexer(code, is_python=True).run()


def javascript_tokens(code: str) -> "list[Token]":
    return _Lexer(code, is_python=False).run()


def brackets_of(tokens: "list[Token]") -> "tuple[dict[int, int], dict[int, int]]":
    """Return opening → closing bracket, and opening bracket → the first `for` right within it.

    Raises:
        Unfollowed: they do not match, or nest deeper than MAX_DEPTH.
    """
    closers: dict[int, int] = {}
    loops: dict[int, int] = {}
    inside: list[int] = []
    for place, (kind, text) in enumerate(tokens):
        if kind == OPERATOR and text in _BRACKETS:
            if text in _OPENING:
                inside.append(place)
            elif not inside or _PAIRS[tokens[inside[-1]][1]] != text:  # type: ignore[index]  # a bracket's value is its text
                raise Unfollowed
            else:
                closers[inside.pop()] = place
            if len(inside) > MAX_DEPTH:
                raise Unfollowed
        elif kind == NAME and text == "for" and inside:
            loops.setdefault(inside[-1], place)
    if inside:
        raise Unfollowed
    return closers, loops


_OPENING = frozenset(OPENING)
_BRACKETS = frozenset(OPENING + CLOSING)
_PAIRS = dict(zip(OPENING, CLOSING, strict=True))


class _Lexer:
    """A cursor in a program."""

    def __init__(self, code: str, *, is_python: bool, depth: int = 0) -> None:
        self.code = code
        self.is_python = is_python
        self.depth = depth
        self.at = 0
        self.tokens: list[Token] = []
        self.brackets: list[str] = []

    def run(self) -> "list[Token]":
        code, end = self.code, len(self.code)
        comment = "#" if self.is_python else "//"
        self._begin_line()
        while self.at < end:
            char = code[self.at]
            if char in " \t\r\f":
                self.at += 1
            elif char == "\n":
                self.at += 1
                self._begin_line()
            elif char.isidentifier() or char == "$":
                self._name()
            elif char.isdecimal():
                self._number()
            elif char in "'\"`":
                self._text("")
            elif code.startswith(comment, self.at):
                self._skip_to("\n")
            elif not self.is_python and code.startswith("/*", self.at):
                self._skip_to("*/")
                self.at += 2
            elif char == "\\":
                self.at += 1 + code.startswith("\\\n", self.at)
            elif char == "/" and not self.is_python and not self._is_after_value():
                self._pattern()
            else:
                self._operator(char)
            if len(self.tokens) > MAX_TOKENS:
                raise Unfollowed
        return self.tokens

    def _add(self, kind: str, value: "str | int | list[Part] | None") -> None:
        if self.tokens and self.tokens[-1][0] == LINE and not self.is_python:
            before, word = self.tokens[-2] if len(self.tokens) > 1 else (OPERATOR, ";")
            goes_on = before == OPERATOR and word in _GOES_ON_AFTER
            if goes_on or (kind == OPERATOR and value in _GOES_ON_BEFORE):
                self.tokens.pop()
        self.tokens.append((kind, value))

    def _begin_line(self) -> None:
        """Note the indent of the line at the cursor; blank ones and those in brackets are none."""
        start = self.at
        while self.code[self.at : self.at + 1] in (" ", "\t", "\r"):
            self.at += 1
        follower = self.code[self.at : self.at + 1]
        is_in_brackets = bool(self.brackets) and (self.is_python or self.brackets[-1] != "{")
        if is_in_brackets or self.depth or follower in ("", "\n", "#"):
            return
        if self.tokens and self.tokens[-1][0] == LINE:
            self.tokens.pop()
        self.tokens.append((LINE, self.at - start))

    def _skip_to(self, mark: str) -> None:
        found = self.code.find(mark, self.at)
        self.at = found if found >= 0 else len(self.code)

    def _is_after_value(self) -> bool:
        """Return whether a `/` divides: what stands before it is a value."""
        kind, value = self.tokens[-1] if self.tokens else (LINE, 0)
        if kind == OPERATOR:
            return value in (")", "]", "}")
        return kind != LINE and value not in ("return", "typeof", "case", "of", "in")

    def _name(self) -> None:
        code, end, start = self.code, len(self.code), self.at
        self.at += 1
        while self.at < end and (code[self.at].isalnum() or code[self.at] in "_$"):
            self.at += 1
        name = code[start : self.at]
        is_prefix = self.is_python and len(name) <= 2 and not set(name.lower()) - set("rbuf")
        if is_prefix and code[self.at : self.at + 1] in ("'", '"'):
            self._text(name.lower())
        else:
            self._add(NAME, name)

    def _number(self) -> None:
        code, end, start = self.code, len(self.code), self.at
        while self.at < end and (code[self.at].isalnum() or code[self.at] in "._"):
            self.at += 1
        digits = code[start : self.at]
        is_told = digits.isdecimal() and len(digits) <= 15
        self._add(NUMBER, int(digits) if is_told else None)

    def _operator(self, char: str) -> None:
        if char in _STARTS_LONG:
            char = next((op for op in _LONG if self.code.startswith(op, self.at)), char)
        self.at += len(char)
        if char in _OPENING:
            self.brackets.append(char)
        elif char in CLOSING and self.brackets:
            self.brackets.pop()
        self._add(OPERATOR, char)

    def _pattern(self) -> None:
        """Read a regular expression and its flags."""
        start = self.at
        self.at += 1
        in_brackets = False
        while self.code[self.at : self.at + 1] not in ("", "\n"):
            char = self.code[self.at]
            if char == "/" and not in_brackets:
                break
            in_brackets = char == "[" or (in_brackets and char != "]")
            self.at += 1 + (char == "\\")
        else:
            raise Unfollowed
        self._add(PATTERN, self.code[start + 1 : self.at])
        self.at += 1
        while self.code[self.at : self.at + 1].isalpha():
            self.at += 1

    def _text(self, prefix: str) -> None:
        code = self.code
        quote = code[self.at]
        if self.is_python and code.startswith(quote * 3, self.at):
            quote *= 3
        start = self.at + len(quote)
        end = self._end_of_text(start, quote)
        if len(quote) == 1 and quote != "`" and "\n" in code[start:end].replace("\\\n", ""):
            raise Unfollowed
        self.at = end + len(quote)
        body = code[start:end]
        if "f" in prefix or (quote == "`" and "${" in body):
            self._add(HOLED, self._parts(body))
        elif "\\" not in body or "r" in prefix:
            self._add(TEXT, body)
        else:
            self._add(TEXT, _unescaped(body))

    def _end_of_text(self, start: int, quote: str) -> int:
        at = start
        while True:
            at = self.code.find(quote, at)
            if at < 0:
                raise Unfollowed
            before = at
            while before > start and self.code[before - 1] == "\\":
                before -= 1
            if (at - before) % 2 == 0:
                return at
            at += 1

    def _parts(self, body: str) -> "list[Part]":
        """Split a text with holes: its own words, and the tokens of every hole."""
        if self.depth > 2:
            raise Unfollowed
        opener = "{" if self.is_python else "${"
        if self.is_python:
            body = body.replace("{{", "\0").replace("}}", "\1")
        pieces = body.split(opener)
        parts: list[Part] = [pieces[0]]
        depth = 0
        hole = ""
        for piece in pieces[1:]:
            hole += opener[-1] + piece if depth else piece  # a bracket within a hole
            depth = 1
            end = _end_of_hole(hole)
            if end >= 0:
                inner = hole[:end]
                tokens = _Lexer(inner, is_python=self.is_python, depth=self.depth + 1).run()
                parts += [tokens, hole[end + 1 :]]
                hole, depth = "", 0
            elif len(hole) > MAX_HOLE_CHARS:
                break
        if depth:
            raise Unfollowed
        return parts


def _end_of_hole(hole: str) -> int:
    """Return where the `}` that closes a hole stands, -1 if it is not there yet."""
    depth = 0
    for at, char in enumerate(hole):
        if char == "{":
            depth += 1
        elif char == "}":
            if not depth:
                return at
            depth -= 1
    return -1


def _unescaped(body: str) -> str | None:
    pieces = body.split("\\")
    text = pieces[0]
    is_escaped = False
    for piece in pieces[1:]:
        if is_escaped:
            text += piece
            is_escaped = False
        elif not piece:
            text += "\\"
            is_escaped = True
        elif piece[0] in _ESCAPES:
            text += _ESCAPES[piece[0]] + piece[1:]
        else:
            return None
    return text
