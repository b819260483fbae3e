"""Small programs on a command line: which lines of its input a `sed` or `awk` program prints,
which file a `python -c` or `node -e` one opens and prints.

Each answer is a `Selection`. A program that is not followed to the end selects "some lines":
what it prints comes from its input all the same. Imported only where such a program stands.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.streams import Span

    Region = list[tuple[int, int]] | None
    """Line intervals, first and last; None: some lines that only running can tell."""

# The number of the last line, whatever it is: `$` in sed. One less is the line before it.
END = 1 << 60
ALL = [(1, END)]

# Programs beyond these are not followed; they keep the work linear.
MAX_NESTING = 32
MAX_INTERVALS = 64


class Selection:
    """The lines that a program prints."""

    __slots__ = ("byte_count", "is_line_for_line", "opens_others", "prefix", "spans")

    spans: "list[Span] | None"
    """None: some lines; empty: none, but perhaps words of its own."""
    is_line_for_line: bool
    """Whether each comes out as one line, changed at most within."""
    prefix: str
    """What is put before each line, as in `Read.line_prefix`."""
    byte_count: int | None
    """Only so many bytes, from the start."""
    opens_others: bool
    """Whether it prints files or commands beside its input: `r`, `e`, `getline`."""

    def __init__(
        self,
        spans: "list[Span] | None" = None,
        prefix: str = "",
        byte_count: int | None = None,
        *,
        is_line_for_line: bool = True,
        opens_others: bool = False,
    ) -> None:
        self.spans = spans
        self.prefix = prefix
        self.byte_count = byte_count
        self.is_line_for_line = is_line_for_line
        self.opens_others = opens_others


class _Untold(Exception):  # noqa: N818 - an answer: some lines
    pass


def _spans_of(intervals: "list[tuple[int, int]]") -> "list[Span]":
    """Return *intervals* in order as spans, those that touch as one."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(intervals):
        if joined and joined[-1][1] == low - 1:
            low = joined.pop()[0]  # noqa: PLW2901
        joined.append((low, high))
    return [_span(low, high) for low, high in joined]


def _span(low: int, high: int) -> "Span":
    if low == END:
        return (-1, None)
    if high >= END - 1:
        return (low, None if high == END else -1)
    return (low, high - low + 1)


def _both(one: "Region", other: "Region") -> "Region":
    """Return the lines in both regions."""
    if one is None or other is None:
        return None
    pairs = [(max(a, c), min(b, d)) for a, b in one for c, d in other]
    return [(low, high) for low, high in pairs if low <= high]


def _others(region: "Region") -> "Region":
    """Return the lines outside *region*."""
    if region is None:
        return None
    outside: Region = ALL
    for low, high in region:
        outside = _both(outside, [(1, low - 1), (high + 1, END)])
    return outside


class _Lines:
    """Runs a program's commands over all lines at once, as regions."""

    def __init__(self) -> None:
        self.alive = list(ALL)
        """The lines that reach the next command."""
        self.printed: list[tuple[int, int]] = []

    def print(self, region: "Region") -> None:
        self.printed += self._told(region)

    def drop(self, region: "Region") -> None:
        self.alive = self._known(_both(self.alive, _others(region)))

    def stop(self, region: "Region", *, prints_last: bool) -> None:
        """End the run at the first line of *region*."""
        reached = self._told(region)
        if not reached:
            return
        last_line = min(low for low, _ in reached)
        self.printed = self._known(_both(self.printed, [(1, last_line)]))
        if prints_last:
            self.printed.append((last_line, last_line))
        self.alive = self._known(_both(self.alive, [(1, last_line - 1)]))

    def _told(self, region: "Region") -> "list[tuple[int, int]]":
        return self._known(_both(self.alive, region))

    def _known(self, region: "Region") -> "list[tuple[int, int]]":
        if region is None or len(region) + len(self.printed) > MAX_INTERVALS:
            raise _Untold
        return region


# sed


def selected_by_sed(script: str, *, is_quiet: bool) -> Selection:
    """Return the lines that a sed script prints of its input."""
    sed = _Sed(script)
    try:
        return sed.run(is_quiet=is_quiet)
    except (_Untold, IndexError):
        return Selection(opens_others=sed.opens_others)


