"""`ctx doctor`: runs what is registered as the client would, and says what to repair.

Each check is a function from the installation to its findings; CHECKS is their order.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from priced_context import probe
from priced_context.config import problems, wants_cuts
from priced_context.console import Trouble
from priced_context.files import read_small
from priced_context.folders import config_file, state_folder
from priced_context.install import Change, registration, settings_file
from priced_context.prefilter import hook_in, is_current
from priced_context.registration import (
    EVENT,
    LAUNCHER,
    MATCHER,
    STATUSLINE,
    has_menu_rules,
    is_ours,
    registered,
    registered_hooks,
)
from priced_context.settings import STEER, SWITCH, settings_of
from priced_context.statusline import CHAINED
from priced_context.windowfile import load_window_file
from priced_context.wording import printable

OLDEST_PYTHON = (3, 11)
OLDEST_CLIENT = (2, 1, 114)
"""The oldest client that was run with the hook (docs/hosts.md)."""
OLDEST_CLIENT_FOR_BLANKS = (2, 1, 139)
"""Before this one the client hands the launcher to a shell, which splits a path at its blanks."""

LONGEST_MS = 40
"""Digits of a time in the log: more are no time, and Python reads no 4,301."""

Kind = TypeVar("Kind")

OK, NOTE, WRONG = "ok", "note", "WRONG"


class Finding(NamedTuple):
    """What one check saw."""

    verdict: str
    detail: str
    repair: str = ""
    """What to do; only where it is WRONG."""


class Installation(NamedTuple):
    """What there is to check."""

    state: Path
    settings: Path
    """The file where `ctx install` registers."""
    others: list[Path]
    """Further settings files that the client merges in this project."""

    def hooks(self) -> Iterable[tuple[Path, str, dict[str, Any]]]:
        """Yield (file, matcher, hook) for every well-formed PreToolUse command hook."""
        for path in [self.settings, *self.others]:
            for group in expect(list, expect(dict, content_of(path).get("hooks")).get(EVENT)):
                matcher = expect(str, expect(dict, group).get("matcher"))
                for hook in expect(list, expect(dict, group).get("hooks")):
                    if expect(str, expect(dict, hook).get("command")):
                        yield path, matcher, hook

    def is_own(self, path: Path, hook: dict[str, Any]) -> bool:
        """Say whether a hook is what `ctx install` registered: a repository's never is."""
        return path == self.settings and is_ours(hook)


def doctor(arguments: list[str]) -> int:
    """Check the installation; exits 1 if anything is wrong."""
    parser = argparse.ArgumentParser("ctx doctor", description=doctor.__doc__)
    parser.add_argument("--settings", type=Path, metavar="FILE", help="the client's settings file")
    settings = settings_file(parser.parse_args(arguments).settings)
    project = Path(os.path.realpath(os.environ.get("CLAUDE_PROJECT_DIR") or "."), ".claude")
    others = [
        path
        for path in (project / "settings.json", project / "settings.local.json")
        if os.path.realpath(path) != os.path.realpath(settings)  # they are one in the home folder
    ]
    installation = Installation(state_folder(), settings, others)

    is_well = True
    for name, check in CHECKS.items():
        for finding in check(installation):
            print(f"{finding.verdict:<6} {name:<12} {finding.detail}")
            if finding.repair:
                print(f"{'':<19} repair: {finding.repair}")
            is_well = is_well and finding.verdict != WRONG
    return 0 if is_well else 1


def check_launcher(installation: Installation) -> Iterable[Finding]:
    """The file that the client spawns, and the interpreter that it starts."""
    launcher = installation.state / LAUNCHER
    if not os.access(launcher, os.X_OK):
        yield Finding(WRONG, f"{launcher} is missing or not executable", "ctx install")
        return
    yield Finding(OK, str(launcher))
    interpreter = interpreter_of(launcher)
    report = "import sys; print(*sys.version_info[:3])"
    answer = output_of([interpreter, "-I", "-S", "-c", report])
    version = tuple(int(number) for number in re.findall(r"\d+", answer))
    if not version:
        yield Finding(WRONG, f"its interpreter {interpreter} does not start", "ctx install")
    elif version < OLDEST_PYTHON:
        yield Finding(
            WRONG, f"{interpreter} is Python {dotted(version)}", "install.sh with 3.11 on"
        )
    else:
        yield Finding(OK, f"{interpreter}, Python {dotted(version)}")


