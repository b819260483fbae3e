"""What is known of each model: its window, its longest answer, the family its tokenizer belongs to.

Sources: of `client` the window is what Claude Code 2.1.332 reckons with, which for 4.6 is less than
the API can take (benchmarks/model_windows.py prints them); `docs` is the vendor's model page as of
2026-11, for OpenAI input and output limits added up where the page gives them apart. The longest
answer is always the page's.
"""

import re
from typing import NamedTuple

from priced_context.budget.faults import BudgetError
from priced_context.prices import CLAUDE_NEWER, CLAUDE_OLDER, generation_of

GPT_OLD = "gpt-4"
"""gpt-4o, gpt-4.1: o200k, the older framing."""
GPT_OLDEST = "gpt-4-cl100k"
"""gpt-3.5, gpt-4, gpt-4-turbo: cl100k, the older framing."""
GPT_NEW = "gpt-5"
"""The o-series and gpt-5 and later: o200k, the newer framing."""
GEMINI_OLD = "gemini-1-2"
GEMINI_NEW = "gemini-3"


class Model(NamedTuple):
    """One model's limits in tokens."""

    window_tokens: int
    output_tokens: int
    source: str


_1M = 1_000_000
_MI = 1_048_576

MODELS: dict[str, Model] = {
    "claude-2-1": Model(200_000, 4096, "docs"),
    "claude-3-haiku": Model(200_000, 4096, "client"),
    "claude-3-opus": Model(200_000, 4096, "docs"),
    "claude-3-5-haiku": Model(200_000, 8192, "client"),
    "claude-3-5-sonnet": Model(200_000, 8192, "docs"),
    "claude-3-7-sonnet": Model(200_000, 64_000, "client"),
    "claude-sonnet-4": Model(200_000, 64_000, "client"),
    "claude-sonnet-4-0": Model(200_000, 64_000, "docs"),
    "claude-opus-4": Model(200_000, 32_000, "docs"),
    "claude-opus-4-0": Model(200_000, 32_000, "docs"),
    "claude-opus-4-1": Model(200_000, 32_000, "docs"),
    "claude-haiku-4-5": Model(200_000, 64_000, "client"),
    "claude-sonnet-4-5": Model(200_000, 64_000, "client"),
    "claude-opus-4-5": Model(200_000, 64_000, "client"),
    "claude-sonnet-4-6": Model(200_000, 64_000, "client"),
    "claude-opus-4-6": Model(200_000, 128_000, "client"),
    "claude-opus-4-7": Model(_1M, 128_000, "client"),
    "claude-opus-4-8": Model(_1M, 128_000, "client"),
    "claude-haiku-5-5": Model(_1M, 128_000, "client"),
    "claude-sonnet-5": Model(_1M, 128_000, "client"),
    "claude-sonnet-5-5": Model(_1M, 128_000, "client"),
    "claude-opus-5": Model(_1M, 128_000, "client"),
    "claude-opus-5-5": Model(_1M, 128_000, "client"),
    "claude-fable-5": Model(_1M, 128_000, "client"),
    "claude-fable-5-1": Model(_1M, 128_000, "docs"),
    "claude-mythos-5": Model(_1M, 128_000, "client"),
    "claude-mythos-5-1": Model(_1M, 128_000, "docs"),
    "gpt-3.5-turbo": Model(16_385, 4096, "docs"),
    "gpt-3.5-turbo-0125": Model(16_385, 4096, "docs"),
    "gpt-3.5-turbo-1106": Model(16_385, 4096, "docs"),
    "gpt-4": Model(8192, 4096, "docs"),
    "gpt-4-0613": Model(8192, 4096, "docs"),
    "gpt-4-0125": Model(128_000, 4096, "docs"),
    "gpt-4-1106": Model(128_000, 4096, "docs"),
    "gpt-4-vision": Model(128_000, 4096, "docs"),
    "gpt-4-turbo": Model(128_000, 4096, "docs"),
    "gpt-4o": Model(128_000, 16_384, "docs"),
    "gpt-4o-mini": Model(128_000, 16_384, "docs"),
    "chatgpt-4o": Model(128_000, 16_384, "docs"),
    "gpt-4.1": Model(1_047_576, 32_768, "docs"),
    "gpt-4.1-mini": Model(1_047_576, 32_768, "docs"),
    "gpt-4.1-nano": Model(1_047_576, 32_768, "docs"),
    "o1": Model(200_000, 100_000, "docs"),
    "o1-mini": Model(128_000, 65_536, "docs"),
    "o1-pro": Model(200_000, 100_000, "docs"),
    "o3": Model(200_000, 100_000, "docs"),
    "o3-mini": Model(200_000, 100_000, "docs"),
    "o3-pro": Model(200_000, 100_000, "docs"),
    "o4-mini": Model(200_000, 100_000, "docs"),
    "gpt-5": Model(400_000, 128_000, "docs"),
    "gpt-5-mini": Model(400_000, 128_000, "docs"),
    "gpt-5-nano": Model(400_000, 128_000, "docs"),
    "gpt-5-chat": Model(128_000, 16_384, "docs"),
    "gpt-5-codex": Model(400_000, 128_000, "docs"),
    "gpt-5-pro": Model(400_000, 272_000, "docs"),
    "gpt-5.1": Model(400_000, 128_000, "docs"),
    "gpt-5.1-chat": Model(128_000, 16_384, "docs"),
    "gpt-5.1-codex": Model(400_000, 128_000, "docs"),
    "gpt-5.1-codex-max": Model(400_000, 128_000, "docs"),
    "gpt-5.1-codex-mini": Model(400_000, 128_000, "docs"),
    "gpt-5.2": Model(400_000, 128_000, "docs"),
    "gpt-5.2-chat": Model(128_000, 16_384, "docs"),
    "gpt-5.2-codex": Model(400_000, 128_000, "docs"),
    "gpt-5.2-pro": Model(400_000, 128_000, "docs"),
    "gpt-5.3-chat": Model(128_000, 16_384, "docs"),
    "gpt-5.3-codex": Model(400_000, 128_000, "docs"),
    "gpt-5.4": Model(1_050_000, 128_000, "docs"),
    "gpt-5.4-mini": Model(400_000, 128_000, "docs"),
    "gpt-5.4-nano": Model(400_000, 128_000, "docs"),
    "gpt-5.4-pro": Model(1_050_000, 128_000, "docs"),
    "gpt-5.5": Model(1_050_000, 128_000, "docs"),
    "gpt-5.5-pro": Model(1_050_000, 128_000, "docs"),
    "gpt-5.6": Model(1_050_000, 128_000, "docs"),
    "gpt-5.6-sol": Model(1_050_000, 128_000, "docs"),
    "gpt-5.6-terra": Model(1_050_000, 128_000, "docs"),
    "gpt-5.6-luna": Model(1_050_000, 128_000, "docs"),
    "gpt-6-astra": Model(1_050_000, 128_000, "docs"),
    "gpt-6-luna": Model(1_050_000, 128_000, "docs"),
    "gpt-6-sol": Model(1_050_000, 128_000, "docs"),
    "gpt-6.1-sol": Model(1_050_000, 128_000, "docs"),
    "gpt-6.1-terra": Model(1_050_000, 128_000, "docs"),
    "gemini-1.5-flash": Model(_MI, 8192, "docs"),
    "gemini-2.0-flash": Model(_MI, 8192, "docs"),
    "gemini-2.5-flash": Model(_MI, 65_536, "docs"),
    "gemini-2.5-flash-lite": Model(_MI, 65_536, "docs"),
    "gemini-2.5-pro": Model(_MI, 65_536, "docs"),
    "gemini-3-flash": Model(_MI, 65_536, "docs"),
    "gemini-3-pro": Model(_MI, 65_536, "docs"),
    "gemini-3.1-flash-lite": Model(_MI, 65_536, "docs"),
    "gemini-3.1-pro": Model(_MI, 65_536, "docs"),
    "gemini-3.5-flash": Model(_MI, 65_536, "docs"),
    "gemini-3.5-flash-lite": Model(_MI, 65_536, "docs"),
    "gemini-3.6-flash": Model(_MI, 65_536, "docs"),
    "gemini-3.7-flash": Model(_MI, 65_536, "docs"),
    "gemini-3.8-flash": Model(_MI, 65_536, "docs"),
}