class _Sed:
    """A cursor in a sed script. IndexError: it ends too early."""

    def __init__(self, script: str) -> None:
        self.script = script + "\n"
        self.at = 0
        self.is_line_for_line = True
        self.opens_others = False

    def run(self, *, is_quiet: bool) -> Selection:
        is_quiet |= self.script.startswith("#n\n")
        lines = _Lines()
        blocks: list[Region] = [ALL]
        while self._skip(" \t\n;"):
            region = _both(blocks[-1], self._region())
            name = self.script[self.at]
            self.at += 1
            if name == "{":
                blocks.append(region)
            elif name == "}":
                blocks.pop()
            elif name == "p":
                lines.print(region)
            elif name in "dc":
                self.is_line_for_line &= name == "d"
                lines.drop(region)
                self._rest_of_line(name == "c")
            elif name in "qQ":
                self._skip(" 0123456789")
                lines.stop(region, prints_last=name == "q" and not is_quiet)
            elif name in "sy":
                self._substitution(name)
            elif name in "=Gai":
                self.is_line_for_line = False
                self._rest_of_line(name in "ai")
            elif name in "rRe":
                self.opens_others = True
                raise _Untold
            elif name == "#":
                self._rest_of_line(True)
            else:
                raise _Untold
            if not 0 < len(blocks) < MAX_NESTING:
                raise _Untold
        if len(blocks) != 1:
            raise _Untold
        if not is_quiet:
            lines.print(lines.alive)
        return Selection(_spans_of(lines.printed), is_line_for_line=self.is_line_for_line)

    def _skip(self, chars: str) -> bool:
        """Skip *chars*; return whether anything is left."""
        while self.at < len(self.script) and self.script[self.at] in chars:
            self.at += 1
        return self.at < len(self.script)

    def _rest_of_line(self, is_text: bool) -> None:
        """Skip the text of `a`, `c` or `i`: to the end of the line, over escaped ones."""
        if not is_text:
            return
        while self.script[self.at] != "\n":
            self.at += 1 + (self.script[self.at] == "\\")

    def _region(self) -> "Region":
        """Read the addresses of a command."""
        if self.script[self.at] in "/\\0123456789$":
            low = self._address()
            high: int | None = low
            self._skip(" ")
            if self.script[self.at] == ",":
                self.at += 1
                self._skip(" ")
                is_relative = self.script[self.at] == "+"
                self.at += is_relative
                high = self._address()
                if is_relative and low is not None and high is not None:
                    high += low
            region = None if low is None or high is None else [(low, max(low, high))]
        else:
            region = ALL
        self._skip(" ")
        while self.script[self.at] == "!":
            self.at += 1
            self._skip(" ")
            region = _others(region)
        return region

    def _address(self) -> int | None:
        """Read one address: a line number, END, or None where only running tells."""
        char = self.script[self.at]
        start = self.at
        if char == "$":
            self.at += 1
            return END
        if char in "/\\":
            self.at += char == "\\"
            self._delimited()
            self.at += 1
            self._skip("IM")
            return None
        self._skip("0123456789")
        digits = self.script[start : self.at]
        if self.script[self.at] == "~":
            self.at += 1
            self._skip("0123456789")
            return None
        if not digits or len(digits) > 15:
            raise _Untold
        return int(digits) or None

    def _delimited(self) -> str:
        """Read from the delimiter at the cursor to its next one; return what is between."""
        delimiter = self.script[self.at]
        self.at += 1
        start = self.at
        in_brackets = False
        while self.script[self.at] != delimiter or in_brackets:
            char = self.script[self.at]
            if char == "\\" and not in_brackets:
                self.at += 1
            elif char == "[" and not in_brackets:
                in_brackets = "]" in self.script[self.at + 2 : self.at + 64]
            elif char == "]":
                in_brackets = False
            self.at += 1
        return self.script[start : self.at]

    def _substitution(self, name: str) -> None:
        """Read `s/…/…/` or `y/…/…/`: it edits lines, unless it may leave little of them."""
        pattern = self._delimited()
        replacement = self._delimited()
        self.at += 1
        start = self.at
        self._skip("gIiMm0123456789")
        flags = self.script[start : self.at]
        if self.script[self.at] not in " \t\n;}":
            raise _Untold  # `p` prints again, `w` writes, `e` runs
        if name == "s" and _takes_much(pattern, flags) and not _gives_back(pattern, replacement):
            raise _Untold
        if "\\n" in replacement or "\n" in replacement:
            self.is_line_for_line = False


