"""Our entry in the client's settings: it goes in and out of the text, every other byte stays.

The settings are never parsed and printed again: that would lose the user's layout. Entries are
found by their offsets in the text, appended after the last one, and cut out with their comma.
"""

import json
import re
import shlex
from typing import Any, NamedTuple

from priced_context.console import Trouble
from priced_context.wording import quoted_name

EVENT = "PreToolUse"
MATCHER = "Read|Bash|Grep|mcp__.*"
LAUNCHER, PREFILTER = "launch", "prefilter"

COMPACT_EVENT = "PreCompact"
PRECOMPACT = "precompact"
STATUS_LINE = "statusLine"
STATUSLINE = "statusline"

RESULT_EVENT = "PostToolUse"
RESULT_MATCHER = "Bash|mcp__.*"
POSTTOOLUSE = "posttooluse"

MATCHERS = {EVENT: MATCHER, RESULT_EVENT: RESULT_MATCHER}
TIMEOUT_SECONDS, COMPACT_TIMEOUT_SECONDS = 5, 30

COMMAND = "ctx"
"""The link in the state folder by which an agent runs our verbs."""
MENU_VERBS = ("stats", "get", "map")

HOOKS = (LAUNCHER, PREFILTER, PRECOMPACT, POSTTOOLUSE)
OURS = tuple(f"/priced-context/{name}" for name in HOOKS)
"""How the path ends of a hook that we register."""

_SPACES = re.compile(r"[ \t\r\n]*")
_decode = json.JSONDecoder().raw_decode
_BOM = "\ufeff"
_BLANK = _BOM + " \t\r\n"


class Entry(NamedTuple):
    """One member of an object or one element of an array, with its offsets in the text."""

    key: str
    """"" in an array."""
    value: Any
    start: int
    """Where the key begins; in an array, the value."""
    value_start: int
    end: int


class Place(NamedTuple):
    """Where one registration of ours stands, from the outside in."""

    hooks: Entry
    groups: Entry
    group: Entry
    handlers: Entry


def group_for(event: str, program: str) -> dict[str, Any]:
    """Return the group that registers *program* for *event*; without a matcher it is for all.

    With "args" the client spawns it directly, without a shell; clients before 2.1.139 ignore it.
    """
    timeout = COMPACT_TIMEOUT_SECONDS if event == COMPACT_EVENT else TIMEOUT_SECONDS
    hook = {"type": "command", "command": program, "args": [], "timeout": timeout}
    matcher = MATCHERS.get(event)
    return ({"matcher": matcher} if matcher else {}) | {"hooks": [hook]}


def registered(text: str, hook: str, *, cuts: bool = False, menus: bool = False) -> str:
    """Return the settings with exactly one registration: of *hook* and the programs beside it.

    With *cuts* the hook that cuts results is one of them; with *menus* an agent may run our verbs
    for menus without being asked. An older registration is replaced where it stands, if nobody
    else's hook shares its group. A status line of the user's keeps its place and fields: ours
    calls it (`users_status_line`).

    Raises:
        Trouble: the text is no settings file, or "hooks" in it is not what it should be.
    """
    if not text.strip(_BLANK):
        text += "{}\n"
    folder = hook.rpartition("/")[0]
    text = _with_group(text, EVENT, hook)
    text = _with_group(text, COMPACT_EVENT, f"{folder}/{PRECOMPACT}")
    if cuts:
        text = _with_group(text, RESULT_EVENT, f"{folder}/{POSTTOOLUSE}")
    else:
        text = _without_groups(text, RESULT_EVENT)
    if menus:
        text = _with_rules(text, menu_rules(folder))
    return _with_status_line(text, f"{folder}/{STATUSLINE}")


