"""May this file be shown? The client's rules for Read, its directories, and `.git`.

A verb that prints files must not be a way round what the user forbade the Read tool, or wants to
be asked about. Rules are read from the same settings as the client reads, in its syntax:
gitignore patterns, `//` from the root of the file system, `~/` from home, `/` from the settings'
own folder, anything else from the working directory. Links are followed on both sides.
"""

import json
import os
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
    rules: list[Rule]
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
        for rule in self.rules:
            if any(_covers(rule, candidate) for candidate in {path, real}):
                return f"is covered by the rule {rule.words} in {rule.settings}"
        return ""


def access_from_here(*, outside: bool = False) -> Access:
    """Return what holds in this process's working directory and environment.

    Raises:
        Trouble: a settings file cannot be read, so that its rules are not known; no directory.
    """
    project = working_directory()
    directories = [project]
    rules: list[Rule] = []
    for settings, root in _settings_files(project):
        permissions = _permissions(settings)
        directories += [
            os.path.join(project, os.path.expanduser(folder))
            for folder in _strings(permissions, "additionalDirectories")
        ]
        for kind in ("deny", "ask"):
            for words in _strings(permissions, kind):
                rules += _rules_of(kind, words, settings, root, project)
    return Access(project, [os.path.realpath(folder) for folder in directories], rules, outside)


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


def _settings_files(project: str) -> Iterator[tuple[str, str]]:
    """Yield each settings file with the folder that `/…` in its rules counts from."""
    for managed in MANAGED:
        yield managed, os.path.dirname(managed)
        drop_ins = Path(managed).with_suffix(".d")
        for path in sorted(drop_ins.glob("*.json")):
            yield str(path), str(drop_ins)
    yield str(client_settings()), str(client_folder())
    for name in ("settings.json", "settings.local.json"):
        yield os.path.join(project, ".claude", name), project


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


def _rules_of(kind: str, words: str, settings: str, root: str, project: str) -> Iterator[Rule]:
    """Yield a rule for Read with the folder it counts from; nothing for another tool's.

    A relative one counts from the project and, where the shell stands elsewhere, from there too.
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
        for folder in dict.fromkeys((project, os.getcwd())):
            yield from _anchored(named, settings, folder, pattern.removeprefix("./"))


def _anchored(words: str, settings: str, root: str, pattern: str) -> Iterator[Rule]:
    """Yield a pattern as it counts from *root*, and as it counts where its links lead to."""
    pattern = pattern.removesuffix("/**")
    yield Rule(words, settings, root, pattern)
    parts = [part for part in pattern.split("/") if part]
    literal = 0
    while literal < len(parts) and not _WILD & set(parts[literal]):
        literal += 1
    spelled_out = os.path.realpath(os.path.join(root, *parts[:literal]))
    if literal == len(parts):
        folder, name = os.path.split(spelled_out)
        yield Rule(words, settings, folder, f"/{name}")
    else:
        anchor = "/" if literal else ""  # `*.pem` holds at any depth, `certificates/*.pem` does not
        yield Rule(words, settings, spelled_out, anchor + "/".join(parts[literal:]))


def _covers(rule: Rule, path: str) -> bool:
    if not rule.pattern:
        return True
    if not _is_in(path, rule.root) or path == rule.root:
        return False
    return _matcher(rule.pattern)(os.path.relpath(path, rule.root))


@cache
def _matcher(pattern: str) -> Callable[[str], bool]:
    from pathspec import GitIgnoreSpec  # 20 ms, and most users have no such rule

    return GitIgnoreSpec.from_lines([pattern]).match_file


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