def check_prefilter(installation: Installation) -> Iterable[Finding]:
    """The native program in front of the launcher, and what it saves or would save."""
    hook, launcher = hook_in(installation.state), installation.state / LAUNCHER
    if not launcher.exists():
        return
    cost_ms = quickest_ms(launcher)
    if hook == launcher:
        least_ms = quickest_ms(Path("/bin/true"))
        would = f"a C compiler and `ctx install` make that about {least_ms:.1f}"
        yield Finding(NOTE, f"none: a call that passes takes {cost_ms:.1f} ms; {would}")
    elif not is_current(installation.state):
        yield Finding(WRONG, f"{hook} was built by another version", "ctx install")
    else:
        took = f"a call that passes takes {quickest_ms(hook):.1f} ms"
        yield Finding(OK, f"{took} instead of {cost_ms:.1f}")


def check_state(installation: Installation) -> Iterable[Finding]:
    """The folder where everything is remembered: there, private, writable."""
    state = installation.state
    if not state.is_dir():
        yield Finding(WRONG, f"no folder {state}", "ctx install")
    elif stat.S_IMODE(state.stat().st_mode) & 0o077:
        yield Finding(WRONG, f"{state} is open to others", f"chmod 700 {shlex.quote(str(state))}")
    elif not os.access(state, os.W_OK):
        yield Finding(WRONG, f"{state} cannot be written", f"chmod u+w {shlex.quote(str(state))}")
    else:
        yield Finding(OK, str(state))


def check_registration(installation: Installation) -> Iterable[Finding]:
    """Our entry in the client's settings: once, and of this version."""
    settings = installation.settings
    try:
        change = registration(settings, str(hook_in(installation.state)))
        is_there = bool(registered_hooks(change.before or ""))
    except (Trouble, OSError, UnicodeDecodeError) as error:
        yield Finding(WRONG, f"{settings}: {error}", "repair it; the client cannot read it either")
        return
    if change.after == change.before:
        yield Finding(OK, str(settings))
    elif is_there and _fits_other_cuts(installation, change):
        detail = f"{settings} does not fit `cut_unpriced` in {config_file()}"
        yield Finding(WRONG, detail, "ctx install, then restart the sessions")
    elif is_there:
        yield Finding(WRONG, f"{settings} has an older registration", "ctx install")
    else:
        yield Finding(WRONG, f"not in {settings}", "ctx install, then restart the sessions")
    for path in [settings, *installation.others]:
        if content_of(path).get("disableAllHooks") is True:
            yield Finding(WRONG, f"{path} has disableAllHooks", "remove that line")


def _fits_other_cuts(installation: Installation, change: Change) -> bool:
    """Say whether the settings are what an install would leave with `cut_unpriced` switched."""
    text, cuts = change.before or "", not wants_cuts(config_file())
    hook, menus = str(hook_in(installation.state)), has_menu_rules(text)
    return registered(text, hook, cuts=cuts, menus=menus) == text


def check_hooks(installation: Installation) -> Iterable[Finding]:
    """Each line of ours, run as the client would for a small Read: silence is the right answer."""
    for path, _, hook in installation.hooks():
        if not installation.is_own(path, hook):
            continue
        answer = probe.ask(hook, probe.read_call(hook["command"]))
        if answer.is_silent_pass:
            yield Finding(OK, f"a small Read passes in {answer.took_ms:.0f} ms")
        else:
            said = (answer.stderr or answer.stdout).strip().rpartition("\n")[2]
            detail = f"the line in {path} gave exit {answer.exit_code}: {said}"
            yield Finding(WRONG, detail, "ctx install; if it stays, report this line")


