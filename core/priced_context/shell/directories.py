"""The directory that a shell is in."""

from priced_context import files
from priced_context.shell.scope import (
    FAILED,
    SUCCEEDED,
)
from priced_context.shell.streams import (
    Stream,
    words_of_its_own,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.evaluator import Builtins, Shell
    from priced_context.shell.scope import Given, Value


def cd(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    if len(operands) > 1:
        shell.status = FAILED
        return []
    target = operands[0] if operands else shell.home or None
    if target == "-":
        target = shell.previous or None
    place = shell.locate(target)
    if shell.is_in_doubt or not place:
        shell.cwd = ""
    elif files.is_directory(place):
        shell.status = SUCCEEDED
        shell.previous, shell.cwd = shell.cwd, files.resolve(place, "")
    else:
        shell.status = FAILED
    return []


def pushd(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    before = shell.cwd
    if "n" in given:
        shell.directories.append("")
    elif operands:
        cd(shell, given, operands)
        if shell.status != FAILED:
            shell.directories.append(before)
    else:
        shell.cwd = ""
    return words_of_its_own()


def popd(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    shell.status = SUCCEEDED if shell.directories else FAILED
    if shell.directories:
        shell.previous, shell.cwd = shell.cwd, shell.directories.pop()
    if operands or given or shell.is_in_doubt:
        shell.cwd = ""
    return words_of_its_own()


def pwd(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    shell.status = SUCCEEDED
    return [Stream(text=shell.cwd + "\n")] if shell.cwd else words_of_its_own()


_PATHS = "P L e @ n"

COMMANDS: "Builtins" = {
    "cd": (cd, _PATHS),
    "popd": (popd, _PATHS),
    "pushd": (pushd, _PATHS),
    "pwd": (pwd, _PATHS),
}  # fmt: skip
