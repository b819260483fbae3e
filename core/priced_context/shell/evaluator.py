"""Nodes → streams: bash's language, followed without running it.

Every node of `syntax` is evaluated to the streams that it would write. What is not known (a
variable, a program's exit status) stays unknown to the end: a command is presumed to succeed,
and what runs only where it does not is unknown.
"""

from priced_context import files
from priced_context.records import KINDS, NONE, UNKNOWN, Intake
from priced_context.shell.scope import (
    FAILED,
    PRESUMED,
    SUCCEEDED,
    UNTOLD,
    NotUnderstood,
    Scope,
    options,
    unread,
)
from priced_context.shell.streams import Stream, has_content, words_of_its_own
from priced_context.words import DECLARING, FAMILIES, FRONT_ENDS, words_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from priced_context.shell.scope import Given, Table, Value
    from priced_context.shell.syntax import Node, Redirect, Word

    Builtin = Callable[["Shell", Given, list[Value]], list[Stream]]
    Builtins = dict[str, tuple[Builtin, str | None]]
    """As a `scope.Table`, of commands that take the shell itself."""
    Variable = Value | tuple[Value, ...]
    """What a variable holds; a tuple is an array."""

# Steps that one line may take, its loops unrolled: a word is one, and so are 16 characters of it.
# A line that takes them all costs 16 ms (benchmarks/bench_shell.py).
MAX_STEPS = 10_000

# A longer value of a variable is not kept: 40 doublings would fill any memory.
MAX_VALUE_CHARS = 65_536

# `bash -c` in `bash -c` is not followed.
MAX_LEVEL = 1

# The commands that print no file by themselves, by the module that knows them.
BUILTINS = {
    "directories": frozenset({"cd", "popd", "pushd", "pwd"}),
    "conditions": frozenset("[ cmp pgrep test type which".split()),
    "texts": frozenset(
        """
        echo printf tee tr b2sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum
        shasum sum wc csplit pbcopy split sponge wl-copy xclip xsel
        """.split()
    ),
    "wrappers": frozenset(
        """
        bash builtin command dash doas env eval exec ionice ksh nice nohup setsid sh stdbuf sudo
        time timeout xargs zsh
        """.split()
    ),
    "state": frozenset(
        """
        . : break continue cp declare exit export false getopts hash install let ln mapfile mv
        read readarray readonly return rm rsync set shift shopt source trap true truncate typeset
        unset
        """.split()
    ),
}

# Letters that mean themselves to a shell wherever they stand.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:@%+- ")


class Exhausted(Exception):  # noqa: N818 - an answer: too long to follow
    """The line takes more than MAX_STEPS steps."""


def intake_of_command(command: str, cwd: str, home: str) -> Intake:
    """Return what *command* would bring into the context. Never raises.

    Ranges that count from the end of a file stay so (`tail -n 50` begins at line -50), counts
    past it stay as asked. *cwd* and *home* are absolute, or "" where they are not known.
    """
    shell = Shell(cwd, home, words_in(command))
    try:
        streams = shell.evaluate(node_of(command)) + shell.errors
    except (NotUnderstood, Exhausted):
        return Intake(UNKNOWN)
    kinds = {stream.kind for stream in streams}
    kind = next((kind for kind in KINDS if kind in kinds), NONE)
    return Intake(kind, [read for s in streams if s.kind == kind for read in s.reads])


