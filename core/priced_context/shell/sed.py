"""Which lines of its input a sed script prints."""

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
from priced_context.shell.streams import IN_ORDER, ONE_LINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.selections import Region

MAX_NESTING = 32


def selected_by_sed(script: str, *, is_quiet: bool, starts_anew: bool = False) -> Selection:
    """Return the lines that a sed script prints of its input.

    *starts_anew*: that is one of several files whose lines are counted each for itself (`-s`).
    """
    if len(script) > MAX_CHARS:
        return Selection(opens_others=True)
    sed = _Sed(script)
    try:
        selection = sed.run(is_quiet=is_quiet)
    except (Untold, IndexError):
        joins_lines = "N" in script or "H" in script
        order = ONE_LINE if joins_lines else IN_ORDER
        return Selection(order=order, opens_others=sed.opens_others)
    return Selection() if sed.may_quit and starts_anew else selection


class _Sed:
    """A cursor in a sed script. IndexError: it ends too early."""

    def __init__(self, script: str) -> None:
        self.script = script + "\n"
        self.at = 0
        self.is_line_for_line = True
        self.opens_others = False
        self.is_range = False
        """Whether the last command had two addresses."""
        self.may_quit = False
        """Whether it ends the run, and that for all files."""

    def run(self, *, is_quiet: bool) -> Selection:
        is_quiet |= self.script.startswith("#n\n")
        lines = Lines()
        blocks: list[Region] = [ALL]
        while self._skip(" \t\n;"):
            region = both(blocks[-1], self._region())
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
                self.may_quit = True
                if self.is_range:
                    raise Untold  # "command only uses one address", and nothing is printed
                self._skip(" 0123456789")
                lines.stop(region, prints_last=name == "q" and not is_quiet)
            elif name in "sy":
                self._substitution(name)
            elif name in "=Gai":
                self.is_line_for_line = False
                self._rest_of_line(name in "ai")
            elif name in "rRe":
                self.opens_others = True
                raise Untold
            elif name == "#":
                self._rest_of_line(True)
            else:
                raise Untold
            if not 0 < len(blocks) < MAX_NESTING:
                raise Untold
        if len(blocks) != 1:
            raise Untold
        if not is_quiet:
            lines.print(lines.alive)
        return lines.selection(is_line_for_line=self.is_line_for_line)

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
        self.is_range = False
        if self.script[self.at] in "/\\0123456789$":
            low = self._address()
            high: int | None = low
            self._skip(" ")
            if self.script[self.at] == ",":
                self.at += 1
                self.is_range = True
                self._skip(" ")
                is_relative = self.script[self.at] == "+"
                self.at += is_relative
                high = self._lines_on(low) if is_relative else self._address()
            region = None if low is None or high is None else [(low, max(low, high))]
        else:
            region = ALL
        self._skip(" ")
        while self.script[self.at] == "!":
            self.at += 1
            self._skip(" ")
            region = others(region)
        return region

    def _lines_on(self, low: int | None) -> int | None:
        """Read the number in `5,+2`, and return the line that it comes to."""
        start = self.at
        self._skip("0123456789")
        digits = self.script[start : self.at]
        if not digits or len(digits) > 15:
            raise Untold
        return None if low is None else low + int(digits)

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
            raise Untold
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
            raise Untold  # `p` prints again, `w` writes, `e` runs
        if name == "s" and _takes_much(pattern, flags) and not _gives_back(pattern, replacement):
            raise Untold
        if "\\n" in replacement or "\n" in replacement:
            self.is_line_for_line = False


# What matches nothing but blanks or a sign: taking it away leaves the line.
_HARMLESS = ("\\.", "\\*", "\\[", "\\s", "[[:space:]]", "[[:blank:]]", "[ \t]", "[ \\t]")

# What matches more than one character, and what repeats it: `\\+` and `\\{` end in the same, and
# a class that follows on another does as much as `.{2}`.
_CLASSES = (".", "[", "\\w", "\\W", "\\S", "|")
_REPEATS = ("*", "+", "{")
_PAIRS = tuple(end + start for end in (".", "]", "\\w", "\\W", "\\S") for start in _CLASSES[:-1])


def _takes_much(pattern: str, flags: str) -> bool:
    """Return whether a substitution may match most of a line: not so with literals alone."""
    for harmless in _HARMLESS:
        pattern = pattern.replace(harmless, "")
    has_class = any(mark in pattern for mark in _CLASSES)
    repeats = "g" in flags or any(mark in pattern for mark in (*_REPEATS, *_PAIRS))
    return has_class and repeats


def _gives_back(pattern: str, replacement: str) -> bool:
    """Return whether *replacement* holds all that *pattern* matches: `&`, or its only group."""
    if "&" in replacement.replace("\\&", ""):
        return True
    whole = pattern.removeprefix("^").removesuffix("$").replace("\\(", "(").replace("\\)", ")")
    is_one_group = whole.startswith("(") and whole.find(")") == len(whole) - 1
    return is_one_group and "\\1" in replacement
