"""Every noun of one tool call, as plain slotted records.

No dataclass and no NamedTuple here: importing `dataclasses` or `typing` costs more than the
whole hot path (benchmarks/import_costs.py).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What a call would bring into the context, from the worst to price to the cheapest.
# A call that mixes kinds has the first of these that occurs in it.
DUMP = "dump"
"""Every line of the claimed ranges stands in the output: priced and judged."""
UNKNOWN = "unknown"
"""A reading command that cannot be resolved without running something: passes."""
UNBOUNDED = "unbounded"
"""Output of unknown size that is not one file's (`git log`, `grep -r`)."""
FILTERED = "filtered"
"""A part or a digest of the files, at most about 1.3 times their size."""
DUMP_OBJECT = "dump-object"
"""A dump whose size a stat cannot give (an object in git): passes."""
NONE = "none"
"""Nothing of a file reaches the context, or little by the command's own options."""

KINDS = (DUMP, UNKNOWN, UNBOUNDED, FILTERED, DUMP_OBJECT, NONE)


class ToolCall:
    """One tool call as the host announced it."""

    __slots__ = (
        "agent_id",
        "cwd",
        "permission_mode",
        "session_id",
        "tool",
        "tool_input",
        "transcript_path",
    )

    tool: str
    tool_input: "dict[str, Any]"
    """The whole input, every field as the host sent it; a rewrite echoes it."""
    session_id: str
    agent_id: str
    """The subagent's id; empty in the main loop."""
    cwd: str
    """Absolute; the session's current directory."""
    transcript_path: str
    """The main loop's log, also in a subagent."""
    permission_mode: str

    def __init__(
        self,
        tool: str,
        tool_input: "dict[str, Any]",
        session_id: str = "",
        agent_id: str = "",
        cwd: str = "",
        transcript_path: str = "",
        permission_mode: str = "",
    ) -> None:
        self.tool = tool
        self.tool_input = tool_input
        self.session_id = session_id
        self.agent_id = agent_id
        self.cwd = cwd
        self.transcript_path = transcript_path
        self.permission_mode = permission_mode


class Read:
    """One stretch of one regular file that a call would bring into the context."""

    __slots__ = (
        "byte_count",
        "byte_growth",
        "first_line",
        "line_count",
        "line_prefix",
        "path",
        "size_bytes",
    )

    path: str
    """Absolute, as the client resolves it; symlinks not followed."""
    size_bytes: int
    """The file's size when the call was classified; at least 1."""
    first_line: int
    """1-based. Negative counts from the end: -50 begins at the 50th line from the end."""
    line_count: int | None
    """Lines asked for, even past the end of the file; None means to the end of the file.
    Negative: to so many lines before the end, as `head -n -5` is -5."""
    byte_count: int | None
    """`head -c N`: at most N bytes from the start; `tail -c N` is -N. None: no such limit."""
    line_prefix: str
    """What the tool puts before each line: "" or a key of `caps.LINE_PREFIX_TOKENS`."""
    byte_growth: float
    """Bytes printed for each byte of the file: 1 as it stands, 1.35 base64, about 4.3 xxd."""

    def __init__(
        self,
        path: str,
        size_bytes: int,
        first_line: int = 1,
        line_count: int | None = None,
        byte_count: int | None = None,
        line_prefix: str = "",
        byte_growth: float = 1.0,
    ) -> None:
        self.path = path
        self.size_bytes = size_bytes
        self.first_line = first_line
        self.line_count = line_count
        self.byte_count = byte_count
        self.line_prefix = line_prefix
        self.byte_growth = byte_growth

    @property
    def is_whole(self) -> bool:
        return self.first_line == 1 and self.line_count is None and self.byte_count is None


READ, BASH, MCP = "Read", "Bash", "mcp"
"""Whose caps apply to a call: the client's Read, its shell, or a server's tool."""


class Intake:
    """What one tool call would bring into the context: its kind and the reads behind it."""

    __slots__ = ("kind", "lifts_caps", "reads", "tool")

    kind: str
    reads: "list[Read]"
    """In output order. Empty for the kinds without a file of their own."""
    tool: str
    """READ, BASH or MCP."""
    lifts_caps: bool
    """The call asks the client to lift its own limits (`allow_large`)."""

    def __init__(
        self,
        kind: str = NONE,
        reads: "list[Read] | None" = None,
        tool: str = BASH,
        *,
        lifts_caps: bool = False,
    ) -> None:
        self.kind = kind
        self.reads = reads or []
        self.tool = tool
        self.lifts_caps = lifts_caps