# What matches nothing but blanks or a sign: taking it away leaves the line.
_HARMLESS = ("\\.", "\\*", "\\[", "\\s", "[[:space:]]", "[[:blank:]]", "[ \t]", "[ \\t]")

# What matches more than one character, and what repeats it; `\\+` and `\\{` end in the same.
_CLASSES = (".", "[", "\\w", "\\W", "\\S", "|")
_REPEATS = ("*", "+", "{")


def _takes_much(pattern: str, flags: str) -> bool:
    """Return whether a substitution may match most of a line: not so with literals alone."""
    for harmless in _HARMLESS:
        pattern = pattern.replace(harmless, "")
    has_class = any(mark in pattern for mark in _CLASSES)
    return has_class and ("g" in flags or any(mark in pattern for mark in _REPEATS))


def _gives_back(pattern: str, replacement: str) -> bool:
    """Return whether *replacement* holds all that *pattern* matches: `&`, or its only group."""
    if "&" in replacement.replace("\\&", ""):
        return True
    whole = pattern.removeprefix("^").removesuffix("$").replace("\\(", "(").replace("\\)", ")")
    is_one_group = whole.startswith("(") and whole.find(")") == len(whole) - 1
    return is_one_group and "\\1" in replacement


# awk


def selected_by_awk(program: str) -> Selection:
    """Return the lines that an awk program prints of its input."""
    if "getline" in program:
        return Selection(opens_others=True)
    try:
        return _run_awk(_awk_rules(_without_blanks(program)))
    except (_Untold, ValueError):
        return Selection()


def _without_blanks(program: str) -> str:
    """Return *program* without blanks and comments; what stands in strings becomes `""`.

    Of a layout of `printf` the conversions stay: `"%d%s"`.
    """
    kept: list[str] = []
    at, end = 0, len(program)
    while at < end:
        char = program[at]
        if char == '"':
            at += 1
            start = at
            while at < end and program[at] != '"':
                at += 1 + (program[at] == "\\")
            is_layout = "".join(kept[-6:]) == "printf"
            char = f'"{_conversions(program[start:at])}"' if is_layout else '""'
        elif char == "#":
            while at < end and program[at] != "\n":
                at += 1
            char = "\n"
        elif char == "/":
            raise _Untold  # a pattern, or a division
        if char not in " \t\r":
            kept.append(char)
        at += 1
    return "".join(kept)


def _conversions(layout: str) -> str:
    """Return the conversions in a layout of `printf`, each as `%` and its letter."""
    found = []
    for piece in layout.replace("%%", "").split("%")[1:]:
        letter = piece.lstrip("-+ #0123456789")[:1]
        if not letter.isalpha():
            raise _Untold  # it cuts, or takes its width from an argument
        found.append("%" + letter)
    return "".join(found)


def _awk_rules(program: str) -> "list[tuple[str, str]]":
    """Return pattern and action of every rule; the action left out is `print`."""
    rules = []
    at = 0
    while at < len(program):
        start = at
        while at < len(program) and program[at] not in "{;\n":
            at += 1
        pattern, action = program[start:at], "print"
        if program[at : at + 1] == "{":
            end = _closing_brace(program, at)
            action = program[at + 1 : end]
            rules.append((pattern, action))
            at = end
        elif pattern:
            rules.append((pattern, action))
        at += 1
    return rules


def _closing_brace(program: str, at: int) -> int:
    depth = 0
    for end in range(at, len(program)):
        depth += {"{": 1, "}": -1}.get(program[end], 0)
        if depth == 0:
            return end
    raise _Untold


_COUNTER_SETS = ("NR=", "NR+", "NR-", "++NR", "--NR")

# What prints, asks, or changes the line, in a statement that is none of those followed.
_UNFOLLOWED = ("print", "NF", "if(", "get", "sub", "exit", "next", "system", "RS", *_COUNTER_SETS)

# In `BEGIN`: what changes which lines the rules see.
_UNFOLLOWED_BEFORE = ("exit", "get", "RS", "ARG", *_COUNTER_SETS)