def _with_group(text: str, event: str, program: str) -> str:
    """Return the settings with exactly one group of ours for *event*."""
    group = group_for(event, program)
    ours = _ours(text, event)
    if len(ours) == 1:
        old = ours[0].group
        if old.value == group:
            return text
        if len(ours[0].handlers.value) == 1:
            return text[: old.start] + _printed(text, group, old.start) + text[old.end :]
    if ours:
        text = _without_groups(text, event)
    top = _top(text)
    hooks = _member(text, top, "hooks", dict)
    if hooks is None:
        return _appended(text, top, "hooks", {event: [group]})
    groups = _member(text, hooks.value_start, event, list)
    if groups is None:
        return _appended(text, hooks.value_start, event, [group])
    return _appended(text, groups.value_start, "", group)


def menu_rules(folder: str) -> list[str]:
    """Return the allow rules for our verbs, in the very words that a refusal names.

    The client compares letters: a path in quotes, for a blank in it, needs them in the rule too.
    """
    command = quoted_name(f"{folder}/{COMMAND}")
    return [f"Bash({command} {verb} *)" for verb in MENU_VERBS]


def has_menu_rules(text: str) -> bool:
    """Say whether allow rules of ours stand in the settings.

    Raises:
        Trouble: as `registered`.
    """
    return bool(text.strip(_BLANK)) and bool(_our_rules(text))


def _rules(text: str) -> tuple[Entry | None, Entry | None]:
    """Return the settings' permissions and their allow rules, as far as they are there."""
    permissions = _member(text, _top(text), "permissions", dict)
    allow = permissions and _member(text, permissions.value_start, "allow", list)
    return permissions, allow


def _our_rules(text: str) -> list[Entry]:
    allow = _rules(text)[1]
    mark = f"/priced-context/{COMMAND} "
    found = entries(text, allow.value_start) if allow else []
    return [
        rule
        for rule in found
        if isinstance(rule.value, str) and mark in rule.value.replace("'", "")
    ]


def _with_rules(text: str, rules: list[str]) -> str:
    if [rule.value for rule in _our_rules(text)] == rules:
        return text
    text = _without_rules(text)
    permissions, allow = _rules(text)
    if permissions is None:
        return _appended(text, _top(text), "permissions", {"allow": rules})
    if allow is None:
        return _appended(text, permissions.value_start, "allow", rules)
    for rule in rules:
        text = _appended(text, allow.value_start, "", rule)
    return text


def _without_rules(text: str) -> str:
    while ours := _our_rules(text):
        permissions, allow = _rules(text)
        if permissions is None or allow is None:
            break
        if len(allow.value) > 1:
            text = _cut(text, allow.value_start, ours[0].start)
        elif len(permissions.value) > 1:
            text = _cut(text, permissions.value_start, allow.start)
        else:
            text = _cut(text, _top(text), permissions.start)
    return text


def unregistered(text: str, users_line: str = "") -> str:
    """Return the settings without us, and without the containers that this leaves empty.

    *users_line* is what `users_status_line` gave before we came; it gets its place back.

    Raises:
        Trouble: as `registered`.
    """
    text = _without_rules(_without_status_line(text, users_line))
    for event in (RESULT_EVENT, COMPACT_EVENT, EVENT):
        text = _without_groups(text, event)
    return text


def _without_groups(text: str, event: str) -> str:
    while ours := _ours(text, event):
        hooks, groups, group, handlers = ours[0]
        if len(handlers.value) > 1:
            start = next(e for e in entries(text, handlers.value_start) if is_ours(e.value)).start
            text = _cut(text, handlers.value_start, start)
        elif len(groups.value) > 1:
            text = _cut(text, groups.value_start, group.start)
        elif len(hooks.value) > 1:
            text = _cut(text, hooks.value_start, groups.start)
        else:
            text = _cut(text, _top(text), hooks.start)
    return text


def registered_hooks(text: str) -> list[str]:
    """Return the command of each registration of ours in the settings.

    Raises:
        Trouble: as `registered`.
    """
    if not text.strip(_BLANK):
        return []
    return [
        handler["command"]
        for place in _ours(text, EVENT)
        for handler in place.handlers.value
        if is_ours(handler)
    ]


