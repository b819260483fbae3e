"""An upper estimate of a text's tokens from its bytes alone: no tokenizer, no state.

Fourteen counts of byte classes and class changes times non-negative coefficients (quantile
regression at 0.997): additive, monotone, deterministic. On single segments it is below the
true count in 0.6% (o200k) to 1.4% (Claude) of cases and about a third above it at the median; on
whole requests it was never below (benchmarks/budget_bills.py prints requests against bills).
"""

from functools import lru_cache

FEATURES = (
    "lower",
    "upper",
    "digit",
    "space",
    "newline",
    "other blank",
    "punctuation",
    "lead byte of 2",
    "lead byte of 3 or 4",
    "words",
    "numbers",
    "punctuations",
    "blanks",
    "humps",
)

_WORD, _DIGIT, _PUNCTUATION, _BLANK, _UPPER, _NEWLINE, _SPACE, _HIGH = (
    1 << bit for bit in range(8)
)


def _class_of(byte: int) -> int:
    if byte >= 0x80:
        return _WORD | _HIGH
    character = chr(byte)
    if character.isalpha():
        return _WORD | (_UPPER if character.isupper() else 0)
    if character.isdigit():
        return _DIGIT
    if character == " ":
        return _BLANK | _SPACE
    if character == "\n":
        return _BLANK | _NEWLINE
    return _BLANK if character in "\t\v\f\r" else _PUNCTUATION


_CLASSES = bytes(map(_class_of, range(256)))
_LEAD2 = bytes(range(0xC0, 0xE0))
_LEAD3 = bytes(range(0xE0, 0x100))

# Quantile regressions over 6,482 segments (o200k) and 1,026 files (Claude families).
_COEFFICIENTS = {
    "o200k": (
        (0.23246, 0.56494, 0.21156, 0.17702, 1.17894, 0.41509, 0.49177),
        (1.11414, 2.67623, 0.14651, 1.69508, 0.17812, 0.0, 0.60226),
    ),
    "claude-3-4.6": (
        (0.25652, 0.65873, 0.0, 0.09206, 1.03012, 0.14941, 0.5527),
        (0.67179, 1.86198, 0.0, 2.62912, 0.6736, 0.0, 1.13762),
    ),
    "claude-4.7+": (
        (0.39891, 1.02079, 0.11732, 0.22409, 0.89908, 1.58533, 1.02974),
        (0.71741, 2.1322, 0.0, 1.78814, 0.21197, 0.0, 0.66341),
    ),
}
MODELS = tuple(_COEFFICIENTS)

_PIECE_BYTES = 1 << 14  # bit tricks on longer integers no longer fit the processor's cache


@lru_cache(maxsize=8)
def _ones(length: int) -> int:
    return int.from_bytes(b"\x01" * length, "little")


def features(data: bytes) -> tuple[int, ...]:
    """Return the counts named in `FEATURES`; the last five count where such a run begins.

    One `translate`, then bit counts of the classes as one long integer: a run of a class starts
    where its bit is set and the previous byte's is not.
    """
    ones = _ones(_PIECE_BYTES)
    if len(data) != _PIECE_BYTES:
        ones &= (1 << 8 * len(data)) - 1
    classes = int.from_bytes(data.translate(_CLASSES), "little")
    starts = classes & ~(classes << 8)
    words = classes & ones
    uppers = classes >> 4 & ones
    highs = classes >> 7 & ones
    lowers = words ^ uppers ^ highs
    newlines = (classes >> 5 & ones).bit_count()
    spaces = (classes >> 6 & ones).bit_count()
    return (
        lowers.bit_count(),
        uppers.bit_count(),
        (classes >> 1 & ones).bit_count(),
        spaces,
        newlines,
        (classes >> 3 & ones).bit_count() - newlines - spaces,
        (classes >> 2 & ones).bit_count(),
        len(data) - len(data.translate(None, _LEAD2)),
        len(data) - len(data.translate(None, _LEAD3)),
        (starts & ones).bit_count(),
        (starts >> 1 & ones).bit_count(),
        (starts >> 2 & ones).bit_count(),
        (starts >> 3 & ones).bit_count(),
        (lowers << 8 & uppers).bit_count(),
    )


def upper_bound(data: bytes, model: str) -> int:
    """Return tokens that the UTF-8 text *data* hardly exceeds; *model* is one of `MODELS`."""
    coefficients = (*_COEFFICIENTS[model][0], *_COEFFICIENTS[model][1])
    tokens = 0.0
    for start in range(0, len(data), _PIECE_BYTES):
        counts = features(data[start : start + _PIECE_BYTES])
        tokens += sum(map(float.__mul__, coefficients, map(float, counts)))
    return min(len(data), int(tokens) + 1)