def _run_awk(rules: "list[tuple[str, str]]") -> Selection:
    lines = _Lines()
    prefix = ""
    is_line_for_line = True
    for pattern, action in rules:
        if pattern in {"BEGIN", "END"}:
            if "print" in action and ("for(" in action or "while(" in action):
                raise _Untold  # a digest of unknown length
            if pattern == "BEGIN" and any(word in action for word in _UNFOLLOWED_BEFORE):
                raise _Untold
            continue
        for statement in action.replace("\n", ";").split(";"):
            region = _awk_region(pattern)
            if statement.startswith("if("):
                condition, _, statement = statement[3:].partition(")")  # noqa: PLW2901
                region = _both(region, _awk_region(condition))
            if statement == "exit":
                lines.stop(region, prints_last=False)
            elif statement == "next":
                lines.drop(region)
            elif _prints_the_line(statement):
                lines.print(region)
                prefix = "grep-n" if "NR" in statement else prefix
                is_line_for_line &= not statement.startswith("printf")
            elif statement.startswith("$") or any(word in statement for word in _UNFOLLOWED):
                raise _Untold
    return Selection(_spans_of(lines.printed), prefix, is_line_for_line=is_line_for_line)


def _prints_the_line(statement: str) -> bool:
    """Return whether *statement* prints `$0` and beside it only numbers and literals."""
    if statement.startswith("printf"):
        layout, _, rest = statement[6:].partition(",")
        places = [place for place, word in enumerate(rest.split(",")) if "$0" in word]
        if not places or layout.strip('"').split("%")[1:][places[0] : places[0] + 1] != ["s"]:
            return False
        statement = "print" + rest
    printed = statement.removeprefix("print")
    for harmless in ("$0", "NR", "FILENAME", '""', ","):
        printed = printed.replace(harmless, "")
    is_print = statement == "print" or (statement.startswith("print") and "$0" in statement)
    return is_print and not printed


def _awk_region(pattern: str) -> "Region":
    """Return the lines that a condition on NR holds for; None: untold."""
    region: Region = ALL
    for condition in pattern.strip("()").split("&&") if pattern else []:
        region = _both(region, _awk_interval(condition))
    return region


def _awk_interval(condition: str) -> "Region":
    if condition.isdecimal():
        return ALL if int(condition) else []
    first, comma, last = condition.partition(",")
    if comma:
        low, high = first.removeprefix("NR=="), last.removeprefix("NR==")
        is_told = (first + last).count("NR==") == 2 and (low + high).isdecimal()
        return [(int(low), max(int(low), int(high)))] if is_told else None
    for operator in ("==", "!=", "<=", ">=", "<", ">"):
        left, found, right = condition.partition(operator)
        if found:
            break
    if left != "NR" or not right.isdecimal() or len(right) > 15:
        return None
    line = int(right)
    return {
        "==": [(line, line)],
        "!=": _others([(line, line)]),
        "<=": [(1, line)],
        ">=": [(line, END)],
        "<": [(1, line - 1)],
        ">": [(line + 1, END)],
    }[operator]


# Python and JavaScript. A program is brought into a shape: string literals become marks, then
# whatever opens a literal path, reads it, or only passes its text on. What is left in the end
# is compared with the few ways to print.

_LITERAL, _FILE, _TEXT, _LINES = _ALL_MARKS = "\x01\x02\x03\x04"
_MARKS = str.maketrans({"'": _LITERAL, "F": _FILE, "T": _TEXT, "L": _LINES})

# old → new, with ' F T L for the marks of a literal, an open file, its text, its lines.
_SAME_IN_PYTHON = """
io.F → F  codecs.F → F  pathlib.T → T  pathlib.F → F
F.read() → T  F.readlines() → L  list(F) → L  T.splitlines() → L  T.split(') → L
T.decode() → T  T.decode(') → T  T.strip() → T  T.rstrip() → T  repr(T) → T
'.join(F) → T  '.join(L) → T  '.join(L[ → L[  json.load(F) → T  json.loads(T) → T
*F → T  *L → T  ,end=' →  ,sep=' →  json.dumps(T → T  pprint.p → p
"""
_SAME_IN_JAVASCRIPT = """
fs.T → T  require(').T → T  fs.F → F  require(').F → F
F.toString() → T  F.toString(') → T  JSON.parse(F) → T
process.stdout.write(F → process.stdout.write(T
T.toString() → T  T.toString(') → T  T.trim() → T  JSON.parse(T) → T
JSON.stringify(T → T
"""
_PRINTS_IN_PYTHON = ("print(", "sys.stdout.write(", "sys.stdout.buffer.write(", "pprint(")
_PRINTS_IN_JAVASCRIPT = ("console.log(", "process.stdout.write(")


