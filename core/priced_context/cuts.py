"""A bounded Read in place of a larger one: the last lines that fit, or a shorter range."""

from priced_context.files import kind_of, lines_from, read_tail
from priced_context.policy import FEWEST_LINES
from priced_context.prices import price_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.records import Intake, Read

FIT_SHARE = 0.8
"""Part of the budget that a cut aims at: prices are right within a fifth (docs/pricing.md)."""
LARGEST_BYTES = 64 << 20
"""Lines of a larger file are not counted; such a Read is refused instead."""
SPAN_BYTES_PER_TOKEN = 8
"""How much of the text is looked at; it has 2 to 5 bytes a token."""

_LOGS = " log txt out err trace jsonl ndjson "


class Cut:
    """The lines a rewritten Read shows, exact, as the client numbers them."""

    __slots__ = ("asked_lines", "first_line", "line_count", "tokens", "total_lines")

    first_line: int
    line_count: int
    tokens: int
    asked_lines: int
    """How many the call asked for; where they fit after all there is nothing to cut."""
    total_lines: int
    """Of the file: one more than it has newlines."""

    def __init__(
        self, first_line: int, line_count: int, tokens: int, asked_lines: int, total_lines: int
    ) -> None:
        self.first_line = first_line
        self.line_count = line_count
        self.tokens = tokens
        self.asked_lines = asked_lines
        self.total_lines = total_lines


def is_log(path: str) -> bool:
    """Say whether a file's end is what is wanted of it: code has an outline, a log has not."""
    return f" {kind_of(path)} " in _LOGS or ".log." in path[path.rfind("/") :]


def cut_of(intake: "Intake", budget_tokens: int, family: str) -> Cut | None:
    """Return the bounded Read that fits, or None where a refusal serves better.

    Raises:
        OSError: the file went away.
    """
    read = intake.reads[0]
    if not is_log(read.path) or read.size_bytes > LARGEST_BYTES:
        return None
    cut = (_last_lines if read.is_whole else _first_lines)(read, budget_tokens, family)
    return cut if cut.line_count >= min(FEWEST_LINES, cut.asked_lines) else None


def _last_lines(read: "Read", budget_tokens: int, family: str) -> Cut:
    """Fit the file's end, priced on its own text: logs change their shape on the way."""
    total_lines = lines_from(read.path, 1, 0, LARGEST_BYTES)[0] + 1
    text, is_all = read_tail(read.path, budget_tokens * SPAN_BYTES_PER_TOKEN)
    tokens = price_text(text, family, read.line_prefix, total_lines)
    if is_all and tokens < budget_tokens:
        return Cut(1, total_lines, tokens, total_lines, total_lines)
    text = text[-_fitting_bytes(text, tokens, budget_tokens) :]
    tokens = price_text(text, family, read.line_prefix, total_lines)
    line_count = text.count(b"\n")
    return Cut(total_lines + 1 - line_count, line_count, tokens, total_lines, total_lines)


def _first_lines(read: "Read", budget_tokens: int, family: str) -> Cut:
    """Keep where the range starts and shorten it, priced on its own text."""
    span_bytes = budget_tokens * SPAN_BYTES_PER_TOKEN
    newlines, text = lines_from(read.path, read.first_line, span_bytes, LARGEST_BYTES)
    rest = max(0, newlines + 2 - read.first_line)
    asked = rest if read.line_count is None else min(rest, read.line_count)
    pieces = text.split(b"\n", asked)
    is_all = len(pieces) > asked or len(text) < span_bytes
    text = b"\n".join(pieces[:asked])
    last_line = read.first_line + len(pieces[:asked]) - 1
    tokens = price_text(text, family, read.line_prefix, last_line)
    if is_all and tokens < budget_tokens:
        return Cut(read.first_line, asked, tokens, asked, newlines + 1)
    text = text[: _fitting_bytes(text, tokens, budget_tokens)]
    line_count = text.count(b"\n")
    tokens = price_text(text, family, read.line_prefix, read.first_line + line_count)
    return Cut(read.first_line, line_count, tokens, asked, newlines + 1)


def _fitting_bytes(text: bytes, tokens: int, budget_tokens: int) -> int:
    return int(len(text) * min(1.0, budget_tokens * FIT_SHARE / max(1, tokens)))
