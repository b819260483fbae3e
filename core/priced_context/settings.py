"""What the user set, compiled so that a hook need not parse TOML.

`<state>/policy` is text: line 1 lists the files it was compiled from, as fields, with their
mtime_ns, then `key<TAB>value` a line. When a source has changed, the next hook that needs a setting
compiles it again (tomllib costs more than the call, benchmarks/import_costs.py) and goes on. A
project's own `.priced-context.toml` may only loosen: tightening is what a hostile repository would
do.
"""

import posix

from priced_context.files import (
    as_field,
    as_path,
    environment,
    make_directory,
    read_small,
    replace,
    size_of_regular,
)
from priced_context.places import project_file, session_folder
from priced_context.wire import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from priced_context.records import ToolCall

STEER, OBSERVE, OFF = "steer", "observe", "off"
MODES = (STEER, OBSERVE, OFF)

UNASKED = ("auto", "bypassPermissions")
"""Permission modes in which a command of ours needs no rule."""

COMPILED = "policy"
"""The file in the state folder that holds the user's settings, compiled."""
SWITCH = "off"
"""The file in the state folder, or a session's, that switches the guard off."""
PROJECT_FILE = ".priced-context.toml"
LARGEST_WINDOW_TOKENS = 100_000_000
LARGEST_SOURCE_BYTES = 16 << 10
"""tomllib takes a minute for a hostile file of 120 KB, and under a second for one of this size."""


class Settings:
    """The settings in force for one call; the defaults are those of docs/settings.md."""

    __slots__ = (
        "allow",
        "analyst",
        "auto_compact_window",
        "cut_unpriced",
        "inline_budget_bytes",
        "menus",
        "mode",
        "project_budget_max",
        "read_budget_max",
        "read_budget_min",
        "read_budget_share",
        "tools",
        "window_tokens",
    )

    def __init__(self) -> None:
        self.mode = STEER
        self.window_tokens = 0
        """The window's size where the user names it; 0: found out."""
        self.inline_budget_bytes = 16 * 1024
        """The budget of one read while the window is unknown."""
        self.read_budget_share = 0.05
        """The budget of one read as a part of the free tokens …"""
        self.read_budget_min = 2_000
        """… held between this …"""
        self.read_budget_max = 0
        """… and this; 0: the larger of 12,000 and 2% of the window."""
        self.project_budget_max = 0
        """What a project raises the highest budget to, where that is more."""
        self.allow: list[str] = []
        """Globs of files that are never judged; `*` matches `/` too."""
        self.analyst: list[str] = []
        """The command that says what a compaction must keep, and its arguments; []: our own."""
        self.tools: list[str] = []
        """Further MCP tools that read files: whole names, or the part after the last `__`."""
        self.menus = False
        """Whether the agent may run `ctx stats` unasked: the user says so, or a rule does."""
        self.cut_unpriced = False
        """Whether a result that had no price is cut afterwards."""
        self.auto_compact_window = 0
        """The client's own setting `autoCompactWindow`."""


def is_count(value: "Any") -> bool:
    return type(value) is int and value > 0


def is_texts(value: "Any") -> bool:
    return type(value) is list and all(type(item) is str for item in value)


def is_switch(value: "Any") -> bool:
    return type(value) is bool


# key: whether a value from a source is sane; anything else is left at its default on the hot
# path, and named by `ctx doctor`.
CHECKS: "dict[str, Callable[[Any], bool]]" = {
    "mode": lambda value: value in MODES,
    "window_tokens": lambda value: is_count(value) and value <= LARGEST_WINDOW_TOKENS,
    "inline_budget_bytes": is_count,
    "read_budget_share": lambda value: type(value) in (int, float) and 0 < value <= 1,
    "read_budget_min": is_count,
    "read_budget_max": is_count,
    "allow": is_texts,
    "analyst": is_texts,
    "tools": is_texts,
    "auto_compact_window": is_count,
    "menus": is_switch,
    "cut_unpriced": is_switch,
}
_LOOSER_WHEN_LARGER = (
    "inline_budget_bytes",
    "read_budget_share",
    "read_budget_min",
)


def settings_of(state: str, project: str) -> Settings:
    """Return the user's settings, loosened by the project's. Never raises OSError."""
    settings = Settings()
    place = f"{state}/{COMPILED}"
    stamp, lines = _compiled(place)
    sources = _sources_of(stamp)
    if sources:
        if stamp != _stamp(sources):
            lines = compile_sources(state, place, sources)
        _apply(lines, settings)
    own = project + "/" + PROJECT_FILE
    if _mtime_ns(own):
        place = project_file(state, project) + ".policy"
        stamp, lines = _compiled(place)
        if stamp != _stamp([own]):
            lines = compile_sources(state, place, [own])
        loosened = Settings()
        _apply(lines, loosened)
        _loosen(settings, loosened, lines)
    return settings


