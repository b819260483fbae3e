"""May this file be shown? The client's rules for Read, its directories, and `.git`.

A verb that prints files must not be a way round what the user forbade the Read tool, or wants to
be asked about. Rules are read from the same settings as the client reads, in its syntax:
gitignore patterns, `//` from the root of the file system, `~/` from home, `/` from the settings'
own folder, anything else from the working directory. Links are followed on both sides, and case is
folded, as the file system may do.

A `cd` lifts no rule: the settings of every folder above the working directory, and above the file
that is asked for, count too.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import msgspec

from priced_context.console import Trouble
from priced_context.files import read_regular
from priced_context.folders import LARGEST_SETTINGS_BYTES, client_folder, client_settings

MANAGED = (
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
)
_WILD = frozenset("*?[\\")


class Rule(msgspec.Struct, frozen=True):
    """One rule against reading, with where its pattern counts from."""

    words: str
    """As it stands in the settings: `deny Read(./.env)`."""
    settings: str
    """The settings file that it stands in."""
    root: str
    """The absolute folder that the pattern counts from."""
    pattern: str
    """A gitignore pattern under the root; empty: everything."""


class Access(msgspec.Struct, frozen=True):
    """What the verbs may show from here."""

    project: str
    """The client's working directory, absolute."""
    directories: list[str]
    """It and the additional directories, links followed."""
    starts: list[str]
    """The folders at and above here that the client may have been started in."""
    rules: list[Rule]
    """Those of a client that was started in one of them."""
    outside: bool
    """A person lifted the bound to these directories."""

    def refusal(self, path: str) -> str:
        """Return why *path* (absolute) must not be shown, naming the rule; "" where it may."""
        real = os.path.realpath(path)
        for candidate in (path, real):
            if any(part.lower() == ".git" for part in candidate.split("/")):
                return "lies in .git, whose internals are not shown"
        if not self.outside and not any(_is_in(real, folder) for folder in self.directories):
            return (
                f"lies outside {self.project} and the client's additional directories;"
                " a person can run `ctx --outside VERB …`"
            )
        for candidate in {path, real}:
            for rule in self.rules_over(os.path.dirname(candidate)):
                if any(_covers(rule, name) for name in {path, real}):
                    return f"is covered by the rule {rule.words} in {rule.settings}"
        return ""

    def rules_over(self, folder: str) -> list[Rule]:
        """Return every rule that may cover a file in *folder* (absolute).

        Raises:
            Trouble: a settings file cannot be read, so that its rules are not known.
        """
        nearer = [start for start in _projects_over(folder) if start not in self.starts]
        return [*self.rules, *(rule for start in nearer for rule in _rules_from(start))]


def access_from_here(*, outside: bool = False) -> Access:
    """Return what holds in this process's working directory and environment.

    Raises:
        Trouble: a settings file cannot be read, so that its rules are not known; no directory.
    """
    project = working_directory()
    directories = [project]
    starts = list(dict.fromkeys([project, os.getcwd(), *_projects_over(os.getcwd())]))
    for settings, root in _settings_files(starts):
        if root not in starts[1:]:  # another folder adds rules, never directories
            directories += [
                os.path.join(project, os.path.expanduser(folder))
                for folder in _strings(_permissions(settings), "additionalDirectories")
            ]
    directories = [os.path.realpath(folder) for folder in directories]
    return Access(project, directories, starts, list(_rules_in(starts)), outside)


def working_directory() -> str:
    """Return the directory that the client works in: what `repo:` counts from.

    Raises:
        Trouble: this process stands in a directory that is gone.
    """
    try:
        here = os.getcwd()
    except OSError as error:
        raise Trouble("the working directory is gone; change to another one") from error
    return os.path.join(here, os.environ.get("CLAUDE_PROJECT_DIR") or here)


@cache
def _projects_over(folder: str) -> list[str]:
    """Return *folder* and those above it, as far as the client may have been started in them.

    Those below home that hold settings or a repository; outside of home, those below the root.
    """
    home = os.path.expanduser("~")
    tops = ("/", "//", home, os.path.realpath(home))  # abspath keeps two slashes
    found = []
    while folder not in tops:
        if _is_project(folder):
            found.append(folder)
        folder = os.path.dirname(folder)
    return found


@cache
def _is_project(folder: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, name)) for name in (".claude", ".git"))


@cache
def _rules_from(start: str) -> list[Rule]:
    """Return the rules of a client that was started in the folder *start*."""
    return list(_rules_in([start]))


