"""OpenAI Chat Completions and Responses: frames, tool declarations, calls, images."""

import math

import msgspec

from priced_context.budget.content import (
    HISTORY,
    STABLE_SYSTEM,
    TOOL_SCHEMA,
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
from priced_context.budget.framing.declarations import (
    FIRST,
    FURTHER,
    NAMESPACE_TOKENS,
    begins_undescribed,
    declaration,
)
from priced_context.budget.models import GPT_NEW, plain_name

MESSAGE = 3
NAME = 1  # beyond the tokens of a participant's name


class Constants(msgspec.Struct, frozen=True):
    """The frames of one API and family, least absolute deviations over its bills."""

    base: int
    answer: int
    """Beyond `MESSAGE`, for each text of the assistant."""
    tools: int
    tools_with_system: int
    further_tool: int
    undescribed_tool: tuple[int, int]
    """For a tool without description: the first, and each further one."""
    undescribed_property: tuple[int, int]
    """For a tool whose first property has none: likewise."""
    call: int
    """A call and its result, beyond both messages, the name and the arguments."""
    parallel_call: int
    """Besides, for each further call in the same turn."""


_CONSTANTS = {
    ("openai-chat", False): Constants(3, 0, 9, 5, 0, (0, -1), (-1, 0), 7, 16),
    ("openai-chat", True): Constants(2, 2, 91, 90, 0, (-1, -1), (-1, -1), 13, 12),
    ("openai-responses", False): Constants(3, 0, 2, 10, 1, (-1, -1), (0, 0), 8, 0),
    ("openai-responses", True): Constants(2, 2, 9, 9, 0, (-1, -1), (-1, -1), 13, 10),
}

# Tokens of an image (OpenAI's page on images). Most models: fixed, and for each tile of 512 pixels;
# the small gpt-4o bills the same picture at a multiple.
_TILES = {"gpt-4o-mini": (2833, 5667), "gpt-5": (70, 140), "o": (75, 150), "": (85, 170)}
# Others: a multiple of the patches of 32 pixels, and the most patches (5.4 on: read off bills).
_PATCHES = {
    "gpt-4.1-mini": (1.62, 1536),
    "gpt-4.1-nano": (2.46, 1536),
    "gpt-5-mini": (1.62, 1536),
    "gpt-5-nano": (2.46, 1536),
    "o4-mini": (1.72, 1536),
    "gpt-5.4": (1.0, 2500),
    "gpt-5.5": (1.0, 2500),
    "gpt-5.6": (1.0, 2500),
    "gpt-6": (1.0, 2500),
}
_UNKNOWN_SIDE = 1024  # an image behind an address: a square of the usual size


class OpenAIFraming:
    """*words* counts text in the model's encoding."""

    version = "openai-1"

    def __init__(self, words: Words, model: str, family: str, api: str) -> None:
        self.words = words
        self.model = plain_name(model)
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
            tokens += NAMESPACE_TOKENS
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
                return self._tool(item, is_first=is_first)
            case Call(name, arguments):
                shown = arguments if isinstance(arguments, str) else compact(arguments)
                return self.constants.call + self.words(name) + self.words(shown)
            case Result(_, items):
                return sum(self._item(inner, is_first=is_first) for inner in items)
            case Image(width, height, detail):
                return image_tokens(width, height, detail, self.model)
            case Format(schema, description):  # 25 requests, within 10 tokens but for one
                return self.words(compact(schema)) + self.words(description)
            case Schema(value):
                return self.words(compact(value))
            case Opaque():
                return 0

    def _tool(self, tool: Tool, *, is_first: bool) -> float:
        tokens = self.words((FIRST if is_first else FURTHER) + declaration(tool))
        if not tool.description:
            tokens += self.constants.undescribed_tool[not is_first]
        if begins_undescribed(tool.parameters):
            tokens += self.constants.undescribed_property[not is_first]
        return tokens


def image_tokens(width: int, height: int, detail: str, model: str) -> int:
    """Return the tokens of an image by the tile rule or, of the models that have it, by patches."""
    width, height = width or _UNKNOWN_SIDE, height or _UNKNOWN_SIDE
    for name, (multiple, limit) in _PATCHES.items():
        if model.startswith(name):
            return whole(min(limit, -(-width // 32) * -(-height // 32)) * multiple)
    fixed, a_tile = next(costs for name, costs in _TILES.items() if model.startswith(name))
    if detail == "low":
        return fixed
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    columns, rows = math.ceil(width * scale / 512), math.ceil(height * scale / 512)
    return fixed + a_tile * columns * rows