def is_switched_off(state: str, session_id: str) -> bool:
    """Say whether `CTX_OFF=1` or `ctx off` holds."""
    return (
        environment("CTX_OFF") == "1"
        or size_of_regular(f"{state}/{SWITCH}") >= 0
        or size_of_regular(f"{session_folder(state, session_id)}/{SWITCH}") >= 0
    )


def menu_command(call: "ToolCall", settings: Settings, state: str) -> str:
    """Return the path by which the agent may run our verbs, or "" where it would be asked.

    The verbs are installed with the hook; a checkout's hook has none to offer.
    """
    may_run = settings.menus or call.permission_mode in UNASKED
    command = state + "/ctx"
    return command if may_run and size_of_regular(command) > 0 else ""


def compile_sources(state: str, place: str, sources: "list[str]") -> "list[str]":
    """Read *sources*, write them to *place*, and return the lines of their settings.

    A source that is missing or broken contributes nothing; `ctx doctor` names it.
    """
    stamp = _stamp(sources)
    lines = []
    for source in sources:
        try:
            values = _read_source(source, state)
        except (OSError, ValueError, RecursionError):  # tomllib's error is a ValueError
            continue
        for key, is_sane in CHECKS.items():
            if key in values and is_sane(values[key]):
                value = values[key]
                lines += [f"{key}\t{item}" for item in (value if type(value) is list else [value])]
    lines = [line.replace("\n", " ") for line in lines]
    try:
        make_directory(place[: place.rfind("/")])
        replace(place, stamp + b"\n" + "\n".join(lines).encode("utf-8", "replace"))
    except (OSError, ValueError):  # read-only state: compiled again by the next call
        pass
    return lines


def _read_source(source: str, state: str) -> "dict[str, Any]":
    raw = read_small(source)
    if source.endswith(".json"):
        return _of_client(parse(raw), state)
    import tomllib

    if len(raw) > LARGEST_SOURCE_BYTES:
        raise ValueError(f"{source} is too large for settings")
    values = tomllib.loads(raw.decode())
    values.pop("auto_compact_window", None)  # the client's to say
    return values


def _of_client(values: "Any", state: str) -> "dict[str, Any]":
    """Return what the client's own settings say that is ours to know."""
    if type(values) is not dict:
        return {}
    found = {"auto_compact_window": values.get("autoCompactWindow")}
    permissions = values.get("permissions")
    rules = permissions.get("allow") if type(permissions) is dict else None
    for rule in rules if type(rules) is list else []:
        # a path with a blank stands in quotes, as the refusal names it
        if type(rule) is str and rule.replace("'", "").startswith(f"Bash({state}/ctx stats"):
            found["menus"] = True
    return found


def _apply(lines: "list[str]", settings: Settings) -> None:
    """Take each compiled line that is whole; a torn one leaves its default."""
    for line in lines:
        key, _, value = line.partition("\t")
        if key in ("allow", "analyst", "tools"):
            getattr(settings, key).append(value)
        elif key == "mode" and value in MODES:
            settings.mode = value
        elif key in ("menus", "cut_unpriced"):
            setattr(settings, key, value == str(True))
        elif key in Settings.__slots__ and key != "mode":
            try:
                setattr(settings, key, float(value) if key == "read_budget_share" else int(value))
            except ValueError:
                pass


def _loosen(settings: Settings, project: Settings, lines: "list[str]") -> None:
    """Take from a project's settings what lets more through, and nothing else."""
    named = [line.partition("\t")[0] for line in lines]
    settings.allow += project.allow
    settings.project_budget_max = project.read_budget_max
    for key in _LOOSER_WHEN_LARGER:
        if key in named and getattr(project, key) > getattr(settings, key):
            setattr(settings, key, getattr(project, key))
    if MODES.index(project.mode) > MODES.index(settings.mode):
        settings.mode = project.mode


def _compiled(place: str) -> "tuple[bytes, list[str]]":
    """Return the first line of a compiled file, and its other lines."""
    stamp, _, lines = read_small(place).partition(b"\n")
    return stamp, lines.decode("utf-8", "replace").split("\n")


def _sources_of(stamp: bytes) -> "list[str]":
    fields = stamp.split(b"\t")
    try:
        sources = [as_path(field) for field in fields[::2]] if len(fields) % 2 == 0 else []
    except ValueError:  # torn
        return []
    return sources if all(source.startswith("/") for source in sources) else []


def _stamp(sources: "list[str]") -> bytes:
    return b"\t".join([b"%s\t%d" % (as_field(source), _mtime_ns(source)) for source in sources])


def _mtime_ns(path: str) -> int:
    try:
        return posix.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return 0
