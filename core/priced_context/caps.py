"""What the host's tools really return: their limits, and what they add around a file's text.

Measured on the clients that docs/hosts.md lists; docs/pricing.md says how.
"""

from priced_context.files import environment, whole_number

READ_CAP_TOKENS = 25_000
"""A Read of more is cut or refused; CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS overrides it."""
PAGE_SHARE = 0.85
"""Part of the cap that the first page of a larger file fills."""
READ_CAP_BYTES = 256 * 1024
"""A Read without `limit` of a larger file is an error."""
READ_ERROR_TOKENS = 60
"""What such an error costs."""
BASH_CAP_CHARS = 30_000
"""A command that prints more is shown as a 2 KB preview; BASH_MAX_OUTPUT_LENGTH only lowers it."""
BASH_PREVIEW_TOKENS = 600

MCP_CAP_TOKENS = 25_000
"""A server's result of more is an error that names a file; MAX_MCP_OUTPUT_TOKENS overrides it."""

PARTIAL_SINCE = (2, 1, 145)
"""From this client on a whole Read over the cap gives its first page, before it an error."""

LINE_PREFIX_TOKENS = {
    "": 0.0,
    "tab": 2.15,  # Read: `12<TAB>line`
    "arrow6": 3.14,  # Read of clients up to 2.1.6x: `    12→line`
    "cat-n": 3.13,  # `    12<TAB>line`
    "grep-n": 2.15,  # `12:line`
}
"""Tokens a line that the line's number costs, up to line 999; one more from there on."""

READ_PREFIXES = ("tab", "arrow6")
"""Those of the client's own Read."""


class Limits:
    """The caps in force for one call."""

    __slots__ = ("bash_chars", "has_pages", "mcp_tokens", "read_tokens")

    read_tokens: int
    bash_chars: int
    mcp_tokens: int
    has_pages: bool
    """A whole Read over the cap returns a page; without it, an error."""

    def __init__(
        self,
        read_tokens: int = READ_CAP_TOKENS,
        bash_chars: int = BASH_CAP_CHARS,
        mcp_tokens: int = MCP_CAP_TOKENS,
        *,
        has_pages: bool = True,
    ) -> None:
        self.read_tokens = read_tokens
        self.bash_chars = bash_chars
        self.mcp_tokens = mcp_tokens
        self.has_pages = has_pages

    @property
    def page_tokens(self) -> int:
        return int(self.read_tokens * PAGE_SHARE)


def limits_of(client_version: str) -> Limits:
    """Return the caps of a client ("2.1.332"; "" counts as the newest) in this environment."""
    return Limits(
        whole_number(environment("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS")) or READ_CAP_TOKENS,
        min(whole_number(environment("BASH_MAX_OUTPUT_LENGTH")) or BASH_CAP_CHARS, BASH_CAP_CHARS),
        whole_number(environment("MAX_MCP_OUTPUT_TOKENS")) or MCP_CAP_TOKENS,
        has_pages=not client_version or version_of(client_version) >= PARTIAL_SINCE,
    )


def version_of(text: str) -> tuple[int, ...]:
    """Return "2.1.332" as (2, 1, 332); parts that are not numbers count as 0."""
    return tuple([whole_number(part) for part in text.split(".")])


def frame_tokens(generation: tuple[int, int], results: int = 1) -> int:
    """Return what the results of one turn cost around their texts, for a model's generation.

    Parallel results cost more than alone: the second 48 tokens, each further 23
    (benchmarks/prices.py).
    """
    parallel = 48 + 23 * (results - 2) if results > 1 else 0
    if generation <= (4, 6):
        return 12 + parallel
    return (11 if generation == (4, 7) else 4) + parallel
