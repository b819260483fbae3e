"""What reads no file by itself: it changes the shell, runs another command, or hands text on."""

from priced_context import files
from priced_context.records import NONE, UNKNOWN
from priced_context.shell.scope import (
    FAILED,
    MAX_FILES,
    SUCCEEDED,
    UNTOLD,
    NotUnderstood,
    is_assignment,
    known,
    last,
    number,
    unread,
)
from priced_context.shell.streams import (
    ONE_LINE,
    Stream,
    edited,
    filtered,
    has_content,
    joined,
    laid_out_anew,
    text_of,
    words_of_its_own,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from priced_context.shell.evaluator import Shell
    from priced_context.shell.scope import Given, Value

    Builtin = Callable[[Shell, Given, list[Value]], list[Stream]]

# The shell's directory, variables and flow.


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
_MODES = {"e": "errexit", "u": "nounset", "o": "", "x": "xtrace", "v": "verbose"}
_FOLLOWED = ("errexit", "nounset", "pipefail", "xtrace")


def set_(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`set -e` and its like. A mode that is not followed puts all that comes in doubt."""
    shell.status = SUCCEEDED
    words = iter(operands)
    for word in words:
        text = word if isinstance(word, str) else ""
        if text == "--" or text[:1] not in ("-", "+"):
            rest = [*words] if text == "--" else [word, *words]
            shell.arguments = [None, *rest]
            break
        for letter in text[1:]:
            mode = next(words, None) if letter == "o" else _MODES.get(letter)
            if mode not in _FOLLOWED:
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
    return question(shell, given, operands)


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


def builtin(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    if operands and operands[0] in (*_NO_PROGRAMS, "echo", "printf"):
        return shell.run(operands)
    return question(shell, given, [])


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


# Conditions.


def bracket(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`test` and `[`."""
    ask(shell, operands[:-1] if operands[-1:] == ["]"] else operands)
    return []


def ask(shell: "Shell", words: "list[Value]") -> None:
    """Set the status that `test` has for *words*."""
    shell.status = {True: SUCCEEDED, False: FAILED, None: UNTOLD}[truth(shell, words)]


def question(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`which`, `cmp`: asked for their status."""
    shell.status = UNTOLD
    return words_of_its_own()


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


# Commands that run other commands.


# What only a shell can run; a wrapper finds no program of that name.
_NO_PROGRAMS = (":", "cd", "declare", "eval", "exec", "exit", "export", "popd", "pushd", "return")


def wrapper(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    if operands and operands[0] in _NO_PROGRAMS:
        shell.status = FAILED
        return words_of_its_own()
    return shell.run(operands)


def command(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    return question(shell, given, []) if "v" in given or "V" in given else shell.run(operands)


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
    modes = {_MODES.get(name, name) for name in given} - {"c", "l", "login", "s", "i", ""}
    modes |= {str(mode) for mode in given.get("o", [])}
    if not modes.issubset({*_FOLLOWED, "norc", "noprofile", "posix"}):
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


# Commands that print their own words, or swallow what others print.


def echo(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    shell.status = SUCCEEDED
    start = 0
    while start < len(operands) and operands[start] in ("-n", "-e", "-E", "-ne", "-en"):
        start += 1
    flags = "".join(map(str, operands[:start]))
    words = operands[start:]
    content = [stream for word in words if isinstance(word, list) for stream in word]
    if content:
        return content
    texts = [word for word in words if isinstance(word, str)]
    text = " ".join(texts) + ("" if "n" in flags else "\n")
    is_told = len(texts) == len(words) and not ("e" in flags and "\\" in text)
    return [Stream(text=text)] if is_told else words_of_its_own()


def printf(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    shell.status = SUCCEEDED
    if operands[:1] == ["-v"]:
        return unset(shell, given, operands[1:2])
    layout = operands[0] if operands else ""
    content = [stream for word in operands if isinstance(word, list) for stream in word]
    is_plain = isinstance(layout, str) and "%" not in layout.replace("%s", "").replace("%b", "")
    if content:
        return edited(content) if is_plain else filtered(content)
    texts = [word for word in operands[1:] if isinstance(word, str)]
    if not is_plain or len(texts) + 1 < len(operands):
        return words_of_its_own()
    text = str(layout).replace("\\n", "\n").replace("\\0", "\0")
    slots = text.count("%s")
    if "\\" in text or "%b" in text or (texts and not slots):
        return words_of_its_own()
    rounds = -(-len(texts) // slots) if texts else 1
    shell.step(len(text) * rounds // 16)
    pieces = (text * rounds).split("%s")
    texts += [""] * (len(pieces) - 1 - len(texts))
    filled = [word + piece for word, piece in zip(texts, pieces[1:], strict=True)]
    return [Stream(text=pieces[0] + "".join(filled))]


def tr(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    sets = [known(word) for word in operands]
    deleted = sets[0] if sets and "d" in given else ""
    if "c" in given or "C" in given or "-" in deleted or ":" in deleted:
        return filtered(shell.take_stdin())
    newlines = ("\n", "\\n", "\\0", "[:space:]", "[:cntrl:]")
    takes, gives = ([newline in text for newline in newlines] for text in (*sets, "", "")[:2])
    if True in takes:
        return laid_out_anew(shell.take_stdin(), order=ONE_LINE)
    return laid_out_anew(shell.take_stdin()) if True in gives else edited(shell.take_stdin())


def tee(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    streams = shell.take_stdin()
    for word in operands:
        shell.note_written(word)
        is_device = str(word).startswith("/dev/") and word not in shell.pipes
        if is_device and word != "/dev/null" and has_content(streams):
            shell.errors.append(Stream(UNKNOWN))
    return streams


def digest(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`wc`, `md5sum`: a short line a file."""
    shell.open_each(operands)  # for its status
    return words_of_its_own()


def sink(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`pbcopy`, `split`: read everything, print little."""
    return words_of_its_own()


_BASH = "+ * c o: O: rcfile: init-file:"
_PATHS = "P L e @ n"
_DECLARE = "+ *"

BUILTINS: "dict[str, tuple[Builtin, str | None]]" = {
    ".": (source, None),
    ":": (true, None),
    "[": (bracket, None),
    "bash": (bash, _BASH),
    "break": (leave_loop("break"), None),
    "builtin": (builtin, None),
    "cd": (cd, _PATHS),
    "command": (command, "+ p v V"),
    "continue": (leave_loop("continue"), None),
    "cp": (copy, "*"),
    "dash": (bash, _BASH),
    "declare": (declare, _DECLARE),
    "doas": (env, "+ u: n s L"),
    "echo": (echo, None),
    "env": (env, "+ i=ignore-environment u:unset C:chdir S:split-string v=debug 0=null"),
    "eval": (eval_, None),
    "exec": (exec_, "+ a: c l"),
    "exit": (exit_, None),
    "export": (declare, _DECLARE),
    "false": (false, None),
    "getopts": (unset, None),
    "hash": (hash_, None),
    "install": (copy, "* m: o: g: S: t:"),
    "ionice": (wrapper, "+ c:class n:classdata p: t=ignore"),
    "ksh": (bash, _BASH),
    "let": (let, None),
    "ln": (copy, "*"),
    "mapfile": (mapfile, "t d: n: O: s: u: C: c:"),
    "mv": (move, "*"),
    "nice": (wrapper, "+ # n:adjustment"),
    "nohup": (wrapper, "+"),
    "popd": (popd, _PATHS),
    "printf": (printf, None),
    "pushd": (pushd, _PATHS),
    "pwd": (pwd, _PATHS),
    "read": (read, "a: d: i: n: N: p: t: u: e r s"),
    "readarray": (mapfile, "t d: n: O: s: u: C: c:"),
    "readonly": (readonly, _DECLARE),
    "return": (return_, None),
    "rm": (remove, "*"),
    "rsync": (copy, "*"),
    "set": (set_, None),
    "setsid": (wrapper, "+ c=ctty f=fork w=wait"),
    "sh": (bash, _BASH),
    "shift": (shift, None),
    "shopt": (shopt, None),
    "source": (source, None),
    "stdbuf": (wrapper, "+ i:input o:output e:error"),
    "sudo": (env, "+ * u:user g:group p:prompt D:chdir h:host r:role t:type T: U:"),
    "tee": (tee, "a=append i=ignore-interrupts p output-error?"),
    "test": (bracket, None),
    "time": (wrapper, "+ * f:format o:output"),
    "timeout": (timeout, "+ s:signal k:kill-after v=verbose preserve-status foreground f p"),
    "tr": (tr, "+ c=complement C d=delete s=squeeze-repeats t=truncate-set1"),
    "trap": (trap, None),
    "true": (true, None),
    "truncate": (remove, "* s:size r:reference"),
    "typeset": (declare, _DECLARE),
    "unset": (unset, "f v n"),
    "xargs": (xargs, "+ 0=null a:arg-file d:delimiter E: I: i?replace L: l? n:max-args "
              "P:max-procs J: R: S: r=no-run-if-empty s:max-chars t=verbose p=interactive "
              "x=exit o=open-tty"),
    "zsh": (bash, _BASH),
    **dict.fromkeys(
        "b2sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum sum wc".split(),
        (digest, "* a:algorithm"),
    ),
    **dict.fromkeys("csplit pbcopy split sponge wl-copy xclip xsel".split(), (sink, None)),
    **dict.fromkeys("cmp pgrep type which".split(), (question, None)),
}  # fmt: skip
"""Each with its options, as in a `scope.Table`."""
