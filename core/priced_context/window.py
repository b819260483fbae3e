"""How full the context window is: the status line's word, the session's log, or what is known.

The hook's input says nothing of it (docs/hosts.md), so belief has sources, best first, and the
source is part of the answer.
"""

from priced_context.caps import version_of
from priced_context.files import (
    environment,
    make_directory,
    read_small,
    read_tail,
    replace,
    whole_number,
)
from priced_context.places import agent_log, project_file, session_folder
from priced_context.prices import NOT_CLAUDES, generation_of
from priced_context.records import Window
from priced_context.room import COMPACTION_RESERVE, DEFAULT_RESERVATION
from priced_context.wire import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from priced_context.records import ToolCall
    from priced_context.settings import Settings

TAIL_BYTES = (64 << 10, 256 << 10)
"""Lines of 14-58 KB stand between two usages, so a miss in the first tail tries the second."""
SMALL_WINDOW = 200_000
LARGE_WINDOW = 1_000_000
CLOCK_SKEW_MS = 60_000
"""A file written this much later than now is from a wrong clock."""

# Windows by the client's own word (benchmarks/model_windows.py): generations from here on have
# the large one, on clients from there on; and so has any model whose use was seen above the small.
LARGE_SINCE = (4, 7)
LARGE_SINCE_CLIENT = (2, 1, 285)
# Models whose longest answer is under the client's reservation of 20,000 tokens.
SMALL_OUTPUTS = {(3, 0): 4_096, (3, 5): 8_192}


class Usage:
    """What the tail of one agent's log says."""

    __slots__ = ("at_ms", "client_version", "compacted_ms", "is_empty", "model", "used_tokens")

    def __init__(self) -> None:
        self.model = ""
        self.used_tokens: int | None = None
        self.at_ms = 0
        self.compacted_ms = 0
        self.client_version = ""
        self.is_empty = False
        """The log is missing, or was read whole and holds neither usage nor boundary."""


def window_of(
    call: "ToolCall", state: str, project: str, settings: "Settings", now_ms: int
) -> Window:
    """Return what is believed of the window of the agent that makes *call*."""
    log = agent_log(call.transcript_path, call.session_id, call.agent_id)
    usage = last_usage(log, call.agent_id)
    folder = session_folder(state, call.session_id, call.agent_id)
    line = _status_line(folder, call.session_id, now_ms) if folder else {}
    return window_from(usage, line, state, project, settings)


def window_from(
    usage: "Usage", line: "dict[str, Any]", state: str, project: str, settings: "Settings"
) -> Window:
    """Return what the log's tail and the status line together make one believe."""
    source, model, used = "transcript", usage.model, usage.used_tokens
    if line and line["written_ms"] > usage.at_ms:
        source, model, used = "status-line", line["model"], line["used_tokens"]
    elif usage.is_empty:
        source, used = "fresh", 0
        model = model_last_seen(state, project)

    tokens, told_by = _size(state, settings, line, model, used, usage.client_version)
    if used is None or tokens is None:
        source = "unknown"
    elif told_by and source == "transcript":
        source = told_by
    return Window(
        _narrowed(tokens, settings),
        used,
        "configured" if settings.window_tokens else source,
        model,
        usage.client_version,
        reservation_of(model),
        usage.compacted_ms,
        tokens,
    )


def model_last_seen(state: str, project: str) -> str:
    """Return the model that the last session in this project used, or ""."""
    return read_small(project_file(state, project)).decode("ascii", "replace")


def keep_model(state: str, project: str, window: Window) -> None:
    """Remember the model for the project's next session, whose log is empty at first."""
    is_news = window.model and window.model != model_last_seen(state, project)
    if not is_news or window.source == "fresh":
        return
    try:
        make_directory(state + "/projects")
        replace(project_file(state, project), window.model.encode("ascii", "replace"))
    except (OSError, ValueError):  # a read-only state: the next session guesses
        pass


def last_usage(log: str, agent_id: str) -> Usage:
    """Read the end of an agent's log: its newest usage, or the compaction after it."""
    usage = Usage()
    try:
        for limit_bytes in TAIL_BYTES:
            tail, is_all = read_tail(log, limit_bytes)
            lines = tail.split(b"\n")
            _search(lines if is_all else lines[1:], agent_id, usage)
            if usage.model or is_all:
                usage.is_empty = is_all and not usage.model and not usage.compacted_ms
                break
    except FileNotFoundError:
        usage.is_empty = True
    except (OSError, ValueError):
        pass
    return usage


def _search(lines: "list[bytes]", agent_id: str, usage: Usage) -> None:
    """Fill *usage* from the newest response and the newest boundary; other lines are not parsed."""
    for raw in reversed(lines):
        may_be_boundary = b'"compact_boundary"' in raw
        if not may_be_boundary and (usage.model or b'"usage"' not in raw):
            continue
        line = _object(raw)
        if (line.get("agentId") or "") != agent_id if agent_id else line.get("isSidechain") is True:
            continue
        if line.get("subtype") == "compact_boundary":
            usage.compacted_ms = unix_ms(line.get("timestamp"))
            if usage.model:  # the response came after it
                return
            usage.at_ms = usage.compacted_ms
            usage.used_tokens = _count(line.get("compactMetadata"), "postTokens")
        elif line.get("type") == "assistant" and not usage.model:
            _read_response(line, usage)
            if usage.compacted_ms:
                return