def opened_by_python(code: str) -> "tuple[list[str], Selection | None]":
    """Return the files that a Python program reads, and what it prints of them (None: nothing).

    A selection without a path: it prints what it reads from a place that it does not name.
    """
    shape, paths = _with_files_marked(code, "#", "open(", "Path(")
    if not paths and "print" in shape and ("open(" in shape or ".read_" in shape):
        return [], Selection()
    return paths, _printed(shape, paths, _SAME_IN_PYTHON, _PRINTS_IN_PYTHON)


def opened_by_javascript(code: str, *, prints_value: bool) -> "tuple[list[str], Selection | None]":
    """As `opened_by_python`; with *prints_value* (`node -p`) the program's value is printed."""
    shape, paths = _with_files_marked(code, "//", "readFileSync(")
    if not paths and "readFileSync(" in shape:
        return [], Selection()
    if prints_value:
        shape = f"console.log({shape.rstrip(';')})"
    return paths, _printed(shape, paths, _SAME_IN_JAVASCRIPT, _PRINTS_IN_JAVASCRIPT)


def _shape_of(code: str, comment: str) -> "tuple[str, list[str]]":
    """Return *code* without comments and needless blanks, marks for its literals, and these."""
    shape: list[str] = []
    literals: list[str] = []
    at, end = 0, len(code)
    while at < end:
        char = code[at]
        if char in "\"'`":
            close = at + 1
            while close < end and code[close] != char:
                close += 1 + (code[close] == "\\")
            literals.append(code[at + 1 : close])
            at = close
            char = _LITERAL
            if shape and shape[-1] in "rbu" and (len(shape) == 1 or not shape[-2].isalnum()):
                shape.pop()
        elif code.startswith(comment, at):
            end_of_line = code.find("\n", at)
            at = (end_of_line if end_of_line >= 0 else end) - 1
            char = ""
        elif char == "\n":
            char = ";"
        elif char in _ALL_MARKS:
            char = ""
        elif char in " \t":
            before, after = shape[-1:], code[at + 1 : at + 2]
            char = " " if before and before[0].isalnum() and after.isalnum() else ""
        if char:
            shape.append(char)
        at += 1
    return "".join(shape).replace(":;", ":"), literals


def _with_files_marked(code: str, comment: str, *openers: str) -> "tuple[str, list[str]]":
    """Return the shape of *code* with `open('…')` and the like marked, and the paths opened."""
    shape, literals = _shape_of(code, comment)
    texts = shape.split(_LITERAL)  # literal n stands between texts n and n + 1
    kept = [texts[0]]
    paths: list[str] = []
    place = 0
    while place < len(literals):
        opener = next((name for name in openers if kept[-1].endswith(name)), "")
        mark = ""
        if opener and "\\" not in literals[place]:
            calls = 2 if opener == "Path(" else 1
            end = place + 1
            while end < min(place + 4, len(literals)) and (
                _LITERAL.join(texts[place + 1 : end + 1]).count(")") < calls
            ):
                end += 1  # over a mode, an encoding
            call = _LITERAL.join(texts[place + 1 : end + 1])
            mark, after = _mark_of(opener, call, "".join(literals[place + 1 : place + 2]))
        if mark:
            paths.append(literals[place])
            kept[-1] = kept[-1].removesuffix(opener) + mark + after
            place = end
        else:
            kept.append(_LITERAL + texts[place + 1])
            place += 1
    return "".join(kept), paths


def _mark_of(opener: str, call: str, mode: str) -> "tuple[str, str]":
    """Return the mark for `open(PATH` and *call* behind it, and what follows; "" if none."""
    arguments, close, after = call.partition(")")
    if not close or "(" in arguments:
        return "", ""
    if opener == "readFileSync(":
        return (_TEXT if arguments else _FILE), after  # without an encoding it is a Buffer
    if opener == "Path(":
        reader, close, after = after.partition(")")
        name = reader.partition("(")[0]
        marks = {".read_text": _TEXT, ".read_bytes": _TEXT, ".open": _FILE}
        return marks.get(name, "") if close else "", after
    is_written = arguments.startswith("," + _LITERAL) and set(mode) & set("wax+")
    return "" if is_written else _FILE, after


