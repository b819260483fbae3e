"""From a peek at a file to its price: bytes → tokens → bucket → tag.

`price = content + line prefixes + frame`. Content is a linear model over byte classes, counted on
four stretches of 1 KiB spread over the file; docs/pricing.md shows its error against real bills.
"""

from priced_context.caps import (
    BASH_PREVIEW_TOKENS,
    LINE_PREFIX_TOKENS,
    READ_CAP_BYTES,
    READ_ERROR_TOKENS,
    READ_PREFIXES,
    frame_tokens,
)
from priced_context.files import read_spread
from priced_context.records import (
    BASH,
    CALIBRATED,
    CAPPED,
    MCP,
    PEEK,
    UNBOUNDED,
    UNPRICED,
    Bill,
    Price,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.caps import Limits
    from priced_context.factors import Factors
    from priced_context.records import Intake, Read

PEEK_PIECE_BYTES = 1024
PEEK_PIECES = 4

CLAUDE_OLDER = "claude-3-4.6"
CLAUDE_NEWER = "claude-4.7+"
O200K = "o200k"
NOT_CLAUDES = (99, 0)
"""The generation of a model whose id tells none: above every one of Claude's."""

# Tokens for each occurrence, in the order of `features`; fitted to provider counts of 1,026
# files (o200k: 6,337), checked by benchmarks/prices.py.
COEFFICIENTS = {
    CLAUDE_OLDER: (
        0.0319, 0.15593, 0.11077, 0.09146, 1.1811, 0.35798, 0.18825,
        0.47585, 1.00519, 0.91274, 1.54463, 0.93452, -0.12338, 1.64656,
    ),
    CLAUDE_NEWER: (
        0.21502, 0.71884, 0.22091, 0.08355, 1.04856, 0.3968, 0.49283,
        0.56741, 1.11222, 0.50672, 1.22452, 0.75364, -0.12519, 1.31676,
    ),
    O200K: (
        0.01455, 0.04952, 0.17961, 0.08268, 0.66095, 0.48285, 0.17103,
        0.29376, 0.42989, 0.8524, 1.31915, 0.59401, 0.0277, 1.1143,
    ),
}  # fmt: skip
RATE_RANGE = (0.02, 1.6)
"""Tokens a byte that any text can have; the model is held inside."""
TYPICAL_RATE = {CLAUDE_OLDER: 0.34, CLAUDE_NEWER: 0.44, O200K: 0.28}
"""Tokens a byte of the median file, for output that cannot be looked at."""
CODED_RATE = 0.65
"""Tokens a byte of hex dumps and base64, between their medians (0.61 and 0.84)."""

EDGES = (707, 1414, 3162, 7071, 14142, 31623, 70711)
LABELS = ("<1k", "~1k", "~2k", "~5k", "~10k", "~20k", "~50k", "~100k+")
_CENTRES = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
_LINE_STEPS = (2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
_PERCENTS = (1, 2, 5, 10, 15, 20, 30, 40, 50, 75, 100)


def bucket_of(tokens: int) -> int:
    """Return the index of the bucket that quotes *tokens*; an edge belongs to the upper one."""
    for index, edge in enumerate(EDGES):
        if tokens < edge:
            return index
    return len(EDGES)


def quoted(tokens: int) -> int:
    """Return the price that is quoted for *tokens*: its bucket's."""
    return _CENTRES[bucket_of(tokens)]


def tag(tokens: int, window_tokens: "int | None") -> str:
    """Return the price as it is quoted: `~20k tok (~10% of window)`.

    The share is the bucket's, so the words do not change inside a bucket.
    """
    bucket = bucket_of(tokens)
    words = f"{LABELS[bucket]} tok"
    if not window_tokens:
        return words
    percent = 100 * _CENTRES[bucket] / window_tokens
    if percent < 0.7:  # nearer to 0.5 than to 1
        return f"{words} (under 1% of window)"
    more = "+" if bucket == len(EDGES) else ""  # the last bucket has no upper end
    return f"{words} (~{_nearest(percent, _PERCENTS)}%{more} of window)"


def line_label(tokens_per_line: float) -> int:
    """Return what a line is quoted at: the nearest, in ratio, of 2 5 10 20 50 …"""
    return _nearest(max(tokens_per_line, 1.0), _LINE_STEPS)


def _nearest(value: float, steps: "tuple[int, ...]") -> int:
    """Return the step nearest in ratio; halfway belongs to the upper one."""
    square = value * value
    below = steps[0]
    for step in steps:
        if square < below * step and step != below:
            return below
        below = step
    return below


# What a byte is, as bits, so that one pass over one big integer counts every class.
_WORD, _DIGIT, _PUNCTUATION, _BLANK, _UPPER, _NEWLINE, _SPACE, _HIGH = (1 << n for n in range(8))


def _class_of(byte: int) -> int:
    if byte >= 0x80:
        return _WORD | _HIGH
    if 97 <= byte <= 122:
        return _WORD
    if 65 <= byte <= 90:
        return _WORD | _UPPER
    if 48 <= byte <= 57:
        return _DIGIT
    if byte == 32:
        return _BLANK | _SPACE
    if byte == 10:
        return _BLANK | _NEWLINE
    return _BLANK if byte in (9, 11, 12, 13) else _PUNCTUATION


_CLASSES = bytes([_class_of(byte) for byte in range(256)])
_TWO_BYTE_LEADS = bytes(range(0xC0, 0xE0))
_LONGER_LEADS = bytes(range(0xE0, 0x100))
_CONTINUATIONS = bytes(range(0x80, 0xC0))


def features(text: bytes) -> "tuple[int, ...]":
    """Count 14 byte classes of *text*, in the order that `COEFFICIENTS` has.

    Lower-case letters, capitals, digits, spaces, newlines, other blanks, punctuation, leads of
    two-byte and of longer characters; then starts of runs: words, numbers, punctuation, blanks;
    then humps (`aB`).
    """
    size = len(text)
    ones = int.from_bytes(b"\x01" * size, "little")
    classes = int.from_bytes(text.translate(_CLASSES), "little")
    starts = classes & ~(classes << 8)  # a class whose byte before is not of it

    words = classes & ones
    upper = classes >> 4 & ones
    high = classes >> 7 & ones
    lower = words ^ upper ^ high
    spaces = (classes >> 6 & ones).bit_count()
    newlines = (classes >> 5 & ones).bit_count()
    return (
        lower.bit_count(),
        upper.bit_count(),
        (classes >> 1 & ones).bit_count(),
        spaces,
        newlines,
        (classes >> 3 & ones).bit_count() - spaces - newlines,
        (classes >> 2 & ones).bit_count(),
        size - len(text.translate(None, _TWO_BYTE_LEADS)),
        size - len(text.translate(None, _LONGER_LEADS)),
        (starts & ones).bit_count(),
        (starts >> 1 & ones).bit_count(),
        (starts >> 2 & ones).bit_count(),
        (starts >> 3 & ones).bit_count(),
        (lower << 8 & upper).bit_count(),
    )


def tokens_per_byte(counts: "tuple[int, ...]", size_bytes: int, family: str) -> float:
    """Return the rate that the model gives to *size_bytes* of text with these `features`."""
    weights = COEFFICIENTS[family]
    tokens = 0.0
    for weight, count in zip(weights, counts, strict=True):
        tokens += weight * count
    lowest, highest = RATE_RANGE
    return min(max(tokens / size_bytes, lowest), highest)


def family_of(model: str) -> str:
    """Return the tokenizer family of a model id; an unknown one counts as Claude's newest."""
    if model.startswith(("gpt-", "o1", "o3", "o4")):
        return O200K
    return CLAUDE_OLDER if generation_of(model) <= (4, 6) else CLAUDE_NEWER


def generation_of(model: str) -> tuple[int, int]:
    """Return (4, 6) for `claude-opus-4-6-20260101`; NOT_CLAUDES for another vendor's id."""
    _, is_claude, rest = model.partition("claude-")
    numbers: list[int] = []
    for word in rest.replace("@", "-").replace("[", "-").split("-"):
        if word.isdecimal() and len(word) <= 2:
            numbers.append(int(word))
        elif numbers:
            break
    if not is_claude or not numbers:
        return NOT_CLAUDES
    return (numbers[0], numbers[1] if numbers[1:] else 0)


def prefix_tokens(prefix: str, first_line: int, line_count: float) -> float:
    """Return what the numbers before *line_count* lines cost, from *first_line* on."""
    per_line = LINE_PREFIX_TOKENS[prefix]
    if not per_line:
        return 0.0
    past_999 = max(0.0, first_line + line_count - 1 - max(999, first_line - 1))
    return line_count * per_line + past_999


def price_text(text: bytes, family: str, prefix: str, last_line: int) -> int:
    """Return the tokens of *text* as it stands, its lines numbered up to *last_line*."""
    if not text:
        return 0
    counts = features(text)
    tokens = tokens_per_byte(counts, len(text), family) * len(text)
    lines = counts[4] + 1
    return int(tokens + prefix_tokens(prefix, max(1, last_line + 1 - lines), lines))


def price_intake(
    intake: "Intake", limits: "Limits", model: str, factors: "Factors | None" = None
) -> Bill:
    """Price a call: every read, then the host's caps over what they print together, then the frame.

    A file that cannot be opened or is not text has no price and adds nothing.
    """
    family = family_of(model)
    if intake.kind == UNBOUNDED:
        return Bill(int(limits.bash_chars * TYPICAL_RATE[family]), CAPPED, [])
    if not intake.reads:
        return Bill(0, UNPRICED, [])
    prices = [_price_or_nothing(read, family, factors) for read in intake.reads]
    cap = _cap_of(intake, prices, limits)
    tokens = sum([price.tokens for price in prices])
    if cap is not None and tokens:
        for price in prices:
            price.cap(price.tokens * cap // tokens)
        tokens = cap
    return Bill(tokens + frame_tokens(generation_of(model)), prices[0].basis, prices)


def _cap_of(intake: "Intake", prices: "list[Price]", limits: "Limits") -> int | None:
    """Return what the tool gives in place of a result that is too large; None: all of it."""
    tokens = sum([price.tokens for price in prices])
    if intake.tool == BASH:
        is_over = sum([price.chars for price in prices]) > limits.bash_chars
        return BASH_PREVIEW_TOKENS if is_over else None
    if intake.tool == MCP:
        return READ_ERROR_TOKENS if tokens > limits.mcp_tokens else None
    if intake.lifts_caps:
        return None
    read = intake.reads[0]
    if read.line_count is None and read.size_bytes > READ_CAP_BYTES:  # an offset is no range here
        return READ_ERROR_TOKENS
    if tokens <= limits.read_tokens:
        return None
    return limits.page_tokens if read.is_whole and limits.has_pages else READ_ERROR_TOKENS


def _price_or_nothing(read: "Read", family: str, factors: "Factors | None") -> Price:
    try:
        if not factors:
            return price_read(read, family)
        from priced_context.factors import factor_for

        return price_read(read, family, factor_for(read.path, factors))
    except OSError:  # gone, or not ours to open: the call itself will say so
        return Price(0, UNPRICED)


def price_read(read: "Read", family: str, factor: float | None = None) -> Price:
    """Price one read before the host's caps, without the frame; at most 4 KiB are read.

    *factor* is what the user's own bills say of the text's price; None: they were not asked.

    Raises:
        OSError: the file cannot be opened; there is nothing to price.
    """
    peek = read_spread(read.path, read.size_bytes, PEEK_PIECE_BYTES, PEEK_PIECES)
    if not peek or (b"\0" in peek and read.byte_growth == 1):
        return Price(0, UNPRICED)
    counts = features(peek)
    rate = CODED_RATE if read.byte_growth != 1 else tokens_per_byte(counts, len(peek), family)
    rate *= read.byte_growth * (factor or 1.0)

    lines = max(1.0, counts[4] * read.size_bytes / len(peek))
    first, shown = _shown(read, lines)
    size_bytes = read.size_bytes * min(1.0, shown / lines)
    if read.byte_count is not None and abs(read.byte_count) < size_bytes:
        shown *= abs(read.byte_count) / size_bytes
        size_bytes = abs(read.byte_count)

    characters = len(peek.translate(None, _CONTINUATIONS)) / len(peek)
    return Price(
        int(size_bytes * rate + prefix_tokens(read.line_prefix, first, shown)),
        CALIBRATED if factor else PEEK,
        lines=int(lines),
        chars=int(size_bytes * read.byte_growth * characters),
        tokens_per_line=read.size_bytes / lines * rate + LINE_PREFIX_TOKENS[read.line_prefix],
    )


def _shown(read: "Read", lines: float) -> tuple[int, float]:
    """Return the first line a read shows and how many, of a file of about *lines* lines."""
    first = read.first_line if read.first_line > 0 else max(1, int(lines) + 1 + read.first_line)
    # The client's Read numbers one line more than there are newlines (docs/hosts.md).
    last = lines + 1 if read.line_prefix in READ_PREFIXES else lines
    to_the_end = max(1.0, last + 1 - first)
    count = read.line_count
    if count is None:
        return first, to_the_end
    return first, min(to_the_end, count) if count >= 0 else max(0.0, to_the_end + count)