# What vendors and resellers put round a model's name: `us.anthropic.claude-…-v1:0`, `models/…`,
# `…-20251001`, `…@20250219`, `…-2025-08-07`, `-latest`, `-preview`, `-001`.
_BEFORE = re.compile(r"^(?:[\w.-]+/)*(?:[a-z]{2,6}\.)?(?:anthropic\.)?")
_AFTER = re.compile(
    r"(?:[-@](?:20\d{6}|20\d\d-\d\d-\d\d)|-latest|-preview(?:-\d\d-\d\d(?:\d\d)?)?|-exp|-00\d|-v\d(?::\d)?)+$"
)
_LONG = "[1m]"


def plain_name(model: str) -> str:
    """Return *model* without vendor, date and channel: a key of `MODELS` where it is known."""
    name = model.strip().lower().removesuffix(_LONG)
    name = _AFTER.sub("", _BEFORE.sub("", name, count=1))
    return name.replace(".", "-") if name.startswith("claude") else name  # resellers: claude-…-4.5


def find_model(model: str) -> Model:
    """Return the limits of *model*.

    Raises:
        BudgetError: the table has no such model; a window is never guessed.
    """
    known = MODELS.get(plain_name(model))
    if known is None:
        raise BudgetError(
            f"no context window known for model {model!r}: give it with --model-context N "
            "(model_context_tokens)",
            "$.model",
        )
    if model.strip().lower().endswith(_LONG):
        return known._replace(window_tokens=_1M, source="the [1m] suffix")
    return known


def family_of(model: str, api: str) -> str:
    """Return the tokenizer family: by the model's name, of a name unknown the API's newest."""
    name = plain_name(model)
    if "claude" in name or (api == "anthropic" and not name.startswith(("gpt", "o1", "o3", "o4"))):
        return CLAUDE_OLDER if generation_of(name) <= (4, 6) else CLAUDE_NEWER
    if "gemini" in name or api == "gemini":
        return GEMINI_OLD if re.search(r"gemini-[12]\b", name) else GEMINI_NEW
    if name.startswith(("gpt-4o", "gpt-4.1", "chatgpt-4o")):
        return GPT_OLD
    if name.startswith(("gpt-3.5", "gpt-4")):
        return GPT_OLDEST
    return GPT_NEW
