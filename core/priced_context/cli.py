"""`ctx`: the verbs a person or an agent types.

Exit codes: 0 done · 1 trouble, said in one sentence on stderr · 2 the words are off (usage)
· 3 a bug, with its traceback · 130 interrupted.
"""

import sys
import traceback
from importlib import import_module, metadata

from priced_context.console import Trouble
from priced_context.folders import prune, state_folder

# verb: (module, its function, what it does). The function is `(arguments: list[str]) -> int`; the
# module is imported only when its verb is typed: tiktoken and msgspec each cost more than starting
# Python (benchmarks/import_costs.py).
VERBS: dict[str, tuple[str, str, str]] = {
    "install": ("install", "install", "write the hook's launcher and register it"),
    "uninstall": ("install", "uninstall", "take the registration out and forget everything"),
    "doctor": ("doctor", "doctor", "check the installation and say what to repair"),
    "off": ("switch", "off", "stop pricing, everywhere or in one session"),
    "on": ("switch", "on", "price again"),
    "price": ("quote", "main", "price whole files in tokens"),
    "explain": ("explain", "main", "what the guard would answer to a tool call, and why"),
    "replay": ("replay", "main", "what the guard would have done in past sessions, and its errors"),
    "calibrate": ("calibrate", "main", "correct prices by the bills in past sessions"),
    "report": ("report", "main", "what the guard did, what followed, and what it saved, net"),
    "why": ("why", "main", "the last verdict of this session, explained"),
    "budget": ("budget.account", "main", "what a request costs, by segment, and what it leaves"),
    "dump": ("budget.dump", "main", "the same as a JSON document, a row for every segment"),
    "diff": ("budget.diff", "main", "what changed between two requests, in tokens"),
}

USAGE = """\
usage: ctx VERB [arguments]      ctx VERB --help says more

A token price on every file read, before a coding agent pays it.
"""


def usage() -> str:
    """Return the help text: a line a verb, in the order of the table."""
    lines = [f"  {verb:<11} {what}" for verb, (_, _, what) in VERBS.items()]
    return "\n".join([USAGE, *lines, ""])


def main() -> int:
    """Run one verb and return the process's exit code."""
    match sys.argv[1:]:
        case [] | ["-h" | "--help"]:
            print(usage(), end="")
            return 0
        case ["--version"]:
            print(metadata.version("priced-context"))
            return 0
        case [verb, *arguments] if verb in VERBS:
            module, function, _ = VERBS[verb]
            return run(module, function, arguments)
        case [verb, *_]:
            print(f"ctx: no verb {verb!r}; `ctx --help` lists them", file=sys.stderr)
            return 2
    return 2


def run(module: str, function: str, arguments: list[str]) -> int:
    """Run one verb; the one place where the cold side catches."""
    try:
        code = int(getattr(import_module(f"priced_context.{module}"), function)(arguments))
        if function != "uninstall":  # which leaves no trace
            prune(state_folder())
    except Trouble as trouble:
        print(f"ctx: {trouble}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # `ctx … | head`: the reader has what it wanted
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception:
        traceback.print_exc()
        return 3
    return code
