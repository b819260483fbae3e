"""What `if`, loops, `case` and `[[` run of what stands in them.

Imported only where one stands. A status that only running can tell puts the body in doubt.
"""

from priced_context.shell.evaluator import NEGATED
from priced_context.shell.scope import FAILED, MAX_FILES, PRESUMED, SUCCEEDED, UNTOLD
from priced_context.shell.streams import BACKWARDS, IN_ORDER, filtered, has_content, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from priced_context.shell.evaluator import Shell
    from priced_context.shell.scope import Value
    from priced_context.shell.streams import Stream
    from priced_context.shell.syntax import Node, Word


def _if(
    shell: "Shell", branches: "list[tuple[Node, Node]]", otherwise: "Node | None"
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


def _count(shell: "Shell", text: str, body: "Node") -> "list[Stream]":
    """Evaluate `for ((i=0;i<3;i++))`, which runs once at least if its bounds say so."""
    first, _, rest = text.replace(" ", "").partition(";")
    name, _, start = first.partition("=")
    condition = rest.partition(";")[0]
    end = condition.removeprefix(name).removeprefix("<").removeprefix("=")
    is_told = name.isidentifier() and start.isdecimal() and end.isdecimal()
    is_told &= condition in (f"{name}<{end}", f"{name}<={end}") and len(start + end) < 30
    runs = is_told and int(start) < int(end)
    shell.variables[name] = None
    _forget_what_changes(shell, body)
    output = _round(shell, SUCCEEDED if runs else UNTOLD, body)
    _end_loop(shell)
    return output


def _while(shell: "Shell", condition: "Node", body: "Node", is_until: bool) -> "list[Stream]":
    reading = None if is_until else _reading(condition)
    if reading is not None:
        return _reading_loop(shell, *reading, body)
    _forget_what_changes(shell, body)
    output = shell.evaluate(condition)
    status = NEGATED[shell.status] if is_until else shell.status
    output += _round(shell, status, body)
    _end_loop(shell)
    shell.status = SUCCEEDED if status == FAILED else PRESUMED
    return output


_TESTS = ([["["]], ["test"])  # the first word; a bracket by itself is a glob


def _reading(condition: "Node") -> "tuple[list[Word], bool] | None":
    """Return the words behind the `read` of a condition, and whether it reads to the end.

    None if the condition is another. `read -r line || [ -n "$line" ]` takes a last line without
    newline too; behind `&&` stands what may end the loop sooner.
    """
    reads_all = True
    if condition[0] == "chain":
        (_, condition), (operator, test), *more = condition[1]
        is_test = test[0] == "test" or (test[0] == "simple" and test[2][:1] in _TESTS)
        if more or not is_test:
            return None
        reads_all = operator == "||"
    if condition[0] != "simple" or condition[2][:1] != ["read"]:
        return None
    return condition[2][1:], reads_all


def _reading_loop(
    shell: "Shell", words: "list[Word]", reads_all: bool, body: "Node"
) -> "list[Stream]":
    """Evaluate `while read -r line; do …; done`."""
    words = [word for word in words if word != "-r"]
    names = [word for word in words if isinstance(word, str) and word.isidentifier()]
    is_whole_line = reads_all and len(words) == len(names) <= 1
    streams = shell.take_stdin()
    lines = text_of(streams)
    values: list[Value] = [None]
    if has_content(streams):
        is_echo = body[0] == "simple" and body[2][:1] in (["echo"], ["printf"])
        keeps_lines = is_echo and is_whole_line
        keeps_lines &= all(stream.order in (IN_ORDER, BACKWARDS) for stream in streams)
        values = [streams if keeps_lines else filtered(streams)]
    elif lines is not None and is_whole_line and lines.count("\n") <= MAX_FILES:
        values = [*lines.splitlines()]
    return _unrolled(shell, names or ["REPLY"], values, body)


def _for(shell: "Shell", name: str, words: "list[Word]", body: "Node") -> "list[Stream]":
    values = [value for word in words for value in shell.fields(word)]
    if len(values) > MAX_FILES:
        values = [None]
    values = [filtered(value) if isinstance(value, list) else value for value in values]
    return _unrolled(shell, [name], values, body)


def _unrolled(
    shell: "Shell", names: "list[str]", values: "list[Value]", body: "Node"
) -> "list[Stream]":
    """Evaluate *body* with each of *values* for the variables *names*."""
    output: list[Stream] = []
    shell.status = SUCCEEDED
    for value in values:
        shell.variables.update(dict.fromkeys(names, value))
        output += _round(shell, SUCCEEDED, body)
        shell.doubt_after_failure(body)
        if _end_loop(shell):
            break
    return output


def _forget_what_changes(shell: "Shell", body: "Node") -> None:
    """Let the variables that a round sets hold what nobody tells: the rounds are not counted."""
    trial = shell.fork()
    # what a fork shares with its shell: this round does not happen
    trial.errors, trial.pipes, trial.written = [], dict(shell.pipes), set(shell.written)
    _round(trial, SUCCEEDED, body)
    for name, value in trial.variables.items():
        if name not in shell.variables or shell.variables[name] is not value:
            shell.variables[name] = None


def _round(shell: "Shell", status: str, body: "Node") -> "list[Stream]":
    """Evaluate the body of a loop once, where a condition has this *status*."""
    shell.loops += 1
    output = shell.evaluate_if(status, body)
    shell.loops -= 1
    return output


def _end_loop(shell: "Shell") -> bool:
    """Return whether the loop ends here, by `break` or by what leaves more than the loop."""
    is_over = shell.leaving not in ("", "continue")
    if shell.leaving in ("break", "continue"):
        shell.leaving = ""
    return is_over


def _case(
    shell: "Shell", word: "Word", branches: "list[tuple[list[Word], Node]]"
) -> "list[Stream]":
    subject = shell.text(word)
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


def _case_matches(shell: "Shell", subject: "Value", pattern: "Word") -> bool | None:
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


def _function(shell: "Shell", name: str) -> "list[Stream]":
    shell.functions.add(name)
    shell.status = SUCCEEDED
    return []


def _test(shell: "Shell", words: "list[Word]") -> "list[Stream]":
    """`[[ … ]]`: conditions joined by `&&`; other operators are not followed."""
    from priced_context.shell.conditions import ask

    has_pattern = any(isinstance(word, list) and not isinstance(word[0], tuple) for word in words)
    conditions: list[list[Value]] = [[]]
    for word in words:
        if word == "&":
            conditions.append([])
        else:
            conditions[-1].append(shell.text(word))
    for condition in conditions:
        if condition:
            ask(shell, condition)
            if shell.status != SUCCEEDED:
                break
    if has_pattern or not {"|", "(", "<", ">"}.isdisjoint(w for w in words if isinstance(w, str)):
        shell.status = UNTOLD
    return []


def _arithmetic(shell: "Shell", text: str) -> "list[Stream]":
    shell.forget_names_in(text)
    shell.status = UNTOLD
    return []


CONTROLS: "dict[str, Callable[..., list[Stream]]]" = {
    "arithmetic": _arithmetic,
    "case": _case,
    "count": _count,
    "for": _for,
    "function": _function,
    "if": _if,
    "test": _test,
    "while": _while,
}