def node_of(text: str) -> "Node":
    """Return the node of a whole command line; a plain one is read without the grammar.

    Raises:
        NotUnderstood: it is no shell text, or deeper or longer than what is followed.
    """
    if _PLAIN.issuperset(text):
        words = text.split()
        if words and family_of(
            _program(words[0]), FAMILIES
        ):  # no word of the language, as `if` is one
            return ("simple", [], words)
    from priced_context.shell.syntax import Unparsed, parse

    try:
        return parse(text)
    except Unparsed:
        raise NotUnderstood from None


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
        "loops",
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
    """`exit`, `break` or `continue` on its way out; else ""."""
    level: int
    """How deep in scripts: `bash -c` and `eval` add one."""
    steps: "list[int]"
    """How many are left, for all shells of the line."""
    loops: int
    """How deep in loops."""
    listings: "dict[str, list[str]]"
    """Directory → names, for all shells of the line."""

    def __init__(self, cwd: str, home: str, words_there: "set[str]") -> None:
        self.cwd = cwd if cwd.startswith("/") else ""
        self.home = home
        self.words_there = words_there
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
        self.loops = 0
        self.steps = [MAX_STEPS]
        self.listings = {}

    def fork(self) -> "Shell":
        """Return a subshell: what it changes of itself stays its own."""
        self.step(len(self.variables) // 8)
        child = Shell(self.cwd, self.home, self.words_there)
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
        evaluator = EVALUATORS.get(node[0])
        if evaluator is None:
            from priced_context.shell.control import CONTROLS

            evaluator = CONTROLS[node[0]]
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

    def doubt_after_failure(self, node: "Node") -> None:
        """After *node*: with `set -e` a failure ends the shell."""
        is_failure = self.status in (FAILED, UNTOLD) and node[0] != "not"
        if is_failure and "errexit" in self.modes:
            self.doubt()

    # Words. Most stand for themselves and need no expansion loaded.

    def fields(self, word: "Word") -> "list[Value]":
        """Expand a word as an argument, to any number of them."""
        if isinstance(word, str):
            return [word]
        from priced_context.shell.expansion import expand_fields

        return expand_fields(self, word)

    def text(self, word: "Word") -> "Value":
        """Expand a word where it stays one."""
        if isinstance(word, str):
            return word
        from priced_context.shell.expansion import expand_text

        return expand_text(self, word)

    # Commands.

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
        if not isinstance(word, str):
            raise NotUnderstood
        if word in self.functions:
            self.variables = dict.fromkeys(self.variables)  # it may set any of them
            raise NotUnderstood
        name = _program(word)
        family = family_of(name, FAMILIES)
        if not family:
            return self._dispatch_builtin(name, words)
        flags = words[: words.index("--")] if "--" in words else words
        if "--help" in flags or "--version" in flags:
            return words_of_its_own()
        if name not in FRONT_ENDS and word.rpartition("/")[2] not in self.words_there:
            raise NotUnderstood  # put together in a way that `may_read` does not see
        command, spec = table_of(family)[name]
        return command(self, *options(words, spec))

    def _dispatch_builtin(self, name: str, words: "list[Value]") -> "list[Stream]":
        family = family_of(name, BUILTINS)
        if not family:
            return unread(self)
        builtin, spec = builtins_of(family)[name]
        return builtin(self, *options(words, spec))

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
            return child.evaluate(node_of(text))
        finally:
            child.level -= 1
            self.status = child.status

    def forget_names_in(self, text: str) -> None:
        """Let every variable that *text* names hold what nobody tells: arithmetic may set it."""
        blanked = "".join([char if char.isalnum() or char == "_" else " " for char in text])
        self.variables.update(dict.fromkeys(self.variables.keys() & set(blanked.split())))

    def assign(self, name: str, value: "Variable") -> None:
        """Set a variable. `NAME+` is appended to, or an element of an array: nobody tells."""
        is_too_long = isinstance(value, str) and len(value) > MAX_VALUE_CHARS
        if name in self.marked or (name == "PATH" and value is not None):
            self.doubt()
        if name.endswith("+") or self.is_in_doubt or is_too_long:
            value = None
        self.variables[name.rstrip("+")] = value


def family_of(name: str, families: "dict[str, frozenset[str]]") -> str:
    """Return the one of *families* that a command belongs to, or ""."""
    return next((family for family, names in families.items() if name in names), "")


def table_of(family: str) -> "Table":
    """Import the commands of one of `words.FAMILIES`; a line seldom needs a second table."""
    match family:
        case "copies":
            from priced_context.shell.copies import READERS
        case "filters":
            from priced_context.shell.filters import READERS
        case "searches":
            from priced_context.shell.searches import READERS
        case "languages":
            from priced_context.shell.languages import READERS
        case "git":
            from priced_context.shell.git import READERS
        case _:
            raise LookupError(family)
    return READERS


def builtins_of(family: str) -> "Builtins":
    """Import the commands of one of BUILTINS."""
    match family:
        case "directories":
            from priced_context.shell.directories import COMMANDS
        case "conditions":
            from priced_context.shell.conditions import COMMANDS
        case "texts":
            from priced_context.shell.texts import COMMANDS
        case "wrappers":
            from priced_context.shell.wrappers import COMMANDS
        case "state":
            from priced_context.shell.state import COMMANDS
        case _:
            raise LookupError(family)
    return COMMANDS


def _program(word: str) -> str:
    """Return the name in the tables that *word* runs, `cat` for `/bin/cat`; "" for a script."""
    folder, slash, name = word.rpartition("/")
    if slash and not (folder.startswith("/") and folder.endswith("bin")):
        return ""
    if name.startswith("python") and not name[6:].strip("0123456789."):
        return "python"
    return name


# Evaluators, one for each kind of node; those of `if`, loops and `case` stand in `control`.


def _list(shell: Shell, nodes: "list[Node]") -> "list[Stream]":
    output: list[Stream] = []
    for node in nodes:
        output += shell.evaluate(node)
        shell.doubt_after_failure(node)
        if shell.leaving:
            break
    return output


# After a command of one status, what its negation has.
NEGATED = {SUCCEEDED: FAILED, FAILED: SUCCEEDED, PRESUMED: UNTOLD, UNTOLD: UNTOLD}


def _chain(shell: Shell, links: "list[tuple[str, Node]]") -> "list[Stream]":
    output: list[Stream] = []
    for operator, node in links:
        status = {"": SUCCEEDED, "&&": shell.status, "||": NEGATED[shell.status]}[operator]
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
    shell.status = NEGATED[shell.status]
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


def _simple(
    shell: Shell, assignments: "list[tuple[str, Word | tuple[Word, ...]]]", words: "list[Word]"
) -> "list[Stream]":
    values = [value for word in words for value in shell.fields(word)]
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
            array = tuple(value for part in word for value in shell.fields(part))
            shell.assign(name, array)
        else:
            shell.assign(name, shell.text(word))
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
        _redirect_text(shell, shell.text(word), "\n" if operator == "<<<" else "")
        shell.status = SUCCEEDED
        return
    values = shell.fields(word)
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
    elif name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        target = targets[1]
    elif name in ("/dev/stderr", "/dev/fd/2", "/proc/self/fd/2"):
        target = targets[2]
    elif name in shell.pipes:
        target = _ELSEWHERE
    elif not operator.endswith(">>"):
        shell.note_written(name)
    targets[fd] = target
    if "&" in operator and not is_duplicate:
        targets[2] = target


EVALUATORS: "dict[str, Callable[..., list[Stream]]]" = {
    "background": _background,
    "chain": _chain,
    "list": _list,
    "not": _not,
    "pipe": _pipe,
    "redirected": _redirected,
    "simple": _simple,
    "subshell": _subshell,
}
