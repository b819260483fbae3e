"""Shell text → nodes: bash's grammar, without running or looking up anything.

A node is a tuple that begins with its name:

    ("list", nodes)                         one after the other
    ("chain", [(operator, node), …])        joined by && and ||; the first operator is ""
    ("pipe", nodes)    ("not", node)    ("background", node)
    ("simple", assignments, words)          assignments: [(name, word or tuple of words), …]
    ("redirected", node, [(fd, operator, word), …])
    ("subshell", node)                      a group `{ …; }` is the node inside
    ("if", [(condition, body), …], otherwise or None)
    ("while", condition, body, is_until)
    ("for", name, words, body)
    ("count", header, body)                 for ((header))
    ("case", word, [([pattern words], body), …])
    ("function", name)    ("test", words)    ("arithmetic", text)

A word is a `str`, text that stands for itself, or a list of parts:

    str                        bare text, in which * ? [ { ~ mean something
    ("'", text)                quoted text
    ("$", name, quoted)        a variable; "x[@]" is all of an array
    ("$(", node, quoted)       command substitution
    ("<(", node)               process substitution, also of `>(`
    ("((", text, quoted)       arithmetic
    ("?", names, quoted)       text that only running can tell: made of variables, as in
                               ${x%y} and ${x:-$y}, or of none

Time is linear in the text: whatever is not closed ends the parse at once.
"""

from priced_context.words import DECLARING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Node = tuple[Any, ...]
    Part = str | tuple[Any, ...]
    Word = str | list[Part]
    Value = Word | tuple[Word, ...]
    Redirect = tuple[int, str, Word]

# Deeper text is not understood. Each level costs at most nine frames of Python's 1,000.
MAX_DEPTH = 24

# A longer line is not understood either: a script of 100 KB, a thousand commands.
MAX_WORDS = 5_000

RESERVED = frozenset(
    "if then elif else fi for while until do done case esac in { } ! time [[ function select "
    "coproc".split()
)
_BLANK = frozenset(" \t")
_ENDS_WORD = frozenset(" \t\n;&|<>()\0")
_STOPS_WORD = frozenset(" \t\n;&|<>()\0$`\\\"'")
_STOPS_QUOTED = frozenset('"$`\\\0')
_ENDS_COMMAND = frozenset("\n;&|)\0")
_ACTIVE = frozenset("*?[{~")
_NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_NAME = _NAME_START | frozenset("0123456789")
_SPECIAL_NAMES = frozenset("0123456789@*#?$!-")
_OPERATORS = ("&>>", "<<<", "<<-", "&>", "<<", "<>", "<&", ">>", ">&", ">|", "<", ">")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


class Unparsed(Exception):  # noqa: N818 - the text may be fine; we only do not follow it
    """The text is not shell, or deeper or longer than what is followed."""


def parse(command: str, depth: int = 0) -> "Node":
    """Return the node of a whole command line.

    Raises:
        Unparsed: unbalanced, unterminated, too deep, too long, or a NUL in the text.
    """
    parser = Parser(command, depth)
    node = parser.commands()
    if parser.at < len(command):
        raise Unparsed
    return node


