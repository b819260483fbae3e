"""The user's config.toml, checked in full: every unknown key and every wrong value is named.

The hot path reads the same file leniently (settings): what is wrong there is simply not used.
"""

import difflib
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from priced_context.files import read_regular
from priced_context.policy import SMALLEST_ROOM_TOKENS
from priced_context.room import DEFAULT_RESERVATION, free_tokens, safety_margin
from priced_context.settings import LARGEST_SOURCE_BYTES, MODES

Positive = Annotated[int, msgspec.Meta(gt=0)]

KEYS: dict[str, Any] = {
    "mode": Literal["steer", "observe", "off"],
    "window_tokens": Annotated[int, msgspec.Meta(gt=0, le=100_000_000)],
    "inline_budget_bytes": Positive,
    "read_budget_share": Annotated[float, msgspec.Meta(gt=0, le=1)],
    "read_budget_min": Positive,
    "read_budget_max": Positive,
    "allow": list[str],
    "analyst": list[str],
    "tools": list[str],
    "menus": bool,
    "cut_unpriced": bool,
}
"""What each key may hold; docs/settings.md says what it does."""


UNUSED = "; until then the default holds for this key"


def problems(path: Path) -> list[str]:
    """Return one sentence for each thing that is wrong in a config file; none for no file."""
    try:
        values = tomllib.loads(read_regular(str(path), LARGEST_SOURCE_BYTES).decode())
    except FileNotFoundError:
        return []
    except OSError as error:
        return [f"cannot be read: {error.strerror}"]
    except (ValueError, RecursionError) as error:  # tomllib's error says line and column
        return [f"not TOML: {error}; until it is, every default holds"]
    found = (_problem(key, value) for key, value in values.items())
    return [problem for problem in found if problem] or contradictions(values)


def contradictions(values: dict[str, Any]) -> list[str]:
    """Return what no window or no read could fit, in settings that are right one by one."""
    found = []
    lowest, highest = values.get("read_budget_min"), values.get("read_budget_max")
    if lowest and highest and lowest > highest:
        found.append(f"read_budget_min: {lowest:,} is more than read_budget_max, {highest:,}")
    window = values.get("window_tokens")
    free = free_tokens(window, 0, DEFAULT_RESERVATION, safety_margin(0)) if window else None
    if free is not None and free < SMALLEST_ROOM_TOKENS:
        kept = f"the {DEFAULT_RESERVATION:,} kept for the answer"
        found.append(f"window_tokens: {window:,} has no room beside {kept}: nothing is refused")
    return found


def wants_cuts(path: Path) -> bool:
    """Say whether a config switches the hook on that cuts results; False where it is broken."""
    try:
        content = read_regular(str(path), LARGEST_SOURCE_BYTES).decode()
        return tomllib.loads(content).get("cut_unpriced") is True
    except (OSError, ValueError, RecursionError):
        return False


def _problem(key: str, value: object) -> str:
    """Return what is wrong with one setting, or ""."""
    if key not in KEYS:
        near = difflib.get_close_matches(key, KEYS, n=1)
        meant = f"did you mean {near[0]!r}?" if near else "docs/settings.md lists them"
        return f"no setting {key!r}: {meant}"
    if key == "mode" and value not in MODES:
        return f"mode: {value!r} is none of {', '.join(MODES)}{UNUSED}"
    try:
        msgspec.convert(value, KEYS[key])
    except msgspec.ValidationError as error:
        where = key + str(error).partition("`$")[2].rstrip("`")
        return f"{where}: {str(error).partition(' - at `$')[0]}{UNUSED}"
    return ""