def check_refusal(installation: Installation) -> Iterable[Finding]:
    """A long Read in a new session: the refusal is what all of this is for."""
    if not os.access(installation.state, os.W_OK):
        return  # said above
    try:
        yield Finding(OK, probe.refusal())
    except (Trouble, OSError) as trouble:
        yield Finding(WRONG, str(trouble), "ctx install; if it stays, report this line")


def check_compaction(installation: Installation) -> Iterable[Finding]:
    """A compaction with most of the window free: the hook as it is installed must hold it."""
    if not os.access(installation.state, os.W_OK):
        return  # said above
    try:
        yield Finding(OK, f"a trial: {probe.hold().partition(chr(10))[0]}")
    except (Trouble, OSError) as trouble:
        yield Finding(WRONG, str(trouble), "ctx install; if it stays, report this line")


def check_status_line(installation: Installation) -> Iterable[Finding]:
    """Who shows the status line: in a terminal it tells the window's size."""
    for path in installation.others:
        if "statusLine" in content_of(path):
            yield Finding(NOTE, f"{path} has a status line of its own: ours does not run there")
    line = expect(dict, content_of(installation.settings).get("statusLine"))
    if f"/{STATUSLINE}" not in expect(str, line.get("command")):
        yield Finding(NOTE, "not ours: the window's size is read from each session's log")
        return
    own = read_small(str(installation.state / CHAINED)).decode("utf-8", "replace")
    first = f", after your own: {own}" if own else ""
    yield Finding(OK, f"shows how much of the window is free{first}")


def check_switch(installation: Installation) -> Iterable[Finding]:
    """What the user switched off."""
    if os.environ.get("CTX_OFF") == "1":
        yield Finding(NOTE, "off where CTX_OFF=1 is set, as it is here")
    if (installation.state / SWITCH).exists():
        yield Finding(NOTE, "off everywhere; `ctx on` prices again")
    mode = settings_of(str(installation.state), os.getcwd()).mode
    if mode != STEER:
        yield Finding(
            NOTE, f'mode = "{mode}" in the config, or in this project: nothing is refused'
        )
    for switch in (installation.state / "sessions").glob(f"*/{SWITCH}"):
        yield Finding(NOTE, f"off in session {switch.parent.name}")


def check_config(installation: Installation) -> Iterable[Finding]:
    """The user's settings of the product."""
    path = config_file()
    found = problems(path)
    if path.exists() and not (installation.state / "policy").exists():
        yield Finding(WRONG, f"{path} is not read: its compiled form is gone", "ctx install")
    for problem in found:
        yield Finding(WRONG, problem, f"edit {path}")
    if not found:
        yield Finding(OK, str(path) if path.exists() else f"defaults (no {path})")


def check_window(installation: Installation) -> Iterable[Finding]:
    """Where the window's size comes from: the newest window.json, else the session's log."""
    files = list((installation.state / "sessions").glob("*/window.json"))
    if not files:
        yield Finding(OK, "read from each session's log (no status line has written yet)")
        return
    newest = max(files, key=lambda path: path.lstat().st_mtime_ns)
    try:
        window = load_window_file(newest)
    except Trouble as trouble:
        yield Finding(WRONG, str(trouble), "remove it; window.json.example shows a valid one")
        return
    used = f"{window.used_tokens:,} of {window.window_tokens:,} tokens used"
    yield Finding(OK, f"{window.source} said at {moment(window.written_ms)}: {used}")


def check_client(installation: Installation) -> Iterable[Finding]:
    """The client's version."""
    has_blank = " " in str(installation.state)
    client = shutil.which("claude")
    if client is None:
        yield Finding(NOTE, "no `claude` on PATH: its version is not known")
        return
    answer = output_of([client, "--version"])
    version = tuple(int(number) for number in re.findall(r"\d+", answer))
    if not version:
        yield Finding(WRONG, f"{client} --version says nothing", "install the client again")
    elif version < (oldest := OLDEST_CLIENT_FOR_BLANKS if has_blank else OLDEST_CLIENT):
        detail = f"{client} is {dotted(version)}, older than {dotted(oldest)}"
        yield Finding(WRONG, detail, "claude update")
    else:
        yield Finding(OK, f"{client} {dotted(version[:3])}")