def _printed(
    shape: str, paths: "list[str]", same: str, prints: "tuple[str, ...]"
) -> Selection | None:
    """Return what a program of this *shape* prints of the files marked in it."""
    if not paths or not any(name in shape for name in prints):
        return None
    shape = _settled(shape, same)
    statements = [
        statement
        for statement in shape.split(";")
        if statement and not statement.startswith(("import ", "from ", "const ", "let ", "var "))
    ]
    if len(statements) == 1 and len(paths) == 1:
        selection = _whole_print(_unrolled(statements[0]), prints)
        if selection:
            selection.is_line_for_line = "json" not in shape.lower()
            return selection
    return Selection()


def _settled(shape: str, same: str) -> str:
    """Rewrite *shape* until nothing in it only renames a file, its text or its lines."""
    rewrites = [
        (old.translate(_MARKS), new.translate(_MARKS))
        for old, _, new in (pair.partition(" →") for pair in same.replace("\n", "  ").split("  "))
        if old
    ]
    for _ in range(8):
        before = shape
        for old, new in rewrites:
            shape = shape.replace(old, new.strip())
        for mark in (_FILE, _TEXT, _LINES):
            shape = _without_name(shape, mark)
        if shape == before:
            break
    return shape


def _without_name(shape: str, mark: str) -> str:
    """Return *shape* with the first name that is given to *mark* replaced by it."""
    statements = shape.split(";")
    for place, statement in enumerate(statements):
        name, equals, value = statement.removeprefix("const ").partition("=")
        if statement.startswith(f"with {mark}as "):
            name, _, rest = statement.partition("as ")[2].partition(":")
            statements[place] = rest
        elif equals and value == mark:
            statements[place] = ""
        else:
            continue
        if name.isidentifier():
            return _renamed(";".join(statements), name, mark)
    return shape


def _renamed(shape: str, name: str, mark: str) -> str:
    """Return *shape* with every whole word *name* replaced."""
    pieces = shape.split(name)
    result = pieces[0]
    for piece in pieces[1:]:
        is_word = not (result[-1:].isalnum() or (result[-1:] in "_." and result))
        is_word = is_word and not (piece[:1].isalnum() or piece[:1] == "_")
        result += (mark if is_word else name) + piece
    return result


def _unrolled(statement: str) -> str:
    """Return a loop that prints every line as one print of the lines."""
    if statement.startswith("[") and statement.endswith("]"):
        body, _, head = statement[1:-1].partition("for ")
    elif statement.startswith("for "):
        head, _, body = statement[4:].rpartition(":")
    else:
        return statement
    names, _, lines = head.partition(" in")
    name = names.rpartition(",")[2]
    lines = lines.strip().removeprefix("enumerate(").partition(",")[0].rstrip(")")
    printed = body.partition("(")[2].removesuffix(")").rpartition(",")[2]
    if printed.removesuffix(".strip()").removesuffix(".rstrip()") != name:
        return statement
    return body.partition("(")[0] + "(" + lines.replace(_FILE, _LINES) + ")"


def _whole_print(statement: str, prints: "tuple[str, ...]") -> Selection | None:
    """Return what one print statement prints, if it is all of a file or a slice of it."""
    for name in prints:
        if statement.startswith(name) and statement.endswith(")"):
            break
    else:
        return None
    printed = statement[len(name) : -1]
    if printed in (f"len({_TEXT})", f"len({_LINES})", f"{_TEXT}.length"):
        return Selection([])
    if printed in (_TEXT, _LINES):
        return Selection([(1, None)])
    if printed.startswith(_TEXT + ",") and not set(printed) & set("[(."):  # and options
        return Selection([(1, None)])
    printed = printed.rstrip(")")  # '.join(L[1:2])
    start, colon, end = printed[2:-1].partition(":")
    if printed[1:2] != "[" or not printed.endswith("]") or not colon:
        return None
    if not (start or "0").isdecimal() or not (end or "0").isdecimal() or len(printed) > 30:
        return None
    low = int(start or 0)
    if printed[0] == _TEXT and not low and end:
        return Selection([(1, None)], byte_count=int(end))
    if printed[0] == _LINES:
        return Selection([(low + 1, max(int(end) - low, 0) if end else None)])
    return None
