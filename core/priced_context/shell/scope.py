"""What a command sees of the shell it runs in, and how it takes its words apart."""

from priced_context import files
from priced_context.records import DUMP, UNKNOWN, Read
from priced_context.shell.streams import Stream, filtered, has_content, joined, words_of_its_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Value = str | list[Stream] | None
    """A word after expansion: its text; what of files stands in it; or None, untold."""
    Given = dict[str, list[Value]]
    """The options of a call by name, each with its values in order; a flag's value is ""."""
    Command = Callable[["Scope", Given, list[Value]], list[Stream]]
    """From the options and operands of a call to what it writes to standard output."""
    Table = dict[str, tuple[Command, str | None]]
    """Commands by name, each with its options, spelled for `options`."""

# What is known of a command's exit status. A program is presumed to succeed; of a question, as
# `grep -q` is one, nothing is told before it runs.
SUCCEEDED, FAILED, PRESUMED, UNTOLD = "succeeded", "failed", "presumed", "untold"

# A command with more operands, or a loop over more words, is not followed.
MAX_FILES = 64


class NotUnderstood(Exception):  # noqa: N818 - an answer: the command's output is unknown
    """The command may read, but its words do not say what."""


class Scope:
    """The shell as a command sees it."""

    __slots__ = ("cwd", "has_piped_stdin", "pipes", "status", "stdin", "words_there", "written")

    cwd: str
    """Absolute, or "" where it is not known."""
    stdin: "list[Stream] | None"
    """What waits on standard input; None where nothing was given."""
    has_piped_stdin: bool
    """Whether it comes through a pipe, not from a file by `<`."""
    status: str
    """The last command's: SUCCEEDED, FAILED, PRESUMED or UNTOLD."""
    pipes: "dict[str, list[Stream]]"
    """What `/dev/fd/N` of a process substitution holds."""
    written: "set[str]"
    """Files that the line itself writes or removes: what they will hold is unknown."""
    words_there: "set[str]"
    """`words_in` the line."""

    def run(self, words: "list[Value]") -> "list[Stream]":
        """Run a command in this scope and return its output."""
        raise NotImplementedError

    def step(self, count: int = 1) -> None:
        """Take *count* of the steps that the whole line has."""
        raise NotImplementedError

    def locate(self, operand: "Value") -> str:
        """Return a path made absolute but not folded, as the kernel sees it; "" if untold."""
        if not isinstance(operand, str):
            return ""
        if operand.startswith("/"):
            return operand
        return f"{self.cwd}/{operand}" if self.cwd else ""

    def resolve(self, operand: "Value") -> str:
        """Return a path made absolute and folded.

        Raises:
            NotUnderstood: it is not known, or relative to a directory that is not.
        """
        place = self.locate(operand)
        if not place:
            raise NotUnderstood
        return files.resolve(place, "")

    def take_stdin(self) -> "list[Stream]":
        """Return standard input; the next command may find only a rest of it."""
        streams = self.stdin or []
        if has_content(streams):
            self.stdin = filtered(streams)
        return streams

    def open(self, operand: "Value") -> "list[Stream]":
        """Return what a file operand holds. `status` turns FAILED if it cannot be read."""
        if operand in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
            return self.take_stdin()
        place = self.locate(operand)
        if place in self.pipes:
            return self.pipes[place]
        if not place or self.is_written(place):
            self.status = UNTOLD if self.status == SUCCEEDED else self.status
            return [Stream(UNKNOWN)]
        size_bytes = files.size_of_regular(place)
        if size_bytes < 0 and (files.is_directory(place) or not files.exists(place)):
            self.status = FAILED
        return (
            [Stream(DUMP, [Read(files.resolve(place, ""), size_bytes)])] if size_bytes > 0 else []
        )

    def is_written(self, place: str) -> bool:
        """Return whether the line itself writes or removes *place*, or a folder around it."""
        if not self.written:
            return False
        path = files.resolve(place, "")
        while path and path not in self.written:
            path = path[: path.rfind("/")]
        return bool(path)

    def note_written(self, operand: "Value") -> None:
        """Note that the line writes or removes the file *operand*."""
        place = self.locate(operand)
        if place:
            self.written.add(files.resolve(place, ""))

    def open_each(self, operands: "list[Value]") -> "list[list[Stream]]":
        """Return what every operand holds, or standard input where there is none."""
        if len(operands) > MAX_FILES:
            raise NotUnderstood
        self.status = SUCCEEDED
        return [self.open(operand) for operand in operands or ["-"]]

    def open_all(self, operands: "list[Value]") -> "list[Stream]":
        return joined(self.open_each(operands))

    def is_broken_off(self, operands: "list[Value]") -> bool:
        """Return whether an operand is a directory: `sed` and `tail` may stop there.

        They go on behind a file that is missing.
        """
        return self.status == FAILED and any(
            isinstance(word, str) and files.is_directory(self.resolve(word)) for word in operands
        )


