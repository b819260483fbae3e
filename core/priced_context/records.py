"""Every noun of one tool call, as plain slotted records. Read this module first.

No dataclass and no NamedTuple here: importing `dataclasses` or `typing` costs more than the
whole hot path (benchmarks/cold_start.py).
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


class Intake:
    """What one tool call would bring into the context: its kind and the reads behind it."""

    __slots__ = ("kind", "reads")

    kind: str
    reads: "list[Read]"
    """In output order. Empty for the kinds without a file of their own."""

    def __init__(self, kind: str = NONE, reads: "list[Read] | None" = None) -> None:
        self.kind = kind
        self.reads = reads or []