def check_others(installation: Installation) -> Iterable[Finding]:
    """Other hooks on the same tools: of two rewrites of one call the last to finish wins."""
    for path, matcher, hook in installation.hooks():
        if not installation.is_own(path, hook) and any(
            matches(matcher, tool) for tool in MATCHER.split("|")
        ):
            command = printable(hook["command"])  # a repository may have written it
            yield Finding(NOTE, f"{path} also runs {command}: if both rewrite, the last wins")


def check_failures(installation: Installation) -> Iterable[Finding]:
    """The last failure that a hook left in the log."""
    lines = read_small(str(installation.state / "log")).decode("utf-8", "replace").splitlines()
    match lines[-1].split("\t") if lines else []:
        case [ms, where, what] if ms.isdecimal() and len(ms) <= LONGEST_MS:
            yield Finding(NOTE, f"last failure {moment(int(ms))}, {where}: {what}")
        case _:
            yield Finding(OK, "none logged")


def check_menus(installation: Installation) -> Iterable[Finding]:
    """Whether a refusal may offer `ctx stats` outside auto mode."""
    settings = settings_of(str(installation.state), os.getcwd())
    if settings.menus:
        yield Finding(OK, "agents run ctx stats, get and map unasked")
    else:
        yield Finding(NOTE, "offered in auto mode only; `ctx install --allow-menus` adds the rules")


CHECKS: dict[str, Callable[[Installation], Iterable[Finding]]] = {
    "launcher": check_launcher,
    "prefilter": check_prefilter,
    "state": check_state,
    "registration": check_registration,
    "hook": check_hooks,
    "refusal": check_refusal,
    "compaction": check_compaction,
    "status line": check_status_line,
    "menus": check_menus,
    "switch": check_switch,
    "config": check_config,
    "window": check_window,
    "client": check_client,
    "other hooks": check_others,
    "failures": check_failures,
}


def quickest_ms(hook: Path) -> float:
    """Return the least of five times that a hook takes for a call of another tool."""
    call = probe.read_call("") | {"tool_name": "other"}
    return min(probe.ask({"command": str(hook), "args": []}, call).took_ms for _ in range(5))


def expect(kind: type[Kind], value: object) -> Kind:
    """Return *value* if it is of that kind, else an empty one: settings may hold anything."""
    return value if isinstance(value, kind) else kind()


def content_of(settings: Path) -> dict[str, Any]:
    """Return a settings file's content; empty where it is missing or broken."""
    try:
        # a repository may have put a pipe there, which a read would wait for
        content = json.loads(settings.read_text("utf-8-sig")) if settings.is_file() else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def interpreter_of(launcher: Path) -> str:
    """Return the interpreter that a launcher of either form starts; "" where it has none."""
    first, _, rest = launcher.read_text(errors="replace").partition("\n")
    if first != "#!/bin/sh":
        return next(iter(first[2:].split()), "")
    try:
        words = shlex.split(rest)
    except ValueError:  # somebody edited it
        return ""
    return words[words.index("exec") + 1] if "exec" in words[:-1] else ""


def matches(matcher: str, tool: str) -> bool:
    """Say whether a matcher of the settings takes in the tool, by the client's rule.

    Plain words are compared whole; anything else is a regular expression (docs/hosts.md).
    """
    if matcher in {"", "*"}:
        return True
    if re.fullmatch(r"[\w|, -]+", matcher):
        return tool in re.split(r"\s*[|,]\s*", matcher)
    try:
        return re.search(matcher, tool) is not None
    except re.error:
        return False


def output_of(command: list[str]) -> str:
    """Return what a command prints; "" where it cannot be run or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout


def dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def moment(ms: int) -> str:
    """Return a Unix time in milliseconds as local time; as it is where no calendar has it."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(ms / 1000))
    except (OverflowError, OSError, ValueError):
        return f"{ms} ms"
