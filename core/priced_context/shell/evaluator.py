"""Nodes → streams: bash's language, followed without running it.

Every node of `syntax` is evaluated to the streams that it would write. What is not known (a
variable, a program's exit status) stays unknown to the end: a command is presumed to succeed,
and what runs only where it does not is unknown.
"""

from priced_context import files
from priced_context.records import KINDS, NONE, UNKNOWN, Intake
from priced_context.shell.commands import INTERPRETERS, READERS, unread
from priced_context.shell.scope import (
    FAILED,
    MAX_FILES,
    PRESUMED,
    SUCCEEDED,
    UNTOLD,
    NotUnderstood,
    Scope,
    options,
)
from priced_context.shell.streams import (
    ANEW,
    Stream,
    filtered,
    has_content,
    text_of,
    words_of_its_own,
)
from priced_context.shell.syntax import DECLARING, Unparsed, parse
from priced_context.words import words_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from priced_context.shell.scope import Value
    from priced_context.shell.syntax import Node, Redirect, Word

    Variable = Value | tuple[Value, ...]
    """What a variable holds; a tuple is an array."""

# Steps that one line may take, its loops unrolled: a word is one, and so are 16 characters of it.
# They cost at most 3 us each (benchmarks/bench_shell.py).
MAX_STEPS = 10_000

# A longer value of a variable is not kept: 40 doublings would fill any memory.
MAX_VALUE_CHARS = 65_536

# `bash -c` in `bash -c` is not followed.
MAX_LEVEL = 1


class Exhausted(Exception):  # noqa: N818 - an answer: too long to follow
    """The line takes more than MAX_STEPS steps."""


def intake_of_command(command: str, cwd: str, home: str) -> Intake:
    """Return what *command* would bring into the context. Never raises.

    Ranges that count from the end of a file stay so (`tail -n 50` begins at line -50), counts
    past it stay as asked. *cwd* and *home* are absolute, or "" where they are not known.
    """
    shell = Shell(cwd, home, words_in(command))
    try:
        streams = shell.evaluate(parse(command)) + shell.errors
    except (Unparsed, Exhausted):
        return Intake(UNKNOWN)
    kinds = {stream.kind for stream in streams}
    kind = next((kind for kind in KINDS if kind in kinds), NONE)
    return Intake(kind, [read for s in streams if s.kind == kind for read in s.reads])


