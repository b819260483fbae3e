"""OpenAI Chat Completions and Responses: frames, tool declarations, calls, images."""

import json

import msgspec

from priced_context.budget.content import (
    HISTORY,
    STABLE_SYSTEM,
    TOOL_SCHEMA,
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
from priced_context.budget.framing.declarations import (
    CLOSING,
    FIRST,
    FURTHER,
    OPENING,
    declaration,
)
from priced_context.budget.models import GPT_NEW

MESSAGE = 3
NO_DESCRIPTION = -1
NAME = 1  # beyond the tokens of a participant's name


class Constants(msgspec.Struct, frozen=True):
    """The frames of one API and family, least absolute deviations over its bills."""

    base: int
    answer: int
    """Beyond `MESSAGE`, for each text of the assistant."""
    tools: int
    tools_with_system: int
    further_tool: int
    call: int
    """A call and its result, beyond both messages, the name and the arguments."""
    parallel_call: int
    """Besides, for each further call in the same turn."""


_CONSTANTS = {
    ("openai-chat", False): Constants(3, 0, 9, 5, 0, 7, 16),
    ("openai-chat", True): Constants(2, 2, 91, 90, -1, 13, 12),
    ("openai-responses", False): Constants(3, 0, 2, 10, 1, 8, -6),
    ("openai-responses", True): Constants(2, 2, 9, 9, 0, 13, 10),
}

# Tokens of an image: fixed, and for each tile of 512 pixels (OpenAI's page on images). The small
# models bill the same picture at a multiple.
_TILES = {"gpt-4o-mini": (2833, 5667), "gpt-5": (70, 140), "o": (75, 150), "": (85, 170)}
_UNKNOWN_TILES = 4


class OpenAIFraming:
    """*words* counts text in the model's encoding."""

    version = "openai-1"

    def __init__(self, words: Words, model: str, family: str, api: str) -> None:
        self.words = words
        self.model = model
        self.api = api
        self.constants = _CONSTANTS[
            api if api == "openai-responses" else "openai-chat", family == GPT_NEW
        ]

    def tokens(self, part: Part, *, is_first: bool) -> list[int]:
        costs = [
            sum(self._item(item, is_first=is_first) for item in draft.items)
            for draft in part.drafts
        ]
        if part.section in ("messages", "system"):
            costs[0] += self._message(part)
        return list(map(whole, costs))

    def frames(self, shape: Shape, census: Census) -> list[Frame]:  # noqa: ARG002 - see Framing
        known = self.constants
        frames = [Frame(STABLE_SYSTEM, "$", "request frame", known.base)]
        if census.tool_count:
            tokens = known.tools_with_system if census.has_system else known.tools
            tokens += known.further_tool * (census.tool_count - 1)
            tokens += whole(self.words(OPENING) + self.words(CLOSING))
            frames.append(Frame(TOOL_SCHEMA, "$.tools", "hidden tool frame", tokens))
        if census.adjacent_calls:
            tokens = known.parallel_call * census.adjacent_calls
            frames.append(Frame(HISTORY, "$.input", "parallel calls", tokens))
        return frames

    def _message(self, part: Part) -> float:
        tokens = MESSAGE + self.words(part.role)
        if part.name and part.role != "function":
            tokens += NAME + self.words(part.name)
        calls = sum(isinstance(item, Call) for draft in part.drafts for item in draft.items)
        if calls > 1:
            tokens += self.constants.parallel_call * (calls - 1)
        elif part.role == "assistant" and not calls:
            tokens += self.constants.answer
        return tokens

    def _item(self, item: Item, *, is_first: bool) -> float:
        match item:
            case Text(text):
                return self.words(text)
            case Tool():
                text = (FIRST if is_first else FURTHER) + declaration(item)
                return self.words(text) + (0 if item.description else NO_DESCRIPTION)
            case Call(name, arguments):
                shown = arguments if isinstance(arguments, str) else _compact(arguments)
                return self.constants.call + self.words(name) + self.words(shown)
            case Result(_, items):
                return sum(self._item(inner, is_first=is_first) for inner in items)
            case Image(width, height, detail):
                return image_tokens(width, height, detail, self.model)
            case Schema(value):
                return self.words(_compact(value))
            case Opaque():
                return 0


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def image_tokens(width: int, height: int, detail: str, model: str) -> int:
    """Return the tokens of an image by OpenAI's tile rule."""
    key = next((name for name in _TILES if model.startswith(name)), "")
    fixed, a_tile = _TILES[key]
    if detail == "low":
        return fixed
    if not width or not height:
        return fixed + a_tile * _UNKNOWN_TILES
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    columns, rows = -(-width * scale // 512), -(-height * scale // 512)
    return fixed + a_tile * int(max(1, columns) * max(1, rows))
