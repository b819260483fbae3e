"""What menus and maps are held under: the conservative count of the newest family.

No tokenizer, which takes half a second to load; of all families it counts the most.
"""

from priced_context.prices import CLAUDE_NEWER
from priced_context.tokens.byteclass import estimate, upper_bound


def count(text: str) -> int:
    """Return tokens that *text* hardly exceeds."""
    return upper_bound(text.encode("utf-8", "replace"), CLAUDE_NEWER)


def weight(text: str) -> float:
    """Return the same unrounded: the weights of whole lines add up."""
    return estimate(text.encode("utf-8", "replace"), CLAUDE_NEWER)
