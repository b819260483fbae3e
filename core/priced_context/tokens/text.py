"""Exact counts of long texts in bounded memory and time."""

import re
from typing import TYPE_CHECKING

from priced_context.prices import O200K
from priced_context.tokens.byteclass import upper_bound

if TYPE_CHECKING:
    import tiktoken

# A token list takes some 36 bytes a token; a 50 MB text at once would take half a gigabyte.
PIECE_CHARACTERS = 1 << 18

# A run that the pattern cannot split is merged as one word. 64 Ki characters of it take tens of
# milliseconds; such a run is data, not text, and the byte model is close enough.
LONG_RUN = 1 << 16
_LONG_RUN = re.compile(rf"(?<!\S)\S{{{LONG_RUN},}}")  # from where a run starts: linear


def count_text(text: str, encoding: "tiktoken.Encoding") -> int:
    """Return the tokens of *text*, which holds no lone surrogate.

    Special tokens in it are counted as the text they are. Texts over `PIECE_CHARACTERS` are
    cut before a line that starts with a letter, a place where tokens never span, or, where there
    is none, anywhere (at most a token or two too many per cut).
    """
    if len(text) <= LONG_RUN:
        return len(encoding.encode_ordinary(text))
    tokens = 0
    end = 0
    for run in _LONG_RUN.finditer(text):
        tokens += _count_pieces(text[end : run.start()], encoding)
        tokens += upper_bound(run.group().encode(), O200K)
        end = run.end()
    return tokens + _count_pieces(text[end:], encoding)


def _count_pieces(text: str, encoding: "tiktoken.Encoding") -> int:
    tokens = 0
    start = 0
    while start < len(text):
        end = start + PIECE_CHARACTERS
        if end < len(text):
            end = _cut_before(text, start, end)
        tokens += len(encoding.encode_ordinary(text[start:end]))
        start = end
    return tokens


_LINE = re.compile(r"\n(?=[A-Za-z])")


def _cut_before(text: str, start: int, end: int) -> int:
    """Return the end of the last line before *end* whose next line starts with a letter."""
    window = max(start + 1, end - 4096)
    cut = end
    for line in _LINE.finditer(text, window, end):
        cut = line.end()
    return cut
