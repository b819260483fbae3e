"""Which lines of its input an awk program prints."""

from priced_context.shell.selections import (
    ALL,
    END,
    MAX_CHARS,
    Lines,
    Selection,
    Untold,
    both,
    others,
)
from priced_context.shell.streams import ANEW, IN_ORDER, ONE_LINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.selections import Region


def selected_by_awk(program: str, *, starts_anew: bool = False) -> Selection:
    """Return the lines that an awk program prints of its input.

    *starts_anew*: that is one of several files, and the program asks for the line in each (FNR).
    """
    if "getline" in program or "ARGV" in program or len(program) > MAX_CHARS:
        return Selection(opens_others=True)
    try:
        program = _without_blanks(program)
        rules = _awk_rules(program.replace("FNR", "NR"))
        # What ends in one file or goes on from it into the next, and a line that has two numbers.
        goes_on = "exit" in program or "NR" in program.replace("FNR", "")
        goes_on |= any("," in pattern or pattern == "END" for pattern, _ in rules)
        return Selection() if goes_on and starts_anew else _run_awk(rules)
    except (Untold, ValueError):
        return Selection()


def _without_blanks(program: str) -> str:
    """Return *program* without blanks and comments; what stands in strings becomes `""`.

    Of a layout of `printf` the conversions stay, and its newlines: `"%d%s;"`. A pattern becomes
    `/`, and a division `%`: neither tells a line.
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
            is_layout = "".join(kept[-7:]).rstrip("(").endswith("printf")
            char = f'"{_conversions(program[start:at])}"' if is_layout else '""'
        elif char == "#":
            while at < end and program[at] != "\n":
                at += 1
            char = "\n"
        elif char == "/" and kept and (kept[-1].isalnum() or kept[-1] in "_)]"):
            char = "%"
        elif char == "/":
            at += 1
            while program[at : at + 1] not in ("/", "\n", ""):
                at += 1 + (program[at] == "\\")
            if program[at : at + 1] != "/":
                raise Untold
        if char not in " \t\r":
            kept.append(char)
        at += 1
    return "".join(kept)


def _conversions(layout: str) -> str:
    """Return the conversions in a layout of `printf`, `%` and a letter each, and a newline as N."""
    first, *pieces = layout.replace("%%", "").split("%")
    found = ["N" * first.count("\\n")]
    for piece in pieces:
        letter = piece.lstrip("-+ #0123456789")[:1]
        if not letter.isalpha():
            raise Untold  # it cuts, or takes its width from an argument
        found.append("%" + letter + "N" * piece.count("\\n"))
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
    raise Untold


_COUNTER_SETS = ("NR=", "NR+", "NR-", "++NR", "--NR", "NF=", "NF+", "NF-", "++NF", "--NF")

# What prints, asks, or changes the line, in a statement that is none of those followed.
_UNFOLLOWED = (
    "print", "if(", "else", "for(", "while(", "do", "{", "}", "get", "sub", "exit", "next",
    "system", "RS", *_COUNTER_SETS,
)  # fmt: skip

# In `BEGIN`: what changes which lines the rules see.
_UNFOLLOWED_BEFORE = ("exit", "get", "RS", "ARG", *_COUNTER_SETS)


def _run_awk(rules: "list[tuple[str, str]]") -> Selection:
    run = _Run(ends_in_print=any(name == "END" and "print" in does for name, does in rules))
    for pattern, action in rules:
        if pattern == "BEGIN":
            if any(word in action for word in _UNFOLLOWED_BEFORE) or _is_digest(action):
                raise Untold
            run.say(action)
        elif pattern == "END":
            run.end(action)
        else:
            if "," in pattern and run.lines.alive != ALL:
                raise Untold  # a range that may never begin
            for statement in action.replace("\n", ";").split(";"):
                run.statement(statement, _awk_region(pattern))
    return run.selection()


def _is_digest(action: str) -> bool:
    """Return whether *action* prints as much as its loops give."""
    return "print" in action and ("for(" in action or "while(" in action)


class _Run:
    """Runs statements over all lines at once."""

    def __init__(self, *, ends_in_print: bool) -> None:
        self.lines = Lines()
        self.order = IN_ORDER
        self.prefix = ""
        self.is_part = False
        self.ends_in_print = ends_in_print

    def selection(self) -> Selection:
        selection = self.lines.selection(is_line_for_line=True, prefix=self.prefix)
        selection.order = selection.order if self.order == IN_ORDER else self.order
        selection.is_part = self.is_part
        return selection

    def statement(self, statement: str, region: "Region") -> None:
        """Run *statement* on the lines of *region*."""
        if statement.startswith("if("):
            condition, _, statement = statement[3:].partition(")")
            region = both(region, _awk_region(condition))
            if not statement:
                raise Untold  # what it guards stands in the next line
        if statement == "exit":
            self.lines.stop(region, prints_last=False)
        elif statement == "next":
            self.lines.drop(region)
        elif statement.startswith("print"):
            self.print(statement, region)
        elif any(word in statement for word in _UNFOLLOWED) or statement.startswith("$"):
            raise Untold
        elif self.ends_in_print and "$" in statement and not _is_counting(statement):
            raise Untold  # it keeps what the end prints

    def print(self, statement: str, region: "Region") -> None:
        layout, printed = _printed_by(statement)
        self.lines.print(region)
        if not _is_the_line(layout, printed):
            self.is_part = True
        elif "NR" in printed:
            self.prefix = "grep-n"
        if layout and not layout.endswith("N"):
            self.order = ONE_LINE if "N" not in layout else ANEW
        elif layout.count("N") > 1:
            self.order = ANEW

    def say(self, action: str) -> None:
        """Print words before or behind the lines."""
        if "print" in action:
            self.order = ANEW

    def end(self, action: str) -> None:
        """Run `END`: there the line is still the last one."""
        if _is_digest(action):
            raise Untold
        for statement in action.replace("\n", ";").split(";"):
            if statement == "print" or ("print" in statement and "$" in statement):
                if self.lines.alive != ALL:
                    raise Untold  # it may have ended before
                self.print(statement, [(END, END)])
            else:
                self.say(statement)


def _is_counting(statement: str) -> bool:
    """Return whether *statement* only adds up numbers, as `n += $3` and `c[$1]++` do."""
    return "+=" in statement or statement.endswith("++") or statement.startswith("++")


def _printed_by(statement: str) -> "tuple[str, str]":
    """Return the layout of a `printf`, else "", and what is printed."""
    is_layout = statement.startswith("printf")
    printed = statement[6:] if is_layout else statement[5:]
    if printed.startswith("(") and printed.find(")") == len(printed) - 1:
        printed = printed[1:-1]
    if not is_layout:
        return "", printed or "$0"
    layout, _, printed = printed.partition(",")
    return layout.strip('"') or "?", printed


def _is_the_line(layout: str, printed: str) -> bool:
    """Return whether what is printed is `$0` and beside it only numbers and literals."""
    if layout:
        places = [place for place, word in enumerate(printed.split(",")) if "$0" in word]
        letters = layout.replace("N", "").split("%")[1:]
        if not places or letters[places[0] : places[0] + 1] != ["s"]:
            return False
    if "$0" not in printed:
        return False
    for harmless in ("$0", "NR", "FILENAME", '""', ","):
        printed = printed.replace(harmless, "")
    return not printed


def _awk_region(pattern: str) -> "Region":
    """Return the lines that a condition on NR holds for; None: untold."""
    region: Region = ALL
    for condition in pattern.strip("()").split("&&") if pattern else []:
        region = both(region, _awk_interval(condition))
    return region


def _awk_interval(condition: str) -> "Region":
    if condition.isdecimal():
        return ALL if int(condition) else []
    first, comma, last = condition.partition(",")
    if comma:
        low, high = first.removeprefix("NR=="), last.removeprefix("NR==")
        is_told = (first + last).count("NR==") == 2 and (low + high).isdecimal()
        if not is_told or len(low + high) > 15:
            return None
        return [(int(low), max(int(low), int(high)))] if int(low) else []
    for operator in ("==", "!=", "<=", ">=", "<", ">"):
        left, found, right = condition.partition(operator)
        if found:
            break
    if left != "NR" or not right.isdecimal() or len(right) > 15:
        return None
    line = int(right)
    return {
        "==": [(line, line)],
        "!=": others([(line, line)]),
        "<=": [(1, line)],
        ">=": [(line, END)],
        "<": [(1, line - 1)],
        ">": [(line + 1, END)],
    }[operator]