class Shell(Scope):
    """One shell: its directory, its variables, and where its output goes."""

    __slots__ = (
        "arguments",
        "directories",
        "errors",
        "functions",
        "home",
        "is_in_doubt",
        "leaving",
        "level",
        "listings",
        "marked",
        "modes",
        "previous",
        "stays_in_doubt",
        "steps",
        "variables",
    )

    home: str
    """What `~` stands for, or ""."""
    variables: "dict[str, Variable]"
    functions: "set[str]"
    """Names that the line defines; what they do is not followed."""
    arguments: "list[Value] | None"
    """`$0`, `$1`, …; None at the top, where nobody knows them."""
    previous: str
    """`cd -`."""
    directories: "list[str]"
    """The stack of `pushd`."""
    errors: "list[Stream]"
    """What goes to standard error, which the context sees as well."""
    is_in_doubt: bool
    """Whether the commands only may run: then what they print is unknown."""
    stays_in_doubt: bool
    """Whether nothing ends the doubt, as nothing does behind a `set -n`."""
    modes: "frozenset[str]"
    """What `set -o` turned on, of errexit, nounset and pipefail."""
    marked: "set[str]"
    """Variables that are read-only, or change what they are given."""
    leaving: str
    """`exit`, `return`, `break` or `continue` on its way out; else ""."""
    level: int
    """How deep in scripts: `bash -c` and `eval` add one."""
    steps: "list[int]"
    """How many are left, for all shells of the line."""
    listings: "dict[str, list[str]]"
    """Directory → names, for all shells of the line."""

    def __init__(self, cwd: str, home: str, standing: "set[str]") -> None:
        self.cwd = cwd if cwd.startswith("/") else ""
        self.home = home
        self.standing = standing
        self.stdin = None
        self.has_piped_stdin = False
        self.status = SUCCEEDED
        self.pipes = {}
        self.written = set()
        self.variables = {}
        self.functions = set()
        self.arguments = None
        self.previous = ""
        self.directories = []
        self.errors = []
        self.is_in_doubt = False
        self.stays_in_doubt = False
        self.modes = frozenset()
        self.marked = set()
        self.leaving = ""
        self.level = 0
        self.steps = [MAX_STEPS]
        self.listings = {}

    def fork(self) -> "Shell":
        """Return a subshell: what it changes of itself stays its own."""
        self.step(len(self.variables) // 8)
        child = Shell(self.cwd, self.home, self.standing)
        for name in (*Scope.__slots__, *Shell.__slots__):
            setattr(child, name, getattr(self, name))
        child.variables = dict(self.variables)
        child.functions = set(self.functions)
        child.directories = list(self.directories)
        return child

    def step(self, count: int = 1) -> None:
        self.steps[0] -= count
        if self.steps[0] < 0:
            raise Exhausted

    # Nodes.

    def evaluate(self, node: "Node") -> "list[Stream]":
        """Return what *node* writes to standard output."""
        self.step()
        evaluator: Callable[..., list[Stream]] = EVALUATORS[node[0]]
        return evaluator(self, *node[1:])

    def evaluate_if(self, status: str, node: "Node") -> "list[Stream]":
        """Evaluate what runs only after a command of this *status*."""
        if status == FAILED:
            return []
        if status == SUCCEEDED:
            return self.evaluate(node)
        outside = self.is_in_doubt
        self.is_in_doubt |= status == UNTOLD
        streams = self.evaluate(node)
        self.is_in_doubt = outside or bool(self.leaving) or self.stays_in_doubt
        self.leaving = ""
        if status == UNTOLD:
            self.status = UNTOLD
        return streams

    def doubt(self) -> None:
        """Take whatever follows as something that only may run."""
        self.is_in_doubt = self.stays_in_doubt = True

    def run(self, words: "list[Value]") -> "list[Stream]":
        """Run a command; its name is the first word."""
        self.step(sum(1 + len(word) // 16 for word in words if isinstance(word, str)))
        if not words:
            return []
        self.status = PRESUMED
        try:
            streams = self._dispatch(words[0], words[1:])
        except NotUnderstood:
            self.status = UNTOLD
            streams = [Stream(UNKNOWN)]
        self.step(len(streams) // 4)
        if self.is_in_doubt:
            return [Stream(UNKNOWN) if stream.kind != NONE else stream for stream in streams]
        return streams

    def _dispatch(self, word: "Value", words: "list[Value]") -> "list[Stream]":
        if not isinstance(word, str) or word in self.functions:
            raise NotUnderstood
        name = _program(word)
        entry = READERS.get(name) or INTERPRETERS.get(name)
        if entry is None:
            from priced_context.shell.builtins import BUILTINS

            if name not in BUILTINS:
                return unread(self)
            builtin, spec = BUILTINS[name]
            return builtin(self, *(({}, words) if spec is None else options(words, spec)))
        if "--help" in words or "--version" in words:
            return words_of_its_own()
        if name in READERS and word.rpartition("/")[2] not in self.standing:
            raise NotUnderstood  # put together in a way that `may_read` does not see
        command, spec = entry
        return command(self, *(({}, words) if spec is None else options(words, spec)))

    def script(self, text: "Value", arguments: "list[Value] | None") -> "list[Stream]":
        """Evaluate *text* as another shell would, with *arguments* for `$0`, `$1`, …

        Without arguments it is `eval`, and the shell is this one.
        """
        if not isinstance(text, str) or self.level >= MAX_LEVEL:
            raise NotUnderstood
        self.step(len(text) // 8)
        child = self
        if arguments is not None:
            child = self.fork()
            child.variables, child.functions, child.arguments = {}, set(), arguments
            child.marked = set()
        child.level += 1
        try:
            return child.evaluate(parse(text))
        except Unparsed:
            raise NotUnderstood from None
        finally:
            child.level -= 1
            self.status = child.status

    def assign(self, name: str, value: "Variable") -> None:
        """Set a variable. `NAME+` is appended to, or an element of an array: nobody tells."""
        is_too_long = isinstance(value, str) and len(value) > MAX_VALUE_CHARS
        if name in self.marked or (name == "PATH" and value is not None):
            self.doubt()
        if name.endswith("+") or self.is_in_doubt or is_too_long:
            value = None
        self.variables[name.rstrip("+")] = value


def _program(word: str) -> str:
    """Return the name in the tables that *word* runs, `cat` for `/bin/cat`; "" for a script."""
    folder, slash, name = word.rpartition("/")
    if slash and not (folder.startswith("/") and folder.endswith("bin")):
        return ""
    if name.startswith("python") and not name[6:].strip("0123456789."):
        return "python"
    return name


# Evaluators, one for each kind of node.


def _list(shell: Shell, nodes: "list[Node]") -> "list[Stream]":
    output: list[Stream] = []
    for node in nodes:
        output += shell.evaluate(node)
        _exit_on_failure(shell, node)
        if shell.leaving:
            break
    return output


def _exit_on_failure(shell: Shell, node: "Node") -> None:
    """After *node*: with `set -e` a failure ends the shell."""
    is_failure = shell.status in (FAILED, UNTOLD) and node[0] != "not"
    if is_failure and "errexit" in shell.modes:
        shell.doubt()


# After a command of one status, what its negation has.
_NEGATED = {SUCCEEDED: FAILED, FAILED: SUCCEEDED, PRESUMED: UNTOLD, UNTOLD: UNTOLD}


def _chain(shell: Shell, links: "list[tuple[str, Node]]") -> "list[Stream]":
    output: list[Stream] = []
    for operator, node in links:
        status = {"": SUCCEEDED, "&&": shell.status, "||": _NEGATED[shell.status]}[operator]
        output += shell.evaluate_if(status, node)
        if shell.leaving:
            break
    return output


def _pipe(shell: Shell, nodes: "list[Node]") -> "list[Stream]":
    streams: list[Stream] = []
    failed = False
    for place, node in enumerate(nodes):
        child = shell.fork()
        if place:
            child.stdin, child.has_piped_stdin = streams, True
        streams = child.evaluate(node)
        failed |= child.status in (FAILED, UNTOLD)
    shell.status = UNTOLD if failed and "pipefail" in shell.modes else child.status
    return streams


def _not(shell: Shell, node: "Node") -> "list[Stream]":
    streams = shell.evaluate(node)
    shell.status = _NEGATED[shell.status]
    return streams


def _background(shell: Shell, node: "Node") -> "list[Stream]":
    streams = shell.fork().evaluate(node)
    shell.status = SUCCEEDED
    return streams


def _subshell(shell: Shell, node: "Node") -> "list[Stream]":
    child = shell.fork()
    streams = child.evaluate(node)
    shell.status = child.status
    return streams


def _if(
    shell: Shell, branches: "list[tuple[Node, Node]]", otherwise: "Node | None"
) -> "list[Stream]":
    output: list[Stream] = []
    before = SUCCEEDED  # what it takes to get here; UNTOLD once a branch may have been taken
    for condition, body in branches:
        output += shell.evaluate_if(before, condition)
        status = shell.status if before == SUCCEEDED else UNTOLD
        output += shell.evaluate_if(status, body)
        if status == SUCCEEDED:
            return output
        if status != FAILED:
            before = UNTOLD
    if otherwise:
        output += shell.evaluate_if(before, otherwise)
    elif before == SUCCEEDED:
        shell.status = SUCCEEDED
    return output


def _count(shell: Shell, text: str, body: "Node") -> "list[Stream]":
    """Evaluate `for ((i=0;i<3;i++))`, which runs once at least if its bounds say so."""
    first, _, rest = text.replace(" ", "").partition(";")
    name, _, start = first.partition("=")
    condition = rest.partition(";")[0]
    end = condition.removeprefix(name).removeprefix("<").removeprefix("=")
    is_told = name.isidentifier() and start.isdecimal() and end.isdecimal()
    is_told &= condition in (f"{name}<{end}", f"{name}<={end}") and len(start + end) < 30
    runs = is_told and int(start) < int(end)
    shell.variables[name] = None
    output = shell.evaluate_if(SUCCEEDED if runs else UNTOLD, body)
    _end_loop(shell)
    return output


def _while(shell: Shell, condition: "Node", body: "Node", is_until: bool) -> "list[Stream]":
    output = _reading_loop(shell, condition, body)
    if output is not None:
        return output
    output = shell.evaluate(condition)
    status = _NEGATED[shell.status] if is_until else shell.status
    output += shell.evaluate_if(status, body)
    _end_loop(shell)
    shell.status = SUCCEEDED if status == FAILED else PRESUMED
    return output


def _reading_loop(shell: Shell, condition: "Node", body: "Node") -> "list[Stream] | None":
    """Evaluate `while read -r line; do …; done`; None if the condition is another."""
    if condition[0] == "chain":  # read -r line || [ -n "$line" ]
        condition = condition[1][0][1]
    if condition[0] != "simple" or condition[2][:1] != ["read"]:
        return None
    words = [word for word in condition[2][1:] if word != "-r"]
    names = [word for word in words if isinstance(word, str) and word.isidentifier()]
    is_whole_line = len(words) == len(names) <= 1
    streams = shell.take_stdin()
    lines = text_of(streams)
    values: list[Value] = [None]
    if has_content(streams):
        is_echo = body[0] == "simple" and body[2][:1] in (["echo"], ["printf"])
        keeps_lines = is_echo and is_whole_line and all(s.order != ANEW for s in streams)
        values = [streams if keeps_lines else filtered(streams)]
    elif lines is not None and is_whole_line and lines.count("\n") <= MAX_FILES:
        values = [*lines.splitlines()]
    return _unrolled(shell, names, values, body)


def _for(shell: Shell, name: str, words: "list[Word]", body: "Node") -> "list[Stream]":
    values = [value for word in words for value in _fields(shell, word)]
    if len(values) > MAX_FILES:
        values = [None]
    values = [filtered(value) if isinstance(value, list) else value for value in values]
    return _unrolled(shell, [name], values, body)


def _unrolled(
    shell: Shell, names: "list[str]", values: "list[Value]", body: "Node"
) -> "list[Stream]":
    """Evaluate *body* with each of *values* for the variables *names*."""
    output: list[Stream] = []
    shell.status = SUCCEEDED
    for value in values:
        shell.variables.update(dict.fromkeys(names, value))
        output += shell.evaluate(body)
        _exit_on_failure(shell, body)
        if _end_loop(shell):
            break
    return output


def _end_loop(shell: Shell) -> bool:
    """Return whether the loop ends here, by `break` or by what leaves more than the loop."""
    is_over = shell.leaving not in ("", "continue")
    if shell.leaving in ("break", "continue"):
        shell.leaving = ""
    return is_over


def _fields(shell: Shell, word: "Word") -> "list[Value]":
    """Expand a word as an argument; most stand for themselves and need no expansion loaded."""
    if isinstance(word, str):
        return [word]
    from priced_context.shell.expansion import expand_fields

    return expand_fields(shell, word)


def _text(shell: Shell, word: "Word") -> "Value":
    """Expand a word where it stays one."""
    if isinstance(word, str):
        return word
    from priced_context.shell.expansion import expand_text

    return expand_text(shell, word)


def _case(shell: Shell, word: "Word", branches: "list[tuple[list[Word], Node]]") -> "list[Stream]":
    subject = _text(shell, word)
    output: list[Stream] = []
    before = SUCCEEDED
    shell.status = SUCCEEDED
    for patterns, body in branches:
        matches = [_case_matches(shell, subject, pattern) for pattern in patterns]
        if True in matches:
            return output + shell.evaluate_if(before, body)
        if None in matches:
            before = UNTOLD
            output += shell.evaluate_if(UNTOLD, body)
    return output


def _case_matches(shell: Shell, subject: "Value", pattern: "Word") -> bool | None:
    if pattern == ["*"]:
        return True
    if not isinstance(subject, str):
        return None
    if isinstance(pattern, str):
        return pattern == subject
    from priced_context.shell.expansion import MAX_PATTERN, escaped, fits

    pieces = []
    for part in pattern:
        if isinstance(part, str):
            pieces.append(part)
        elif part[0] == "'":
            pieces.append(escaped(part[1]))
        else:
            return None
    glob = "".join(pieces)
    return None if "[:" in glob or len(glob) > MAX_PATTERN else fits(glob, subject)


def _function(shell: Shell, name: str) -> "list[Stream]":
    shell.functions.add(name)
    shell.status = SUCCEEDED
    return []


def _test(shell: Shell, words: "list[Word]") -> "list[Stream]":
    """`[[ … ]]`: conditions joined by `&&`; other operators are not followed."""
    from priced_context.shell.builtins import ask

    has_pattern = any(isinstance(word, list) and not isinstance(word[0], tuple) for word in words)
    conditions: list[list[Value]] = [[]]
    for word in words:
        if word == "&":
            conditions.append([])
        else:
            conditions[-1].append(_text(shell, word))
    for condition in conditions:
        if condition:
            ask(shell, condition)
            if shell.status != SUCCEEDED:
                break
    if has_pattern or not {"|", "(", "<", ">"}.isdisjoint(w for w in words if isinstance(w, str)):
        shell.status = UNTOLD
    return []


def _arithmetic(shell: Shell) -> "list[Stream]":
    shell.status = UNTOLD
    return []


def _simple(
    shell: Shell, assignments: "list[tuple[str, Word | tuple[Word, ...]]]", words: "list[Word]"
) -> "list[Stream]":
    values = [value for word in words for value in _fields(shell, word)]
    if values:
        is_found_elsewhere = any(name == "PATH" for name, _ in assignments)
        streams = shell.run([None] if is_found_elsewhere else values)
        if words[0] not in DECLARING:
            return streams
    else:
        streams = []
        shell.status = SUCCEEDED
    for name, word in assignments:
        if isinstance(word, tuple):
            array = tuple(value for part in word for value in _fields(shell, part))
            shell.assign(name, array)
        else:
            shell.assign(name, _text(shell, word))
    return streams


# Redirections. Where a command's output goes: on, to standard error, away, or into the unknown.

_OUT, _ERR, _AWAY, _ELSEWHERE = "out", "err", "away", "elsewhere"


def _redirected(shell: Shell, node: "Node", redirects: "list[Redirect]") -> "list[Stream]":
    stdin, has_piped_stdin, errors = shell.stdin, shell.has_piped_stdin, shell.errors
    targets = {1: _OUT, 2: _ERR}
    for redirect in redirects:
        _redirect(shell, targets, *redirect)
        if shell.status == FAILED:
            break
    if targets[2] != _ERR:
        shell.errors = []
    streams = shell.evaluate(node) if shell.status != FAILED else []
    captured = shell.errors if targets[2] != _ERR else []
    shell.errors = errors
    if node == ("simple", [], ["exec"]):  # from here on
        if targets[1] != _OUT:
            shell.doubt()
    else:
        shell.stdin, shell.has_piped_stdin = stdin, has_piped_stdin
    output: list[Stream] = []
    for written, target in ((streams, targets[1]), (captured, targets[2])):
        if target == _OUT:
            output += written
        elif target == _ERR:
            errors += written
        elif target == _ELSEWHERE and has_content(written):
            output.append(Stream(UNKNOWN))
    return output


def _redirect(
    shell: Shell, targets: "dict[int, str]", fd: int, operator: str, word: "Word"
) -> None:
    """Follow one redirection. `status` turns FAILED if the command will not run."""
    if operator in ("<<", "<<<"):
        _redirect_text(shell, _text(shell, word), "\n" if operator == "<<<" else "")
        shell.status = SUCCEEDED
        return
    values = _fields(shell, word)
    shell.status = SUCCEEDED
    if len(values) != 1:  # bash: ambiguous redirect
        shell.status = FAILED
    elif operator[0] == "<":
        _redirect_input(shell, fd, operator, values[0])
    else:
        _redirect_output(shell, targets, fd, operator, values[0])


def _redirect_text(shell: Shell, value: "Value", end: str) -> None:
    shell.has_piped_stdin = False
    if isinstance(value, list):
        shell.stdin = value
    else:
        shell.stdin = [Stream(text=None if value is None else value + end)]


def _redirect_input(shell: Shell, fd: int, operator: str, value: "Value") -> None:
    if fd != 0:
        return
    shell.has_piped_stdin = False
    if operator == "<&":
        shell.stdin = [] if value == "-" else [Stream(UNKNOWN)]
    else:
        shell.stdin = shell.open(value)
        if shell.status == FAILED and files.is_directory(shell.locate(value)):
            shell.status = SUCCEEDED  # opened, and then it gives nothing


def _redirect_output(
    shell: Shell, targets: "dict[int, str]", fd: int, operator: str, value: "Value"
) -> None:
    name = value if isinstance(value, str) else ""
    target = _AWAY
    is_duplicate = operator == ">&" and (name.isdecimal() or name == "-")
    if is_duplicate:
        target = _AWAY if name == "-" else targets.get(int(name[:9]), _ELSEWHERE)
    elif name in ("/dev/stdout", "/dev/fd/1"):
        target = targets[1]
    elif name in ("/dev/stderr", "/dev/fd/2"):
        target = targets[2]
    elif name in shell.pipes:
        target = _ELSEWHERE
    elif not operator.endswith(">>"):
        shell.note_written(name)
    targets[fd] = target
    if "&" in operator and not is_duplicate:
        targets[2] = target


EVALUATORS: "dict[str, Callable[..., list[Stream]]]" = {
    "arithmetic": _arithmetic,
    "background": _background,
    "case": _case,
    "chain": _chain,
    "count": _count,
    "for": _for,
    "function": _function,
    "if": _if,
    "list": _list,
    "not": _not,
    "pipe": _pipe,
    "redirected": _redirected,
    "simple": _simple,
    "subshell": _subshell,
    "test": _test,
    "while": _while,
}
