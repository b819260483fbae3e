"""What is asked for its status."""

from priced_context import files
from priced_context.shell.scope import (
    FAILED,
    SUCCEEDED,
    UNTOLD,
    untold,
)
from priced_context.shell.streams import (
    Stream,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.evaluator import Builtins, Shell
    from priced_context.shell.scope import Given, Value


def bracket(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`test` and `[`."""
    ask(shell, operands[:-1] if operands[-1:] == ["]"] else operands)
    return []


def ask(shell: "Shell", words: "list[Value]") -> None:
    """Set the status that `test` has for *words*."""
    shell.status = {True: SUCCEEDED, False: FAILED, None: UNTOLD}[truth(shell, words)]


def question(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`which`, `cmp`: asked for their status."""
    return untold(shell)


def truth(shell: "Shell", words: "list[Value]") -> bool | None:
    """Return what `test` says of *words*; None where only running can tell."""
    if words[:1] == ["!"] and len(words) > 1:
        result = truth(shell, words[1:])
        return None if result is None else not result
    texts = [word for word in words if isinstance(word, str)]
    if len(texts) < len(words):
        return None
    match texts:
        case [text] | ["-n", text]:
            return bool(text)
        case ["-z", text]:
            return not text
        case [("-d" | "-e" | "-f" | "-r" | "-s" | "-w" | "-x") as test, path]:
            return _file_test(shell, test, path)
        case [left, ("=" | "=="), right]:
            return left == right
        case [left, "!=", right]:
            return left != right
        case [left, ("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") as test, right]:
            return _comparison(left, test, right)
    return None


def _file_test(shell: "Shell", test: str, operand: str) -> bool | None:
    place = shell.locate(operand)
    if not place or shell.is_written(place):
        return None
    if test == "-d":
        return files.is_directory(place)
    if test == "-f":
        return files.size_of_regular(place) >= 0
    if not operand or not files.exists(place):
        return False
    return {"-e": True, "-r": True, "-s": files.size_of_regular(place) != 0}.get(test)


def _comparison(left: str, test: str, right: str) -> bool | None:
    if not (left.isdecimal() and right.isdecimal()) or len(left + right) > 30:
        return None
    one, other = int(left), int(right)
    return {
        "-eq": one == other,
        "-ne": one != other,
        "-lt": one < other,
        "-le": one <= other,
        "-gt": one > other,
        "-ge": one >= other,
    }[test]


COMMANDS: "Builtins" = {
    "[": (bracket, None),
    "test": (bracket, None),
    **dict.fromkeys("cmp pgrep type which".split(), (question, None)),
}  # fmt: skip