def unread(scope: Scope) -> "list[Stream]":
    """Return the output of a program that is in no table.

    What a pipe brings to it may come out again; what it is given by `<` is its own business.
    """
    is_fed = scope.has_piped_stdin and has_content(scope.stdin or [])
    return [Stream(UNKNOWN)] if is_fed else words_of_its_own()


def untold(scope: Scope) -> "list[Stream]":
    """Return the output of a command that is asked for its status, which only running tells."""
    scope.status = UNTOLD
    return words_of_its_own()


def options(words: "list[Value]", spec: str | None) -> "tuple[Given, list[Value]]":
    """Split *words* into options and operands, by GNU's rules and *spec*.

    *spec* is a list with single blanks: `n` or `n=number` is a flag and its long name, `n:lines`
    takes a value, `i?in-place` one that is glued on, `#` is `-NUM`. A name of several letters
    exists only in its long form. `+` ends the options at the first operand. With `*` an option
    that is not listed is a flag; without it the command is not understood. None has no options.
    """
    if spec is None:
        return {}, words
    spec = f" {spec} "
    given: Given = {}
    operands: list[Value] = []
    queue = iter(words)
    for word in queue:
        if not isinstance(word, str) or not word.startswith("-") or word == "-":
            operands.append(word)
            if " + " in spec:
                operands += queue
        elif word == "--":
            operands += queue
        elif word.startswith("--"):
            long, equals, glued = word[2:].partition("=")
            name, kind = _long_option(long, spec)
            value = glued if equals or kind != ":" else _next(queue)
            given.setdefault(name, []).append(value)
        elif word[1:].isdecimal() and " # " in spec:
            given.setdefault("#", []).append(word[1:])
        else:
            _short_options(word, spec, given, queue)
    return given, operands


def _short_options(word: str, spec: str, given: "Given", queue: "Iterator[Value]") -> None:
    """Read a cluster like `-nA5`."""
    for place, name in enumerate(word[1:], 2):
        kind = _kind(name, spec)
        values = given.setdefault(name, [])
        if kind == "=":
            values.append("")
            continue
        glued = word[place:]
        values.append(glued if glued or kind == "?" else _next(queue))
        return


def _kind(name: str, spec: str) -> str:
    """Return how a short option takes its value: `:`, `?`, or `=` for a flag."""
    for kind in ":?=":
        if f" {name}{kind}" in spec:
            return kind
    if f" {name} " in spec or " * " in spec:
        return "="
    raise NotUnderstood


def _long_option(long: str, spec: str) -> "tuple[str, str]":
    """Return name and kind of the option that *long* spells, or begins as no other does."""
    begun: set[tuple[str, str]] = set()
    for entry in spec.split():
        kind = next((kind for kind in ":?=" if kind in entry), "=")
        name, _, rest = entry.partition(kind)
        spelled = rest or name
        if len(spelled) > 1 and spelled == long:
            return name, kind
        if len(spelled) > 1 and spelled.startswith(long):
            begun.add((name, kind))
    if len(begun) == 1 and " * " not in spec:
        return begun.pop()
    if " * " in spec:
        return long, "="
    raise NotUnderstood


def _next(queue: "Iterator[Value]") -> "Value":
    for value in queue:
        return value
    raise NotUnderstood


def last(given: "Given", *names: str, default: "Value" = "") -> "Value":
    """Return the value given last for the first of *names* that was given at all."""
    for name in names:
        if name in given:
            return given[name][-1]
    return default


def is_assignment(word: "Value") -> bool:
    name, equals, _ = word.partition("=") if isinstance(word, str) else ("", "", "")
    return bool(equals) and name.isidentifier()


def known(value: "Value") -> str:
    """Return *value*, which must be text.

    Raises:
        NotUnderstood: it is not known.
    """
    if not isinstance(value, str):
        raise NotUnderstood
    return value


# What `head -c 10k`, `5MB` and `1KiB` multiply by.
_FACTORS = {
    "": 1, "b": 512, "kB": 10**3, "k": 1 << 10, "K": 1 << 10, "KiB": 1 << 10, "KB": 10**3,
    "M": 1 << 20, "MiB": 1 << 20, "MB": 10**6, "G": 1 << 30, "GiB": 1 << 30, "GB": 10**9,
}  # fmt: skip


def number(value: "Value") -> int:
    """Return the number in *value*, which may be signed and have one of GNU's suffixes.

    Raises:
        NotUnderstood: it is none, or not known.
    """
    text = known(value)
    digits = text.rstrip("kKMGBib")
    factor = _FACTORS.get(text[len(digits) :], 0)
    unsigned = digits[digits[:1] in ("+", "-") :]
    if not factor or len(digits) > 15 or not unsigned.isdecimal():
        raise NotUnderstood
    return int(digits) * factor