def _rules_in(starts: list[str]) -> Iterator[Rule]:
    """Yield the rules of everybody's settings and of those in *starts*."""
    for settings, root in _settings_files(starts):
        permissions = _permissions(settings)
        for kind in ("deny", "ask"):
            for words in _strings(permissions, kind):
                yield from _rules_of(kind, words, settings, root, starts)


def _settings_files(projects: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each settings file with the folder that `/…` in its rules counts from."""
    for managed in MANAGED:
        yield managed, os.path.dirname(managed)
        drop_ins = Path(managed).with_suffix(".d")
        for path in sorted(drop_ins.glob("*.json")):
            yield str(path), str(drop_ins)
    yield str(client_settings()), str(client_folder())
    for project in projects:
        for name in ("settings.json", "settings.local.json"):
            yield os.path.join(project, ".claude", name), project


@cache
def _permissions(settings: str) -> dict[str, object]:
    try:
        text = read_regular(settings, LARGEST_SETTINGS_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise Trouble(
            f"{settings} cannot be read ({error.strerror}), so its rules for Read are unknown"
        ) from error
    try:
        found = json.loads(text or b"{}")
    except (ValueError, RecursionError) as error:
        raise Trouble(
            f"{settings} is not JSON ({error}), so its rules for Read are unknown; repair it first"
        ) from error
    permissions = found.get("permissions") if isinstance(found, dict) else None
    return permissions if isinstance(permissions, dict) else {}


def _strings(values: dict[str, object], key: str) -> list[str]:
    found = values.get(key)
    return [item for item in found if isinstance(item, str)] if isinstance(found, list) else []


def _rules_of(kind: str, words: str, settings: str, root: str, starts: list[str]) -> Iterator[Rule]:
    """Yield a rule for Read with the folder it counts from; nothing for another tool's.

    A relative one counts from each of *starts*, the folders that the client may have started in.
    """
    tool, bracket, rest = words.strip().partition("(")
    if tool != "Read":
        return
    pattern = rest.removesuffix(")") if bracket else ""
    named = f"{kind} {words}"
    if pattern in ("", "*", "**"):
        yield Rule(named, settings, "/", "")
    elif pattern.startswith("//"):
        yield from _anchored(named, settings, "/", pattern[1:])
    elif pattern.startswith("~/"):
        yield from _anchored(named, settings, os.path.expanduser("~"), pattern[1:])
    elif pattern.startswith("/"):
        yield from _anchored(named, settings, root, pattern)
    else:
        for folder in starts:
            yield from _anchored(named, settings, folder, pattern.removeprefix("./"))


def _anchored(words: str, settings: str, root: str, pattern: str) -> Iterator[Rule]:
    """Yield a pattern as it counts from *root*, and as it counts where its links lead to."""
    folder = pattern.removesuffix("/**")
    if folder not in (pattern, "") and not folder.startswith("/"):
        folder = f"/{folder}"  # a slash in the middle anchors, and it has just gone
    pattern = folder
    yield Rule(words, settings, root, pattern)
    parts = [part for part in pattern.split("/") if part]
    literal = 0
    while literal < len(parts) and not _WILD & set(parts[literal]):
        literal += 1
    spelled_out = os.path.realpath(os.path.join(root, *parts[:literal]))
    if not parts:
        yield Rule(words, settings, spelled_out, "")
    elif literal == len(parts):
        folder, name = os.path.split(spelled_out)
        yield Rule(words, settings, folder, f"/{name}")
    else:
        anchor = "/" if literal else ""  # `*.pem` holds at any depth, `certificates/*.pem` does not
        yield Rule(words, settings, spelled_out, anchor + "/".join(parts[literal:]))


def _covers(rule: Rule, path: str) -> bool:
    """Return whether the rule holds for *path*.

    Raises:
        Trouble: its pattern is none.
    """
    if not _is_in(path.lower(), rule.root.lower()):
        return False
    if not rule.pattern:
        return True
    below_root = "/".join(path.split("/")[len(rule.root.rstrip("/").split("/")) :])
    try:
        return bool(below_root) and _matcher(rule.pattern)(below_root)
    except (ValueError, re.error) as error:
        raise Trouble(
            f"{rule.words} in {rule.settings} is no pattern ({error}), so what it covers is"
            " unknown; repair it first"
        ) from error


@cache
def _matcher(pattern: str) -> Callable[[str], bool]:
    from pathspec import GitIgnoreSpec  # 20 ms, and most users have no such rule

    spec = GitIgnoreSpec.from_lines([pattern])
    folded = [
        re.compile(line.regex.pattern, re.IGNORECASE)
        for line in spec.patterns
        if line.include and line.regex
    ]

    def matches(path: str) -> bool:
        return spec.match_file(path) or any(line.search(path) for line in folded)

    return matches


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
