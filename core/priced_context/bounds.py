"""An upper bound for a command whose output has no known size: the same command, and `| head`.

A rewrite inserts and never quotes anew, so the user's permission rule for the command still
matches; `head` needs none (docs/hosts.md). The exit status becomes that of `head`.
"""

from priced_context.cuts import FIT_SHARE
from priced_context.prices import line_label
from priced_context.records import BASH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from priced_context.records import ToolCall

TOKENS_PER_LINE = 30
"""Lines of `git log` have about 12 tokens, hits of `grep -rn` about 40."""
_HARMLESS_ENDS = (" 2>/dev/null", " 2>&1")


# What may be bounded, and the words that make it do more than print: a command that is stopped
# half-way must have nothing to leave half done.
BOUNDABLE = {
    "ack": (),
    "ag": ("--pager",),
    "diff": (),
    "egrep": (),
    "fd": ("-x", "-X", "--exec"),
    "fdfind": ("-x", "-X", "--exec"),
    "fgrep": (),
    "find": ("-exec", "-ok", "-delete", "-fprint", "-fls"),
    "git": ("--output", "-o", "--ext-diff", "--textconv", "-O", "--open-files", "expire", "delete"),
    "grep": (),
    "ls": (),
    "rg": ("--pre",),
    "rgrep": (),
    "tree": ("-o",),
}


def line_count_for(budget_tokens: int) -> int:
    """Return how many lines of a command's output fit into a budget, as a round number."""
    return line_label(budget_tokens * FIT_SHARE / TOKENS_PER_LINE)


def bounded_input(call: "ToolCall", line_count: int) -> "dict[str, Any] | None":
    """Return the call's input with a bound on its output, or None where that is not safe."""
    if call.tool != BASH:
        return call.tool_input | {"head_limit": line_count}
    command = call.tool_input.get("command")
    if call.tool_input.get("run_in_background") or type(command) is not str:
        return None
    if not is_one_command(command.rstrip()) or not only_prints(command):
        return None
    return call.tool_input | {"command": f"{command.rstrip()} | head -n {line_count}"}


def is_one_command(command: str) -> bool:
    """Say whether a pipe may follow: one simple command, and nothing that a shell would expand."""
    for end in _HARMLESS_ENDS:
        command = command.removesuffix(end)
    if command.endswith("\\") or any(letter in command for letter in "`$\n"):
        return False
    unquoted, quote = "", ""
    letters = iter(command)
    for letter in letters:
        if letter == "\\" and quote != "'":
            next(letters)
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        else:
            unquoted += letter
    return not quote and not any(letter in unquoted for letter in ";&|<>()#")


def only_prints(command: str) -> bool:
    """Say whether the command has nothing to do but print."""
    name, *words = [word.strip("'\"\\") for word in command.split()]
    more = BOUNDABLE.get(name.rpartition("/")[2])
    return more is not None and not any(word.startswith(more) for word in words if more)
