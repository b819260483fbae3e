"""`ctx`: the verbs a person or an agent types.

Exit codes: 0 done · 1 trouble, said in one sentence on stderr · 2 the words are off (usage)
· 3 a bug, with its traceback · 130 interrupted.
"""

import os
import sys
from importlib import import_module
from io import TextIOWrapper

from priced_context.console import Trouble, say
from priced_context.folders import prune, state_folder

# verb: (module, its function, what it does). The function is `(arguments: list[str]) -> int`; the
# module is imported only when its verb is typed: tiktoken and msgspec each cost more than starting
# Python (benchmarks/import_costs.py).
VERBS: dict[str, tuple[str, str, str]] = {
    "install": ("install", "install", "write the hook's launcher and register it"),
    "uninstall": (
        "install",
        "uninstall",
        "take the registration out and forget everything; ctx stays",
    ),
    "doctor": ("doctor", "doctor", "check the installation and say what to repair"),
    "off": ("switch", "off", "stop pricing, everywhere or in one session"),
    "on": ("switch", "on", "price again"),
    "stats": ("stats", "main", "the menu of a file: its symbols, each with lines and price"),
    "get": ("get", "main", "the exact lines of repo:PATH:10-20 or repo:PATH#Class.method"),
    "map": ("repomap", "main", "the files and symbols of a repository that matter most"),
    "price": ("quote", "main", "price whole files in tokens"),
    "explain": ("explain", "main", "what the guard would answer to a tool call, and why"),
    "replay": ("replay", "main", "what the guard would have done in past sessions, and its errors"),
    "calibrate": ("calibrate", "main", "correct prices by the bills in past sessions"),
    "report": ("report", "main", "what the guard did, what followed, and what it saved, net"),
    "why": ("why", "main", "the last verdict of this session, explained"),
    "budget": ("budget.account", "main", "what a request costs, by segment, and what it leaves"),
    "dump": ("budget.dump", "main", "the same as a JSON document, a row for every segment"),
    "box": ("box", "main", "the compaction box of the session that runs"),
    "diff": ("budget.diff", "main", "what changed between two requests, in tokens"),
}

# Verbs that print files. `--outside` comes before the verb, so that no allow rule for one of
# them covers it.
SHOW_FILES = ("stats", "get", "map")

USAGE = """\
usage: ctx VERB [arguments]      ctx VERB --help says more
       ctx --outside stats|get|map …      lifts the bound to the working directory

A token price on every file read, before a coding agent pays it.
"""


def usage() -> str:
    """Return the help text: a line a verb, in the order of the table."""
    lines = [f"  {verb:<11} {what}" for verb, (_, _, what) in VERBS.items()]
    return "\n".join([USAGE, *lines, ""])


def in_utf8() -> None:
    """Start again where paths would be anything but UTF-8, as the hooks have them."""
    if sys.getfilesystemencoding() != "utf-8" and "PYTHONUTF8" not in os.environ:
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def main() -> int:
    """Run one verb and return the process's exit code."""
    in_utf8()
    if isinstance(sys.stdout, TextIOWrapper):  # a path that is not UTF-8 is printed as it is
        sys.stdout.reconfigure(errors="surrogateescape")
    match sys.argv[1:]:
        case [] | ["-h" | "--help" | "help"]:
            print(usage(), end="")
            return 0
        case ["--version"]:
            from importlib.metadata import version  # 25 ms

            print(version("priced-context"))
            return 0
        case ["--outside", verb, *arguments] if verb in SHOW_FILES:
            module, function, _ = VERBS[verb]
            return run(module, function, arguments, outside=True)
        case [verb, *arguments] if verb in VERBS:
            module, function, _ = VERBS[verb]
            code = run(module, function, arguments)
            # not for a menu, which must be quick, nor where no trace may be left
            if verb not in (*SHOW_FILES, "uninstall"):
                prune(state_folder())
            return code
        case [verb, *_]:
            from difflib import get_close_matches  # 5 ms

            near = get_close_matches(verb, VERBS, n=1)
            meant = f"did you mean `ctx {near[0]}`?" if near else "`ctx --help` lists them"
            say(f"no verb {verb!r}; {meant}")
            return 2
    return 2


def run(module: str, function: str, arguments: list[str], **lifted: bool) -> int:
    """Run one verb; the one place where the cold side catches."""
    try:
        verb = getattr(import_module(f"priced_context.{module}"), function)
        return int(verb(arguments, **lifted))
    except Trouble as trouble:
        say(trouble)
        return 1
    except BrokenPipeError:  # `ctx … | head`: the reader has what it wanted
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception:
        import traceback  # 7 ms

        traceback.print_exc()
        return 3
