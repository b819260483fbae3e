"""Commands that run other commands."""

from priced_context.records import NONE
from priced_context.shell.scope import (
    FAILED,
    MAX_FILES,
    UNTOLD,
    NotUnderstood,
    is_assignment,
    last,
    number,
    unread,
    untold,
)
from priced_context.shell.streams import (
    ONE_LINE,
    Stream,
    filtered,
    has_content,
    joined,
    laid_out_anew,
    text_of,
    words_of_its_own,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.evaluator import Builtins, Shell
    from priced_context.shell.scope import Given, Value


# What only a shell can run; a wrapper finds no program of that name.
_NO_PROGRAMS = (":", "cd", "declare", "eval", "exec", "exit", "export", "popd", "pushd", "return")


def wrapper(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    if operands and operands[0] in _NO_PROGRAMS:
        shell.status = FAILED
        return words_of_its_own()
    return shell.run(operands)


def command(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    return untold(shell) if "v" in given or "V" in given else shell.run(operands)


def builtin(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    if operands and operands[0] in (*_NO_PROGRAMS, "echo", "printf"):
        return shell.run(operands)
    return untold(shell)


def timeout(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    streams = wrapper(shell, given, operands[1:])
    if operands and str(operands[0]).startswith(("0.", ".")):  # nobody tells what is over by then
        shell.status = UNTOLD
    return streams


def env(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`env` and `sudo`: assignments before the command, and another directory."""
    if "S" in given:
        raise NotUnderstood
    start = 0
    while start < len(operands) and (operands[start] == "-" or is_assignment(operands[start])):
        start += 1
    if any(str(word).startswith("PATH=") for word in operands[:start]):
        raise NotUnderstood
    outside = shell.cwd
    if "C" in given or "D" in given:
        shell.cwd = shell.resolve(last(given, "C", "D"))
    try:
        return wrapper(shell, given, operands[start:]) or words_of_its_own()
    finally:
        shell.cwd = outside


def exec_(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    streams = shell.run(operands)
    if operands:
        shell.leaving = "exit"
    return streams


def eval_(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    texts = [word for word in operands if isinstance(word, str)]
    if len(texts) < len(operands):
        raise NotUnderstood
    return shell.script(" ".join(texts), None)


def bash(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`bash -c TEXT NAME ARGUMENT…`, or a script on standard input. A script file is not read."""
    from priced_context.shell.state import FOLLOWED, MODES

    modes = {MODES.get(name, name) for name in given} - {"c", "l", "login", "s", "i", ""}
    modes |= {str(mode) for mode in given.get("o", [])}
    if not modes.issubset({*FOLLOWED, "norc", "noprofile", "posix"}):
        raise NotUnderstood
    outside = shell.modes
    shell.modes = frozenset(modes)
    try:
        return _script(shell, given, operands)
    finally:
        shell.modes = outside


def _script(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    if "c" in given:
        return shell.script(operands[0] if operands else "", operands[1:])
    if operands and "s" not in given and operands[0] != "-":
        return unread(shell)
    streams = shell.take_stdin()
    if has_content(streams):
        raise NotUnderstood
    return shell.script(text_of(streams), ["", *operands])


def xargs(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    if "p" in given:
        raise NotUnderstood
    streams = words_of_its_own() if "a" in given else shell.take_stdin()
    shell.stdin = []
    if not operands:
        return laid_out_anew(streams, order=ONE_LINE)
    is_filling = "I" in given or "i" in given
    arguments = _arguments(given, streams, is_filling=is_filling)
    if is_filling:
        mark = str(last(given, "I", "i") or "{}")
        runs = [[_filled(word, mark, argument) for word in operands] for argument in arguments]
    elif "n" in given or "L" in given:
        size = max(number(last(given, "n", "L")), 1)
        starts = range(0, len(arguments), size)
        runs = [operands + arguments[start : start + size] for start in starts]
    else:
        runs = [operands + arguments]
    if len(runs) > MAX_FILES:
        raise NotUnderstood
    if "r" in given and not any(argument != "" for argument in arguments):
        return []
    outside = shell.is_in_doubt
    shell.is_in_doubt |= "r" in given and None in arguments
    try:
        return joined(shell.run(words) for words in runs)
    finally:
        shell.is_in_doubt = outside or shell.stays_in_doubt


def _arguments(given: "Given", streams: "list[Stream]", *, is_filling: bool) -> "list[Value]":
    """Return the words that xargs makes of its input."""
    content = [stream for stream in streams if stream.kind != NONE]
    text = text_of(streams)
    if content:
        return [filtered(content) if "n" in given or "L" in given else laid_out_anew(content)]
    if text is None:
        return [None]
    if "0" in given:
        return [*text.removesuffix("\0").split("\0")]
    if "d" in given:
        delimiter = str(last(given, "d")).replace("\\n", "\n")
        return [*text.removesuffix("\n").split(delimiter or None)]
    if any(char in text for char in "'\"\\"):
        raise NotUnderstood
    return [*(text.splitlines() if is_filling else text.split())]


def _filled(word: "Value", mark: str, argument: "Value") -> "Value":
    if not isinstance(word, str) or mark not in word:
        return word
    return word.replace(mark, argument) if isinstance(argument, str) else argument


_BASH = "+ * c o: O: rcfile: init-file:"

COMMANDS: "Builtins" = {
    "bash": (bash, _BASH),
    "builtin": (builtin, None),
    "command": (command, "+ p v V"),
    "dash": (bash, _BASH),
    "doas": (env, "+ u: n s L"),
    "env": (env, "+ i=ignore-environment u:unset C:chdir S:split-string v=debug 0=null"),
    "eval": (eval_, None),
    "exec": (exec_, "+ a: c l"),
    "ionice": (wrapper, "+ c:class n:classdata p: t=ignore"),
    "ksh": (bash, _BASH),
    "nice": (wrapper, "+ # n:adjustment"),
    "nohup": (wrapper, "+"),
    "setsid": (wrapper, "+ c=ctty f=fork w=wait"),
    "sh": (bash, _BASH),
    "stdbuf": (wrapper, "+ i:input o:output e:error"),
    "sudo": (env, "+ * u:user g:group p:prompt D:chdir h:host r:role t:type T: U:"),
    "time": (wrapper, "+ * f:format o:output"),
    "timeout": (timeout, "+ s:signal k:kill-after v=verbose preserve-status foreground f p"),
    "xargs": (xargs, "+ 0=null a:arg-file d:delimiter E: I: i?replace L: l? n:max-args "
              "P:max-procs J: R: S: r=no-run-if-empty s:max-chars t=verbose p=interactive "
              "x=exit o=open-tty"),
    "zsh": (bash, _BASH),
}  # fmt: skip