class Parser:
    """A cursor in a text. Each method reads one construct and leaves the cursor behind it."""

    __slots__ = ("at", "depth", "left", "pending", "text")

    def __init__(self, text: str, depth: int) -> None:
        if depth > MAX_DEPTH or "\0" in text:
            raise Unparsed
        self.text = text + "\0\0\0"  # two may be looked at beyond the end
        self.at = 0
        self.depth = depth
        self.left = MAX_WORDS
        self.pending: list[tuple[str, bool, bool, list[Part]]] = []
        """Here-documents announced on this line: delimiter, tabs stripped, quoted, their word."""

    def count(self) -> None:
        """Count a word, or what may hold one."""
        self.left -= 1
        if self.left < 0:
            raise Unparsed

    # Between words.

    def skip_blanks(self) -> None:
        text, at = self.text, self.at
        while True:
            char = text[at]
            if char in _BLANK:
                at += 1
            elif char == "\\" and text[at + 1] == "\n":
                at += 2
            elif char == "#":
                at = text.find("\n", at)
                if at < 0:
                    at = len(text) - 3
            else:
                break
        self.at = at

    def skip_lines(self) -> None:
        self.skip_blanks()
        while self.text[self.at] == "\n":
            self.newline()
            self.skip_blanks()

    def newline(self) -> None:
        """Read a newline and the here-documents that begin after it."""
        self.at += 1
        for delimiter, strips_tabs, quoted, word in self.pending:
            lines: list[str] = []
            while self.text[self.at] != "\0":
                end = self.text.find("\n", self.at)
                if end < 0:
                    end = len(self.text) - 3
                line = self.text[self.at : end]
                self.at = min(end + 1, len(self.text) - 3)
                if strips_tabs:
                    line = line.lstrip("\t")
                if line == delimiter:
                    break
                lines.append(line + "\n")
            body = "".join(lines)
            word.extend([("'", body)] if quoted else Parser(body, self.depth + 1).quoted("\0"))
        self.pending = []

    def keyword(self) -> str:
        """Return the reserved word at the cursor, or "". Moves nothing."""
        text, at = self.text, self.at
        end = at
        while text[end] not in _ENDS_WORD and end - at < 9:
            end += 1
        word = text[at:end]
        return word if word in RESERVED and text[end] in _ENDS_WORD else ""

    def expect(self, *keywords: str) -> str:
        """Read one of *keywords*, after any newlines, and return it."""
        self.skip_lines()
        word = self.keyword()
        if word not in keywords:
            raise Unparsed
        self.at += len(word)
        return word

    def expect_char(self, char: str) -> None:
        if self.text[self.at] != char:
            raise Unparsed
        self.at += 1

    # Commands.

    def commands(self, *closers: str) -> "Node":
        """Read a list up to a closing parenthesis, `;;`, one of *closers*, or the end."""
        nodes: list[Node] = []
        text = self.text
        while True:
            self.skip_lines()
            char = text[self.at]
            if char in ")\0" or (char == ";" and text[self.at + 1] in ";&"):
                break
            if closers and self.keyword() in closers:
                break
            node = self.chain()
            self.skip_blanks()
            char = text[self.at]
            if char == "&":
                node = ("background", node)
                self.at += 1
            elif char == ";" and text[self.at + 1] not in ";&":
                self.at += 1
            elif char not in "\n;)\0":
                raise Unparsed
            nodes.append(node)
        return nodes[0] if len(nodes) == 1 else ("list", nodes)

    def nested(self, *closers: str) -> "Node":
        """Read a list one level down."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unparsed
        node = self.commands(*closers)
        self.depth -= 1
        return node

    def chain(self) -> "Node":
        links: list[tuple[str, Node]] = [("", self.pipeline())]
        while True:
            self.skip_blanks()
            operator = self.text[self.at : self.at + 2]
            if operator not in ("&&", "||"):
                break
            self.at += 2
            self.skip_lines()
            links.append((operator, self.pipeline()))
        return links[0][1] if len(links) == 1 else ("chain", links)

    def pipeline(self) -> "Node":
        is_negated = False
        while (word := self.keyword()) in ("!", "time"):
            self.at += len(word)
            is_negated ^= word == "!"
            self.skip_blanks()
            if word == "time" and self.text.startswith("-p ", self.at):
                self.at += 3
                self.skip_blanks()
        nodes = [self.command()]
        while True:
            self.skip_blanks()
            if self.text[self.at] != "|" or self.text[self.at + 1] == "|":
                break
            self.at += 1
            if self.text[self.at] == "&":
                self.at += 1
                nodes[-1] = ("redirected", nodes[-1], [(2, ">&", "1")])
            self.skip_lines()
            nodes.append(self.command())
        node: Node = nodes[0] if len(nodes) == 1 else ("pipe", nodes)
        return ("not", node) if is_negated else node

    def command(self) -> "Node":
        if self.text[self.at] == "(":
            node = self.parenthesis()
        else:
            word = self.keyword()
            if not word:
                return self.simple()
            self.at += len(word)
            match word:
                case "{":
                    node = self.nested("}")
                    self.expect("}")
                case "if":
                    node = self.conditional()
                case "while" | "until":
                    condition = self.nested("do")
                    node = ("while", condition, self.loop_body(), word == "until")
                case "for":
                    node = self.loop()
                case "case":
                    node = self.case()
                case "[[":
                    node = self.test()
                case "function":
                    self.skip_blanks()
                    name = self.word()
                    self.skip_blanks()
                    if self.text.startswith("()", self.at):
                        self.at += 2
                    node = self.function(name)
                case _:
                    raise Unparsed
        redirects = self.redirects()
        return ("redirected", node, redirects) if redirects else node

    def parenthesis(self) -> "Node":
        """Read `( list )` or `(( arithmetic ))`."""
        if self.text[self.at + 1] == "(":
            start = self.at + 2
            end = self.arithmetic_end(start)
            if end:
                self.at = end
                return ("arithmetic", self.text[start : end - 2])
        self.at += 1
        node = self.nested()
        self.expect_char(")")
        return ("subshell", node)

    def arithmetic_end(self, at: int) -> int:
        """Return the place after the `))` that closes an arithmetic text, 0 where `) )` does."""
        text, depth = self.text, 0
        while True:
            char = text[at]
            if char == "(":
                depth += 1
            elif char == ")":
                if depth == 0:
                    return at + 2 if text[at + 1] == ")" else 0
                depth -= 1
            elif char == "\0":
                raise Unparsed
            at += 1

    def conditional(self) -> "Node":
        branches, otherwise = [], None
        word = "if"
        while word != "fi":
            if word == "else":
                otherwise = self.nested("fi")
                word = self.expect("fi")
                continue
            condition = self.nested("then")
            self.expect("then")
            branches.append((condition, self.nested("elif", "else", "fi")))
            word = self.expect("elif", "else", "fi")
        return ("if", branches, otherwise)

    def loop(self) -> "Node":
        self.skip_blanks()
        if self.text.startswith("((", self.at):
            end = self.arithmetic_end(self.at + 2)
            if not end:
                raise Unparsed
            header = self.text[self.at + 2 : end - 2]
            self.at = end
            return ("count", header, self.loop_body())
        name = self.word()
        if not isinstance(name, str):
            raise Unparsed
        self.skip_lines()
        words: list[Word] = [[("$", "@", True)]]
        if self.keyword() == "in":
            self.at += 2
            words = self.words()
        return ("for", name, words, self.loop_body())

    def loop_body(self) -> "Node":
        self.skip_blanks()
        if self.text[self.at] == ";":
            self.at += 1
        self.expect("do")
        body = self.nested("done")
        self.expect("done")
        return body

    def words(self) -> "list[Word]":
        """Read words up to the end of the command."""
        words: list[Word] = []
        while True:
            self.skip_blanks()
            if self.text[self.at] in _ENDS_COMMAND:
                return words
            words.append(self.word())

    def case(self) -> "Node":
        self.skip_blanks()
        subject = self.word()
        self.expect("in")
        branches: list[tuple[list[Word], Node]] = []
        while True:
            self.skip_lines()
            if self.keyword() == "esac":
                self.at += 4
                return ("case", subject, branches)
            if self.text[self.at] == "(":
                self.at += 1
            patterns = []
            while True:
                self.skip_blanks()
                patterns.append(self.word())
                self.skip_blanks()
                if self.text[self.at] != "|":
                    break
                self.at += 1
            self.expect_char(")")
            branches.append((patterns, self.nested("esac")))
            if self.text[self.at] == ";":
                self.at += 2  # the list ends at `;;`, or at what is refused here
                if "&" in self.text[self.at - 1 : self.at + 1]:
                    raise Unparsed

    def test(self) -> "Node":
        """Read `[[ … ]]`; operators between the words are words of their own."""
        words: list[Word] = []
        while True:
            self.skip_lines()
            char = self.text[self.at]
            if char in "()<>&|;":
                words.append(char)
                self.at += 1
            elif self.text.startswith("]]", self.at) and self.text[self.at + 2] in _ENDS_WORD:
                self.at += 2
                return ("test", words)
            else:
                words.append(self.word())

    def function(self, name: "Word") -> "Node":
        self.skip_lines()
        self.depth += 1
        if not isinstance(name, str) or self.depth > MAX_DEPTH:
            raise Unparsed
        self.command()
        self.depth -= 1
        return ("function", name)

    def simple(self) -> "Node":
        assignments: list[tuple[str, Value]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        text = self.text
        while True:
            self.skip_blanks()
            char = text[self.at]
            if char in "<>" or (char == "&" and text[self.at + 1] == ">"):
                if text[self.at + 1] != "(":
                    redirects.append(self.redirect(None))
                    continue
            elif char in _ENDS_COMMAND:
                break
            elif char == "(":
                if len(words) != 1 or assignments:
                    raise Unparsed
                self.at += 1
                self.skip_blanks()
                self.expect_char(")")
                return self.function(words[0])
            if not words:
                name = self.assigned_name()
                if name:
                    assignments.append((name, self.assigned_value()))
                    continue
            start = self.at
            word = self.word()
            char = text[self.at]
            if char in "<>" and isinstance(word, str) and word.isdecimal():
                redirects.append(self.redirect(_descriptor(word)))
            elif char == "(" and text[self.at - 1] == "=" and words and words[0] in DECLARING:
                assignments.append((text[start : self.at - 1], self.assigned_value()))
            else:
                words.append(word)
        if not (assignments or words or redirects):
            raise Unparsed
        node = ("simple", assignments, words)
        return ("redirected", node, redirects) if redirects else node

    def assigned_name(self) -> str:
        """Read `NAME=` or `NAME+=` and return the name; else "" and read nothing.

        An element of an array, or something appended, is a variable nobody can tell: `NAME+`.
        """
        text, at = self.text, self.at
        if text[at] not in _NAME_START:
            return ""
        while text[at] in _NAME:
            at += 1
        name = text[self.at : at]
        if text[at] == "[":
            while text[at] not in "]\n\0":
                at += 1
            at += text[at] == "]"
            name += "+"
        if text[at] == "+":
            at += 1
            name += "+"
        if text[at] != "=":
            return ""
        self.at = at + 1
        return name

    def assigned_value(self) -> "Value":
        if self.text[self.at] != "(":
            return "" if self.text[self.at] in _ENDS_WORD else self.word()
        self.at += 1
        words: list[Word] = []
        while True:
            self.skip_lines()
            if self.text[self.at] == ")":
                self.at += 1
                return tuple(words)
            words.append(self.word())

    # Redirections.

    def redirects(self) -> "list[Redirect]":
        """Read what stands behind a compound command."""
        found: list[Redirect] = []
        text = self.text
        while True:
            self.skip_blanks()
            end = self.at
            while text[end].isdecimal():
                end += 1
            if text[end] not in "<>" and not text.startswith("&>", self.at):
                return found
            digits = text[self.at : end]
            self.at = end
            found.append(self.redirect(_descriptor(digits) if digits else None))

    def redirect(self, fd: int | None) -> "Redirect":
        for operator in _OPERATORS:
            if self.text.startswith(operator, self.at):
                break
        self.at += len(operator)
        if fd is None:
            fd = 0 if operator[0] == "<" else 1
        self.skip_blanks()
        start = self.at
        word = self.word()
        if operator in ("<<", "<<-"):
            raw = self.text[start : self.at]
            quoted = any(char in raw for char in "'\"\\")
            delimiter = raw.replace("'", "").replace('"', "").replace("\\", "")
            body: list[Part] = []
            self.pending.append((delimiter, operator == "<<-", quoted, body))
            return (fd, "<<", body)
        return (fd, operator, word)

    # Words.

    def word(self) -> "Word":
        self.count()
        text, at = self.text, self.at
        parts: list[Part] = []
        start = at
        while True:
            while text[at] not in _STOPS_WORD:
                at += 1
            char = text[at]
            self.at = at
            if at > start:
                bare = text[start:at]
                if not parts and char in " \n;" and _ACTIVE.isdisjoint(bare):
                    return bare
                parts.append(bare)
            if char == "'":
                end = text.find("'", at + 1)
                if end < 0:
                    raise Unparsed
                parts.append(("'", text[at + 1 : end]))
                self.at = end + 1
            elif char == '"':
                self.at += 1
                parts += self.quoted('"')
                parts.append(("'", ""))  # even "" is a word
            elif char == "\\":
                if text[at + 1] == "\0":
                    raise Unparsed
                if text[at + 1] != "\n":
                    parts.append(("'", text[at + 1]))
                self.at += 2
            elif char == "$":
                parts.append(self.dollar(quoted=False))
            elif char == "`":
                parts.append(self.backquote(quoted=False))
            elif char in "<>" and text[at + 1] == "(":
                self.at += 2
                parts.append(("<(", self.nested()))
                self.expect_char(")")
            else:
                break
            at = start = self.at
        if not parts:
            raise Unparsed
        return _joined(parts)

    def quoted(self, closer: str) -> "list[Part]":
        """Read the inside of double quotes, or (with NUL for *closer*) a here-document."""
        text, at = self.text, self.at
        parts: list[Part] = []
        start = at
        while True:
            while text[at] not in _STOPS_QUOTED:
                at += 1
            char = text[at]
            if char == '"' and closer == "\0":
                at += 1
                continue
            if at > start:
                parts.append(("'", text[start:at]))
            self.at = at
            if char == closer:
                self.at += 1
                return parts
            if char == "\0":
                raise Unparsed
            if char == "\\":
                after = text[at + 1]
                if after in '"$`\\' and not (after == '"' and closer == "\0"):
                    parts.append(("'", after))
                elif after != "\n":
                    parts.append(("'", "\\"))
                    self.at -= 1
                self.at += 2
            elif char == "$":
                parts.append(self.dollar(quoted=True))
            else:
                parts.append(self.backquote(quoted=True))
            at = start = self.at

    def dollar(self, *, quoted: bool) -> "Part":
        """Read what a `$` begins."""
        text, at = self.text, self.at
        char = text[at + 1]
        if char == "(":
            if text[at + 2] == "(":
                end = self.arithmetic_end(at + 3)
                if end:
                    self.at = end
                    return ("((", text[at + 3 : end - 2], quoted)
            self.at = at + 2
            node = self.nested()
            self.expect_char(")")
            return ("$(", node, quoted)
        if char == "{":
            return self.parameter(quoted=quoted)
        if char in _NAME_START:
            end = at + 2
            while text[end] in _NAME:
                end += 1
            self.at = end
            return ("$", text[at + 1 : end], quoted)
        if char in _SPECIAL_NAMES:
            self.at = at + 2
            return ("$", char, quoted)
        if char == "'" and not quoted:
            return self.escaped_string()
        self.at = at + 1
        if char == '"' and not quoted:  # $"…" is "…" in another language
            return ("'", "")
        return ("'", "$")

    def parameter(self, *, quoted: bool) -> "Part":
        """Read `${…}`: a plain name, all of an array, or something that only running tells."""
        text, at = self.text, self.at + 2
        start = at
        depth = 1
        while depth:
            char = text[at]
            if char == "}":
                depth -= 1
            elif char == "{" and text[at - 1] == "$":
                depth += 1
            elif char == "\\":
                at += 1
            elif char == "'" and not quoted:
                at = text.find("'", at + 1)
                if at < 0:
                    raise Unparsed
            if text[at] == "\0":
                raise Unparsed
            at += 1
        self.at = at
        inside = text[start : at - 1]
        if "$(" in inside or "`" in inside:
            raise Unparsed
        plain = inside.removesuffix("[@]")
        if not quoted:
            plain = plain.removesuffix("[*]")
        if plain.replace("_", "a").isalnum() or inside in _SPECIAL_NAMES:
            return ("$", inside if plain == inside else plain + "[@]", quoted)
        pieces = [inside, *(piece.lstrip("{") for piece in inside.split("$")[1:])]
        return ("?", tuple([_name_at_start(piece) for piece in pieces]), quoted)

    def escaped_string(self) -> "Part":
        """Read `$'…'`; escapes beyond the plain ones are text that nobody tells."""
        text, at = self.text, self.at + 2
        chars = []
        is_plain = True
        while text[at] != "'":
            char = text[at]
            if char == "\0":
                raise Unparsed
            if char == "\\":
                at += 1
                is_plain &= text[at] in _ESCAPES
                char = _ESCAPES.get(text[at], "")
            chars.append(char)
            at += 1
        self.at = at + 1
        return ("'", "".join(chars)) if is_plain else ("?", (), False)

    def backquote(self, *, quoted: bool) -> "Part":
        self.count()
        text, at = self.text, self.at + 1
        chars = []
        while text[at] != "`":
            char = text[at]
            if char == "\0":
                raise Unparsed
            if char == "\\" and text[at + 1] in "`\\$":
                at += 1
                char = text[at]
            chars.append(char)
            at += 1
        self.at = at + 1
        return ("$(", parse("".join(chars), self.depth + 1), quoted)


def _name_at_start(text: str) -> str:
    end = 0
    while end < len(text) and text[end] in _NAME:
        end += 1
    return text[:end]


def _descriptor(digits: str) -> int:
    """Return the number of a file descriptor; a senseless one is none we follow."""
    return int(digits) if len(digits) < 4 else -1


def _joined(parts: "list[Part]") -> "Word":
    """Return *parts* as plain text where nothing in them is left to expand."""
    texts = []
    for part in parts:
        if isinstance(part, str):
            if not _ACTIVE.isdisjoint(part):
                return parts
            texts.append(part)
        elif part[0] == "'":
            texts.append(part[1])
        else:
            return parts
    return "".join(texts)
