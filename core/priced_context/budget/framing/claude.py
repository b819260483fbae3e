"""Anthropic Messages: frames, the hidden tool preamble, tools and calls, images."""

import json

from priced_context.budget.content import (
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
from priced_context.budget.models import plain_name
from priced_context.prices import CLAUDE_NEWER

# Read off recordings: tokens of the request and of each message.
REQUEST, MESSAGE = 4, 3
_NEW_MESSAGE = 2
_OPUS_4_7 = (8, 3)

# Least absolute deviations over 112 requests with tools and calls.
TOOL = 6.3
NO_DESCRIPTION = -0.7
CALL_AND_RESULT = 41.3
# The frame of a result is 12 tokens up to 4.6, 11 on Opus 4.7, 4 after it (public session logs).
_RESULT_SAVED, _RESULT_SAVED_OPUS_4_7 = 8, 1
ARGUMENT = 13.0
FURTHER_RESULT = 28.3
THINKING = 29
NAMED_TOOL = 4  # `tool_choice: tool` over `any`

# The hidden text round an answer's schema, which the model reads indented: 16 requests of 4.5
# within 10 tokens but for one; of later models there is one request.
_FORMAT, _FORMAT_NEW = 80, 110

# The hidden text before tools: with `tool_choice` auto or none, and with any or tool.
# Anthropic's page on tool use, 2026-08-22.
_PREAMBLES = {
    "claude-opus-5": (286, 406),
    "claude-opus-4-8": (290, 410),
    "claude-opus-4-7": (675, 804),
    "claude-opus-4-6": (497, 589),
    "claude-sonnet-4-6": (497, 589),
    "claude-opus-4-5": (496, 588),
    "claude-sonnet-4-5": (496, 588),
    "claude-haiku-4-5": (496, 588),
    "claude-sonnet-5": (354, 474),
    "claude-opus-4": (313, 315),
    "claude-sonnet-4": (313, 315),
    "claude-3-5-haiku": (264, 355),
}
# Tools whose schema the API holds: older models, 4.7 and later (the same page).
_HOSTED = {"hosted tool bash_": (244, 325), "hosted tool text_editor_": (700, 700)}
_PREAMBLE_OLD = (346, 346)
_PREAMBLE_NEW = (354, 474)

# An image is shrunk until neither its longer edge nor its tokens (28 by 28 pixels each) are over.
_PATCH = 28
_IMAGE_LIMITS = {False: (1568, 1568), True: (2576, 4784)}


class ClaudeFraming:
    """*words* counts text in the vocabulary of *family*."""

    version = "claude-1"

    def __init__(self, words: Words, model: str, family: str) -> None:
        self.words = words
        self.model = plain_name(model)
        self.is_new = family == CLAUDE_NEWER
        self.call_and_result = CALL_AND_RESULT
        if self.is_new:
            is_first = self.model == "claude-opus-4-7"
            self.call_and_result -= _RESULT_SAVED_OPUS_4_7 if is_first else _RESULT_SAVED

    def tokens(self, part: Part, *, is_first: bool) -> list[int]:  # noqa: ARG002 - no joint text here
        costs = [sum(map(self._item, draft.items)) for draft in part.drafts]
        if part.section == "messages":
            costs[0] += self._request_and_message()[1]
            results = [i for i, draft in enumerate(part.drafts) if draft.type == "result"]
            for further in results[1:]:
                costs[further] += FURTHER_RESULT
        return list(map(whole, costs))

    def frames(self, shape: Shape, census: Census) -> list[Frame]:
        base, _ = self._request_and_message()
        frames = [Frame(STABLE_SYSTEM, "$", "request frame", base)]
        if census.tool_count:
            preamble = self._preamble()[shape.tool_choice in ("any", "tool")]
            preamble += NAMED_TOOL if shape.tool_choice == "tool" else 0
            frames.append(Frame(TOOL_SCHEMA, "$.tools", "hidden tool preamble", preamble))
        if shape.is_thinking:
            frames.append(Frame(STABLE_SYSTEM, "$.thinking", "thinking frame", THINKING))
        return frames

    def _request_and_message(self) -> tuple[int, int]:
        if not self.is_new:
            return REQUEST, MESSAGE
        return _OPUS_4_7 if self.model == "claude-opus-4-7" else (REQUEST, _NEW_MESSAGE)

    def _preamble(self) -> tuple[int, int]:
        name = self.model
        while name:
            if name in _PREAMBLES:
                return _PREAMBLES[name]
            name = name.rpartition("-")[0]
        return _PREAMBLE_NEW if self.is_new else _PREAMBLE_OLD

    def _item(self, item: Item) -> float:
        match item:
            case Text(text):
                return self.words(text)
            case Tool(name, description, parameters):
                shown = {"name": name, "parameters": parameters}
                if description:
                    shown = {"description": description, **shown}
                return self.words(compact(shown)) + TOOL + (0 if description else NO_DESCRIPTION)
            case Call(name, arguments):
                return self.call_and_result + self.words(name) + self._arguments(arguments)
            case Result(_, items):
                return sum(map(self._item, items))
            case Image(width, height):
                return image_tokens(width, height, is_new=self.is_new)
            case Format(schema):
                text = json.dumps(schema, ensure_ascii=False, indent=2)
                return self.words(text) + (_FORMAT_NEW if self.is_new else _FORMAT)
            case Schema(value):
                return self.words(compact(value))
            case Opaque(what):
                costs = (tokens for name, tokens in _HOSTED.items() if what.startswith(name))
                return next(costs, (0, 0))[self.is_new]

    def _arguments(self, arguments: object) -> float:
        if not isinstance(arguments, dict):
            return self.words(compact(arguments))
        return sum(
            ARGUMENT
            + self.words(key)
            + self.words(value if isinstance(value, str) else compact(value))
            for key, value in arguments.items()
        )


def image_tokens(width: int, height: int, *, is_new: bool) -> int:
    """Return the tokens of an image; of one whose size is not known the most it can cost.

    The image is shrunk to the largest size that meets both limits. Of the sizes that matter, one
    side is a whole number of patches, so whole numbers suffice.
    """
    edge, limit = _IMAGE_LIMITS[is_new]
    if not width or not height:
        return limit
    longer = max(width, height)
    shrunk = (edge, longer) if longer > edge else (1, 1)
    most = _patches(width, *shrunk) * _patches(height, *shrunk)
    if most <= limit:
        return most
    fitting = (
        tokens
        for side, other in ((width, height), (height, width))
        for patches in range(1, edge // _PATCH + 1)
        if patches * _PATCH * longer <= edge * side
        and (tokens := patches * -(-other * patches // side)) <= limit
    )
    return max(fitting, default=limit)


def _patches(side: int, numerator: int, denominator: int) -> int:
    return max(1, -(-side * numerator // (denominator * _PATCH)))