PEEK, CALIBRATED, CAPPED, UNPRICED = "peek", "calibrated", "capped", "unknown"
"""The basis of a price: a sample, a sample corrected by the user's own bills, the host's own
limit, or no price at all."""


class Price:
    """What one read adds to the context."""

    __slots__ = ("basis", "chars", "lines", "tokens", "tokens_per_line", "uncapped_tokens")

    tokens: int
    """After the host's caps on this read; 0 without a price."""
    basis: str
    lines: int
    """About how many lines the whole file has."""
    chars: int
    """Characters printed, as the host counts them against its caps."""
    tokens_per_line: float
    uncapped_tokens: int
    """What the read would cost without the host's caps."""

    def __init__(
        self,
        tokens: int,
        basis: str,
        lines: int = 0,
        chars: int = 0,
        tokens_per_line: float = 0.0,
    ) -> None:
        self.tokens = self.uncapped_tokens = tokens
        self.basis = basis
        self.lines = lines
        self.chars = chars
        self.tokens_per_line = tokens_per_line

    def cap(self, tokens: int) -> None:
        """Lower the price to what the host returns."""
        if tokens < self.tokens:
            self.chars = self.chars * tokens // self.tokens
            self.tokens = tokens
        self.basis = CAPPED


class Bill:
    """What a whole call adds to the context, frame included, after every cap."""

    __slots__ = ("basis", "prices", "tokens")

    tokens: int
    basis: str
    prices: "list[Price]"
    """One for each read of the intake, in its order."""

    def __init__(self, tokens: int, basis: str, prices: "list[Price]") -> None:
        self.tokens = tokens
        self.basis = basis
        self.prices = prices


class Window:
    """What is believed of an agent's context window."""

    __slots__ = (
        "client_version",
        "compacted_ms",
        "model",
        "model_tokens",
        "reservation_tokens",
        "source",
        "tokens",
        "used_tokens",
    )

    tokens: int | None
    """Its size as the user lets the client use it; None: not known."""
    used_tokens: int | None
    """Input and output of the last response; None: not known."""
    source: str
    """configured, status-line, transcript, observed, table, fresh or unknown."""
    model: str
    client_version: str
    """As the session's log says; "" where it does not."""
    reservation_tokens: int
    compacted_ms: int
    """When the last compaction seen in the log ran, Unix ms; what was told before is forgotten."""
    model_tokens: int | None
    """The model's own window, whatever the user lets the client use of it."""

    def __init__(
        self,
        tokens: int | None = None,
        used_tokens: int | None = None,
        source: str = "unknown",
        model: str = "",
        client_version: str = "",
        reservation_tokens: int = 0,
        compacted_ms: int = 0,
        model_tokens: int | None = None,
    ) -> None:
        self.tokens = tokens
        self.used_tokens = used_tokens
        self.source = source
        self.model = model
        self.client_version = client_version
        self.reservation_tokens = reservation_tokens
        self.compacted_ms = compacted_ms
        self.model_tokens = model_tokens

    @property
    def free_tokens(self) -> int | None:
        """What is left for input after reservation and margin; None: not known."""
        if self.tokens is None or self.used_tokens is None:
            return None
        from priced_context.room import free_tokens, safety_margin

        return free_tokens(
            self.tokens, self.used_tokens, self.reservation_tokens, safety_margin(self.used_tokens)
        )


PASS, DENY, REWRITE = "pass", "deny", "rewrite"
"""What the host is answered."""
NO_ROOM = "no-room"
"""Why the window holds a call back; remembered instead of DENY, for it is refused each time."""


class Verdict:
    """What the host is answered."""

    __slots__ = ("action", "reason", "updated_input")

    action: str
    """PASS, DENY or REWRITE."""
    reason: str
    """What the model reads: why it was refused, or what a rewrite left out. Empty: nothing."""
    updated_input: "dict[str, Any] | None"
    """REWRITE only: the whole new input."""

    def __init__(
        self,
        action: str = PASS,
        reason: str = "",
        updated_input: "dict[str, Any] | None" = None,
    ) -> None:
        self.action = action
        self.reason = reason
        self.updated_input = updated_input