def is_registered(text: str) -> bool:
    """Say whether anything of ours stands in the settings.

    Raises:
        Trouble: as `registered`.
    """
    if not text.strip(_BLANK):
        return False
    has_group = any(_ours(text, event) for event in (EVENT, COMPACT_EVENT, RESULT_EVENT))
    return has_group or _is_our_line(_status_line(text))


def users_status_line(text: str) -> str:
    """Return the command of the user's own status line as JSON text, "" where there is none.

    Raises:
        Trouble: as `registered`.
    """
    line = _status_line(text) if text.strip(_BLANK) else None
    return "" if line is None or _is_our_line(line) else text[line.value_start : line.end]


def _status_line(text: str) -> Entry | None:
    """Return the command of the status line; None where there is none that the client would run."""
    lines = [entry for entry in entries(text, _top(text)) if entry.key == STATUS_LINE]
    if len(lines) != 1 or not isinstance(lines[0].value, dict):
        return None
    commands = [e for e in entries(text, lines[0].value_start) if e.key == "command"]
    is_one = len(commands) == 1 and isinstance(commands[0].value, str)
    return commands[0] if is_one else None


def _is_our_line(command: Entry | None) -> bool:
    end = f"/priced-context/{STATUSLINE}"
    return command is not None and command.value.rstrip("'").endswith(end)


def _with_status_line(text: str, program: str) -> str:
    """Return the settings with our status line, alone or in the place of the user's command."""
    ours = shlex.quote(program)
    command = _status_line(text)
    if command is not None:
        return text[: command.value_start] + json.dumps(ours) + text[command.end :]
    top = _top(text)
    if any(entry.key == STATUS_LINE for entry in entries(text, top)):
        return text  # of another shape: not ours to judge
    return _appended(text, top, STATUS_LINE, {"type": "command", "command": ours})


def _without_status_line(text: str, users_line: str) -> str:
    command = _status_line(text)
    if command is None or not _is_our_line(command):
        return text
    if users_line:
        return text[: command.value_start] + users_line + text[command.end :]
    top = _top(text)
    line = next(entry for entry in entries(text, top) if entry.key == STATUS_LINE)
    return _cut(text, top, line.start)


def is_ours(handler: object) -> bool:
    """Say whether a hook of the settings is this product's, of any version or state folder."""
    command = handler.get("command") if isinstance(handler, dict) else None
    return isinstance(command, str) and command.endswith(OURS)


def entries(text: str, at: int) -> list[Entry]:
    """Return what the container that opens at offset *at* holds, in order; the text is JSON."""
    found = []
    is_object = text[at] == "{"
    position = _skip(text, at + 1)
    while text[position] not in "}]":
        if text[position] == ",":
            position = _skip(text, position + 1)
        start, key = position, ""
        if is_object:
            key, position = _decode(text, start)
            position = _skip(text, _skip(text, position) + 1)  # over the colon
        value, end = _decode(text, position)
        found.append(Entry(key, value, start, position, end))
        position = _skip(text, end)
    return found


