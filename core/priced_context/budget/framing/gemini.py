"""Gemini generateContent: no cost a message, images by tiles; of tools only an estimate.

No public account says how Gemini renders tools, and no form tried is exact. What the bills do show:
words of a schema cost what they cost elsewhere, JSON punctuation costs nothing, and each tool and
each property carry a fixed price that differs by generation.
"""

from priced_context.budget.content import (
    STABLE_SYSTEM,
    Call,
    Format,
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
from priced_context.budget.framing import Census, Frame, Words, compact, whole
from priced_context.budget.slices import JSON

BASE = 1

# Tokens of a tool and of each of its properties beyond their words, by the start of the model's
# name (42 requests with tools: median error 5%, 95th percentile near 40%).
_TOOLS = {"gemini-1": (3.0, 0.0), "gemini-2.0": (3.0, 0.0), "gemini-2.5": (19.0, 13.5)}
_TOOLS_NOW = (14.0, 26.0)

_IMAGE_NOW = 1120  # from Gemini 3 on, at the default resolution (the page on media resolution)
_IMAGE_TILE = 258  # an image of at most 384 pixels either way, and each tile of 768 of a larger one


class GeminiFraming:
    """*words* counts text in o200k times the family's factor."""

    version = "gemini-1"

    def __init__(self, words: Words, model: str) -> None:
        self.words = words
        name = next((name for name in _TOOLS if model.startswith(name)), "")
        self.is_new = not name
        self.tool, self.property = _TOOLS.get(name, _TOOLS_NOW)

    def tokens(self, part: Part, *, is_first: bool) -> list[int]:  # noqa: ARG002 - no joint text here
        return [whole(sum(map(self._item, draft.items))) for draft in part.drafts]

    def frames(self, shape: Shape, census: Census) -> list[Frame]:  # noqa: ARG002 - none known
        return [Frame(STABLE_SYSTEM, "$", "request frame", BASE)]

    def _item(self, item: Item) -> float:
        match item:
            case Text(text):
                return self.words(text)
            case Tool(name, description, parameters):
                return (
                    self.tool
                    + self.words(name)
                    + self.words(description)
                    + self._schema(parameters)
                )
            case Call(name, arguments):
                return self.words(name) + self.words(compact(arguments))
            case Result(name, items):
                return self.words(name) + sum(map(self._item, items))
            case Image(width, height):
                return _IMAGE_NOW if self.is_new else image_tokens(width, height)
            case Format():  # not billed in 19 requests: it constrains the answer, unseen
                return 0
            case Schema(value):
                return self.words(compact(value))
            case Opaque():
                return 0

    def _schema(self, schema: JSON) -> float:
        """Return the words of a JSON schema and the price of its properties."""
        if not isinstance(schema, dict):
            return 0
        tokens = self.words(str(schema.get("description") or ""))
        tokens += sum(self.words(str(value)) for value in _list(schema.get("enum")))
        for key in ("properties", "$defs"):
            for name, inner in _dict(schema.get(key)).items():
                tokens += self.words(name) + self._schema(inner)
                tokens += self.property if key == "properties" else 0
        for inner in (schema.get("items"), *_list(schema.get("anyOf"))):
            tokens += self._schema(inner)
        return tokens


def _list(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []


def _dict(value: JSON) -> dict[str, JSON]:
    return value if isinstance(value, dict) else {}


def image_tokens(width: int, height: int) -> int:
    """Return the tokens of an image up to Gemini 2.5 (the page on image understanding)."""
    if max(width, height) <= 384:
        return _IMAGE_TILE
    return _IMAGE_TILE * -(-width // 768) * -(-height // 768)
