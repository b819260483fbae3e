"""Gemini generateContent: no cost a message, images by tiles; the framing of tools is not known."""

import json

from priced_context.budget.content import (
    STABLE_SYSTEM,
    Call,
    Image,
    Item,
    Opaque,
    Part,
    Result,
    Schema,
    Shape,
    Text,
    Tool,
)
from priced_context.budget.framing import Census, Frame, Words, whole

BASE = 1
_IMAGE_TILE = 258  # an image of at most 384 pixels either way, and each tile of 768 of a larger one


class GeminiFraming:
    """*words* counts text in o200k times the family's factor."""

    version = "gemini-1"

    def __init__(self, words: Words) -> None:
        self.words = words

    def tokens(self, part: Part, *, is_first: bool) -> list[int]:  # noqa: ARG002 - no joint text here
        return [whole(sum(map(self._item, draft.items))) for draft in part.drafts]

    def frames(self, shape: Shape, census: Census) -> list[Frame]:  # noqa: ARG002 - none known
        return [Frame(STABLE_SYSTEM, "$", "request frame", BASE)]

    def _item(self, item: Item) -> float:
        match item:
            case Text(text):
                return self.words(text)
            case Tool(name, description, parameters):
                schema = self.words(_compact(parameters)) if parameters else 0
                return self.words(name) + self.words(description) + schema
            case Call(name, arguments):
                return self.words(name) + self.words(_compact(arguments))
            case Result(name, items):
                return self.words(name) + sum(map(self._item, items))
            case Image(width, height):
                return image_tokens(width, height)
            case Schema(value):
                return self.words(_compact(value))
            case Opaque():
                return 0


def image_tokens(width: int, height: int) -> int:
    """Return the tokens of an image (Gemini's page on image understanding)."""
    if max(width, height) <= 384:
        return _IMAGE_TILE
    return _IMAGE_TILE * -(-width // 768) * -(-height // 768)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