def _read_response(line: "dict[str, Any]", usage: Usage) -> None:
    """Take model and use from an assistant line, if it carries them."""
    message = line.get("message")
    if type(message) is not dict or type(message.get("usage")) is not dict:
        return
    model = message.get("model")
    if type(model) is not str or not model or model == "<synthetic>":
        return
    usage.model = model
    requested = line.get("requestedModel")  # keeps the suffix that the answer has not
    if type(requested) is str and requested.endswith("[1m]") and not model.endswith("[1m]"):
        usage.model = model + "[1m]"
    version = line.get("version")
    usage.client_version = version if type(version) is str else ""
    if not usage.compacted_ms:
        usage.at_ms = unix_ms(line.get("timestamp"))
        usage.used_tokens = used_tokens_of(message["usage"])


_USAGE_FIELDS = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "output_tokens",
)


def used_tokens_of(counts: "dict[str, Any]") -> int:
    """Return what a response leaves in the window: its input, cached or not, and its output."""
    return sum([_count(counts, name) or 0 for name in _USAGE_FIELDS])


def _status_line(folder: str, session_id: str, now_ms: int) -> "dict[str, Any]":
    """Return the session's window.json, or {} where it is missing, torn, foreign or not of now."""
    line = _object(read_small(folder + "/window.json"))
    if (
        line.get("version") == 1
        and _count(line, "window_tokens")
        and _count(line, "used_tokens") is not None
        and 0 < (_count(line, "written_ms") or 0) <= now_ms + CLOCK_SKEW_MS
        and type(line.get("model")) is str
        and line.get("session_id", session_id) == session_id
    ):
        return line
    return {}


def _size(
    state: str,
    settings: "Settings",
    line: "dict[str, Any]",
    model: str,
    used: int | None,
    client_version: str,
) -> "tuple[int | None, str]":
    """Return the model's window and, where use alone proves it or a table says it, which."""
    if settings.window_tokens:
        return settings.window_tokens, ""
    if line and line["model"] == model:
        return line["window_tokens"], ""
    learned = learned_size(state, model) if model else 0
    if learned and learned >= (used or 0):
        return learned, ""
    if used is not None and used > SMALL_WINDOW:
        return LARGE_WINDOW, "observed"
    if not model:
        return (SMALL_WINDOW, "") if used == 0 else (None, "")
    if model.endswith("[1m]"):
        return LARGE_WINDOW, "table"
    generation = generation_of(model)
    if generation == NOT_CLAUDES:
        return None, ""
    knows_large = not client_version or version_of(client_version) >= LARGE_SINCE_CLIENT
    return (LARGE_WINDOW if generation >= LARGE_SINCE and knows_large else SMALL_WINDOW), "table"


def learned_size(state: str, model: str) -> int:
    """Return the window that a status line once named for *model*, else 0."""
    for row in reversed(read_small(state + "/sizes").split(b"\n")):
        name, _, tokens = row.partition(b"\t")
        if name == model.encode("utf-8", "replace") and tokens.isdigit() and len(tokens) < 10:
            return int(tokens)
    return 0


def _narrowed(tokens: int | None, settings: "Settings") -> int | None:
    """Hold a window to what the user lets the client use."""
    if tokens is None:
        return None
    limits = [tokens]
    from_environment = whole_number(environment("CLAUDE_CODE_AUTO_COMPACT_WINDOW"))
    if from_environment:
        limits.append(from_environment)
    elif settings.auto_compact_window:
        limits.append(settings.auto_compact_window)
    if environment("CLAUDE_CODE_DISABLE_1M_CONTEXT").lower() in ("1", "true", "yes", "on"):
        limits.append(SMALL_WINDOW)
    return min([limit for limit in limits if limit > 0])


def reservation_of(model: str) -> int:
    """Return the tokens kept for the answer, as the client reckons without a request at hand."""
    wanted = whole_number(environment("CLAUDE_CODE_MAX_OUTPUT_TOKENS"))
    longest = SMALL_OUTPUTS.get(generation_of(model), DEFAULT_RESERVATION)
    return min(wanted or longest, DEFAULT_RESERVATION)


def compaction_point(window: Window) -> int | None:
    """Return the use at which the client compacts by itself; None: not known, or never.

    Up to Claude 4.5 it waits for the API to refuse (docs/hosts.md).
    """
    is_off = environment("DISABLE_AUTO_COMPACT") or environment("DISABLE_COMPACT")
    if window.tokens is None or is_off or generation_of(window.model) <= (4, 5):
        return None
    effective = window.tokens - window.reservation_tokens
    percent = whole_number(environment("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE")) or 100
    return min(effective - COMPACTION_RESERVE, effective * percent // 100)


def unix_ms(timestamp: object) -> int:
    """Return the Unix time in ms of `2026-02-10T12:34:56.789Z`; 0 where it is not such a text."""
    if type(timestamp) is not str or len(timestamp) < 20 or not timestamp.endswith("Z"):
        return 0
    try:
        year, month, day = int(timestamp[:4]), int(timestamp[5:7]), int(timestamp[8:10])
        seconds = int(timestamp[11:13]) * 3600 + int(timestamp[14:16]) * 60 + int(timestamp[17:19])
        fraction = int((timestamp[20:-1] + "000")[:3])
    except ValueError:
        return 0
    # Days since 1970-01-01 in the Gregorian calendar, years beginning in March.
    year -= month < 3
    days = 365 * year + year // 4 - year // 100 + year // 400
    days += (153 * ((month + 9) % 12) + 2) // 5 + day - 719_469
    return (days * 86_400 + seconds) * 1000 + fraction


def _object(raw: bytes) -> "dict[str, Any]":
    try:
        value = parse(raw)
    except (ValueError, RecursionError):
        return {}
    return value if type(value) is dict else {}


def _count(record: object, name: str) -> int | None:
    """Return a field that is a whole number of at least 0, else None."""
    value = record.get(name) if type(record) is dict else None
    return value if type(value) is int and value >= 0 else None