def _top(text: str) -> int:
    """Return where the settings object opens.

    Raises:
        Trouble: the text is not JSON, or not an object.
    """
    bare = text.removeprefix(_BOM)
    try:
        value = json.loads(bare, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Trouble(f"not JSON at {where} ({error.msg}): repair it and try again") from error
    except RecursionError:
        raise Trouble("nested too deeply to be settings: repair it and try again") from None
    if not isinstance(value, dict):
        raise Trouble("not a JSON object: settings stand between { and }")
    return text.index("{")


def _refuse_constant(name: str) -> None:
    raise Trouble(f"{name} is not JSON: repair it and try again")


def _member(text: str, at: int, key: str, kind: type) -> Entry | None:
    """Return the member *key* of the object that opens at *at*.

    Raises:
        Trouble: it stands there twice, or is not of that kind.
    """
    named = [entry for entry in entries(text, at) if entry.key == key]
    if not named:
        return None
    line = text.count("\n", 0, named[-1].start) + 1
    if len(named) > 1:
        raise Trouble(f'"{key}" stands twice in one object (again on line {line}): keep one')
    if not isinstance(named[0].value, kind):  # never for `object`
        wanted = "an object" if kind is dict else "a list"
        raise Trouble(f'"{key}" on line {line} is not {wanted}: the client would ignore it too')
    return named[0]


def _ours(text: str, event: str) -> list[Place]:
    """Return where each registration of ours for *event* stands: one place a group."""
    hooks = _member(text, _top(text), "hooks", dict)
    groups = hooks and _member(text, hooks.value_start, event, object)
    found = []
    is_list = groups is not None and isinstance(groups.value, list)
    for group in entries(text, groups.value_start) if groups and is_list else []:
        held = group.value.get("hooks") if isinstance(group.value, dict) else None
        if hooks and groups and isinstance(held, list) and any(map(is_ours, held)):
            handlers = _member(text, group.start, "hooks", list)
            if handlers:
                found.append(Place(hooks, groups, group, handlers))
    return found


def _appended(text: str, at: int, key: str, value: object) -> str:
    """Return the text with one more entry at the end of the container that opens at *at*.

    It is set off as the last entry there is; in an empty container, as the file's indentation
    has it.
    """
    there = entries(text, at)
    label = json.dumps(key) + ": " if key else ""
    if there:
        last = there[-1]
        gap = text[len(text[: last.start].rstrip(" \t\r\n")) : last.start]
        new = label + _printed(text, value, last.start)
        return text[: last.end] + "," + (gap or " ") + new + text[last.end :]
    close = _skip(text, at + 1)
    if not _is_multiline(text):
        return text[: at + 1] + label + json.dumps(value) + text[close:]
    outer = _newline(text) + _indentation(text, at)
    inner = outer + _unit(text)
    new = label + json.dumps(value, indent=_unit(text)).replace("\n", inner)
    return text[: at + 1] + inner + new + outer + text[close:]


def _cut(text: str, at: int, start: int) -> str:
    """Return the text without the entry at *start* of the container at *at*, nor its comma."""
    there = entries(text, at)
    index = [entry.start for entry in there].index(start)
    if len(there) == 1:
        return text[: at + 1] + text[_skip(text, there[0].end) :]
    if index == 0:
        return text[:start] + text[there[1].start :]
    return text[: there[index - 1].end] + text[there[index].end :]


def _printed(text: str, value: object, start: int) -> str:
    """Return *value* as it is laid out at offset *start*: over lines if its line begins there."""
    indentation = _indentation(text, start)
    line_start = text.rfind("\n", 0, start) + 1
    if not line_start or text[line_start:start] != indentation:
        return json.dumps(value)
    return json.dumps(value, indent=_unit(text)).replace("\n", _newline(text) + indentation)


def _is_multiline(text: str) -> bool:
    top = text.index("{")
    return not entries(text, top) or "\n" in text[top:].rstrip()


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indentation(text: str, at: int) -> str:
    """Return the blanks that begin the line of offset *at*."""
    line_start = text.rfind("\n", 0, at) + 1
    rest = text[line_start:at]
    return rest[: len(rest) - len(rest.lstrip(" \t"))]


def _unit(text: str) -> str:
    """Return one step of the file's indentation; two blanks where it shows none."""
    top = text.index("{")
    first = next(iter(entries(text, top)), None)
    return (first and "\n" in text[top : first.start] and _indentation(text, first.start)) or "  "


def _skip(text: str, position: int) -> int:
    """Return the offset of the next character that is no blank."""
    blank = _SPACES.match(text, position)
    return blank.end() if blank else position
