"""What changes the shell or the files that the rest of the line runs with."""

from priced_context import files
from priced_context.records import UNKNOWN
from priced_context.shell.scope import (
    FAILED,
    SUCCEEDED,
    UNTOLD,
    is_assignment,
    number,
    untold,
)
from priced_context.shell.streams import (
    Stream,
    filtered,
    has_content,
    words_of_its_own,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.evaluator import Builtin, Builtins, Shell
    from priced_context.shell.scope import Given, Value


def declare(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`export` and its like; without an operand they list what is set."""
    shell.status = SUCCEEDED
    if "n" in given:  # another name of a variable: what is assigned from here on nobody tells
        shell.doubt()
    changes = not given.keys().isdisjoint("uli")
    for word in operands:
        if not isinstance(word, str):
            continue
        name, equals, value = word.partition("=")
        if equals and is_assignment(word):
            shell.assign(name, None if changes else value)
        if changes or "r" in given:
            shell.marked.add(name)
    return [] if operands else words_of_its_own()


def readonly(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    return declare(shell, {**given, "r": [""]}, operands)


# What `set` turns on and is followed; of the rest, only tracing changes nothing.
MODES = {"e": "errexit", "u": "nounset", "o": "", "x": "xtrace", "v": "verbose"}
FOLLOWED = ("errexit", "nounset", "pipefail", "xtrace")


def set_(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`set -e` and its like. A mode that is not followed puts all that comes in doubt."""
    shell.status = SUCCEEDED
    words = iter(operands)
    for word in words:
        text = word if isinstance(word, str) else ""
        if text == "--" or text[:1] not in ("-", "+"):
            rest = [*words] if text == "--" else [word, *words]
            shell.arguments = None if shell.is_in_doubt else [None, *rest]
            break
        for letter in text[1:]:
            mode = next(words, None) if letter == "o" else MODES.get(letter)
            if mode not in FOLLOWED:
                shell.doubt()
            elif text[0] == "-":
                shell.modes |= {str(mode)}
            else:
                shell.modes -= {str(mode)}
    return [] if operands else words_of_its_own()


def shopt(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """It changes how words are expanded, or which command runs."""
    shell.doubt()
    return words_of_its_own()


def hash_(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    if any(str(word).startswith("-p") for word in operands):
        shell.doubt()
    return untold(shell)


def trap(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """What it runs in the end prints something, or does not."""
    if len(operands) < 2 or operands[0] in ("-", ""):
        return []
    prints_a_file = has_content(shell.fork().script(operands[0], None))
    shell.status = SUCCEEDED
    return [Stream(UNKNOWN)] if prints_a_file else []


def read(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    shell.take_stdin()
    return unset(shell, given, operands or ["REPLY"])


def unset(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """Let variables hold what nobody tells."""
    for word in operands:
        if isinstance(word, str):
            shell.variables[word.partition("[")[0]] = None
    return []


def mapfile(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    streams = shell.take_stdin()
    name = operands[0] if operands else "MAPFILE"
    if isinstance(name, str):
        shell.variables[name] = filtered(streams) if has_content(streams) else None
    return []


def exit_(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    shell.leaving = "exit"
    if operands:
        shell.status = SUCCEEDED if operands[0] == "0" else FAILED
    return []


def return_(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """Outside a function, and none is followed, it is an error: a sourced script ends there."""
    shell.doubt()
    return []


def leave_loop(name: str) -> "Builtin":
    """Return the builtin `break` or `continue`."""

    def leave_now(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
        if operands not in ([], ["1"]):  # more loops than this one
            shell.doubt()
        elif shell.loops:  # elsewhere it says that it is not in one, and the shell goes on
            shell.leaving = name
        return []

    return leave_now


def shift(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    before, shell.arguments = shell.arguments, None
    count = number(operands[0]) if operands else 1
    shell.status = UNTOLD
    if before is not None and not shell.is_in_doubt:
        shell.status = SUCCEEDED if count < len(before) else FAILED
        shell.arguments = [*before[:1], *before[1 + count :]] if count < len(before) else before
    return []


def let(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    shell.forget_names_in(" ".join(map(str, operands)))
    shell.status = UNTOLD
    return []


def source(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """A script that is read into this shell sets variables. That it leaves for another directory,
    as hardly one does, is not reckoned with: `. .env && cat a` is common.
    """
    shell.variables = dict.fromkeys(shell.variables)
    return words_of_its_own()


def true(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    shell.status = SUCCEEDED
    return []


def false(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    shell.status = FAILED
    return []


def remove(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`rm`, `truncate`: what they name is gone, or another file, for the rest of the line."""
    for word in operands:
        shell.note_written(word)
    return words_of_its_own()


def copy(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`cp`: its last operand becomes another file, or holds others by the names of the first."""
    *sources, target = operands or [None]
    if isinstance(target, str) and files.is_directory(shell.locate(target)):
        names = [str(word).rstrip("/").rpartition("/")[2] for word in sources]
        return remove(shell, given, [f"{target}/{name}" for name in names])
    return remove(shell, given, [target])


def move(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    copy(shell, given, operands)
    return remove(shell, given, operands[:-1])


_DECLARE = "+ *"

COMMANDS: "Builtins" = {
    ".": (source, None),
    ":": (true, None),
    "break": (leave_loop("break"), None),
    "continue": (leave_loop("continue"), None),
    "cp": (copy, "*"),
    "declare": (declare, _DECLARE),
    "exit": (exit_, None),
    "export": (declare, _DECLARE),
    "false": (false, None),
    "getopts": (unset, None),
    "hash": (hash_, None),
    "install": (copy, "* m: o: g: S: t:"),
    "let": (let, None),
    "ln": (copy, "*"),
    "mapfile": (mapfile, "t d: n: O: s: u: C: c:"),
    "mv": (move, "*"),
    "read": (read, "a: d: i: n: N: p: t: u: e r s"),
    "readarray": (mapfile, "t d: n: O: s: u: C: c:"),
    "readonly": (readonly, _DECLARE),
    "return": (return_, None),
    "rm": (remove, "*"),
    "rsync": (copy, "*"),
    "set": (set_, None),
    "shift": (shift, None),
    "shopt": (shopt, None),
    "source": (source, None),
    "trap": (trap, None),
    "true": (true, None),
    "truncate": (remove, "* s:size r:reference"),
    "typeset": (declare, _DECLARE),
    "unset": (unset, "f v n"),
}  # fmt: skip
