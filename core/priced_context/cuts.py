"""A bounded Read in place of a larger one: the last lines that fit, or a shorter range."""

from priced_context.files import count_newlines, kind_of, read_tail
from priced_context.prices import price_text
from priced_context.records import READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.records import Intake, Price, Read

FIT_SHARE = 0.8
"""Part of the budget that a cut aims at: prices are right within a fifth (docs/pricing.md)."""
FEWEST_LINES = 5
"""A cut that shows less than this is no use: the lines are endless."""
LARGEST_BYTES = 64 << 20
"""Counting the lines of a larger file takes over 40 ms; such a Read is refused instead."""
TAIL_BYTES_PER_TOKEN = 8
"""How much of the file's end is looked at; text has 2 to 5 bytes a token."""

# What has an outline worth more than its last lines: code, markup, data.
HAS_MENU = (
    " py pyi js mjs cjs jsx ts tsx mts go rs java c h cc cpp cxx hh hpp cs rb php sh bash kt kts"
    " swift scala lua ex exs pl pm r jl hs clj erl dart zig m mm sql css scss less html htm xml"
    " vue svelte md mdx rst adoc tex json jsonc json5 yaml yml toml ini cfg conf csv tsv proto"
    " graphql tf cmake mk gradle "
)


class Cut:
    """The lines a rewritten Read shows."""

    __slots__ = ("first_line", "line_count", "tokens", "total_lines")

    first_line: int
    line_count: int
    tokens: int
    total_lines: int
    """Exact, as the client numbers them: one more after a final newline."""

    def __init__(self, first_line: int, line_count: int, tokens: int, total_lines: int) -> None:
        self.first_line = first_line
        self.line_count = line_count
        self.tokens = tokens
        self.total_lines = total_lines


def has_menu(path: str) -> bool:
    return f" {kind_of(path)} " in HAS_MENU


def cut_of(intake: "Intake", price: "Price", budget_tokens: int, family: str) -> Cut | None:
    """Return the bounded Read that fits, or None where a refusal serves better.

    Raises:
        OSError: the file went away.
    """
    read = intake.reads[0]
    if intake.tool != READ or has_menu(read.path) or read.size_bytes > LARGEST_BYTES:
        return None
    total_lines = count_newlines(read.path, LARGEST_BYTES) + 1
    target = int(budget_tokens * FIT_SHARE)
    if read.is_whole:
        cut = _last_lines(read, target, total_lines, family)
    else:
        line_count = int(target / max(price.tokens_per_line, 1.0))
        cut = Cut(read.first_line, line_count, target, total_lines)
    return cut if cut.line_count >= FEWEST_LINES else None


def _last_lines(read: "Read", target: int, total_lines: int, family: str) -> Cut:
    """Fit the file's end, priced on its own text: logs change their shape on the way."""
    tail, _ = read_tail(read.path, target * TAIL_BYTES_PER_TOKEN)
    tokens = price_text(tail, family, read.line_prefix, total_lines)
    if tokens > target:
        tail = tail[-int(len(tail) * target / tokens) :]
        tokens = price_text(tail, family, read.line_prefix, total_lines)
    line_count = min(tail.count(b"\n"), total_lines)
    return Cut(total_lines + 1 - line_count, line_count, tokens, total_lines)
