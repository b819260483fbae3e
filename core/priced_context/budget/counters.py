"""Who counts: the protocol, and the two counters that need no network and no history."""

from itertools import pairwise
from typing import Protocol

import msgspec
import xxhash

from priced_context.budget.cache import CountCache, Entry
from priced_context.budget.content import Image, Item, Opaque, Part, Result
from priced_context.budget.framing import Census, Frame, Framing, Words
from priced_context.budget.framing.claude import ClaudeFraming
from priced_context.budget.framing.gemini import GeminiFraming
from priced_context.budget.framing.openai import OpenAIFraming
from priced_context.budget.models import (
    GEMINI_NEW,
    GEMINI_OLD,
    GPT_OLDEST,
    family_of,
    plain_name,
)
from priced_context.budget.request import Piece, Request
from priced_context.budget.rules import Rule
from priced_context.prices import CLAUDE_NEWER, CLAUDE_OLDER, O200K
from priced_context.tokens import RanksUnavailable, claude_tokens, count_text, encoding, upper_bound

EXACT = "exact"
"""The API's own count."""
BILLED = "billed base, estimated tail"
ESTIMATE = "estimate"
UPPER_BOUND = "upper estimate"


class Count(msgspec.Struct, frozen=True):
    """The tokens of one request, and who counted them."""

    entries: list[Entry]
    """One a piece of the request, in its order."""
    frames: list[Frame]
    counter: str
    exactness: str
    by_entry: tuple[str, ...] = ()
    """The exactness of each entry, where it differs between them."""


class Counter(Protocol):
    """Counts a whole request, part by part."""

    name: str
    version: str
    exactness: str

    def count(self, request: Request, rules: tuple[Rule, ...] = ()) -> Count:
        """Return the tokens of *request*; *rules* are the user's own, before the table.

        Raises:
            BudgetError: a part is not what its API takes there.
        """


class FramedCounter:
    """Counts each part's texts with one vocabulary and adds the frames of the model's family."""

    name = ""
    version = ""
    exactness = ""

    def __init__(self, cache: CountCache | None = None) -> None:
        self.cache = cache or CountCache()

    def words(self, family: str) -> Words:
        """Return what counts a text for *family*."""
        raise NotImplementedError

    def count(self, request: Request, rules: tuple[Rule, ...] = ()) -> Count:
        shape = request.shape
        family = family_of(shape.model, shape.api)
        framing = _framing(_Lazy(self, family), shape.model, family, shape.api)
        model = plain_name(shape.model)
        identity = (self.name, self.version, framing.version, model, shape.api, repr(rules))
        space = self.cache.space("\n".join(identity))
        entries = []
        section = ""
        for piece in request.pieces:
            is_first = piece.section != section
            section = piece.section
            seed = _SEEDS[section] + is_first
            key = xxhash.xxh3_128_digest(piece.raw, seed)
            entry = space.get(key)
            if entry is None:
                entry = space[key] = self._entry(request, piece, framing, rules, is_first=is_first)
            entries.append(entry)
        frames = framing.frames(shape, _census(shape.api, entries))
        counter = f"{self.name} {self.version}, {framing.version}"
        return Count(entries, frames, counter, self.exactness)

    def _entry(
        self,
        request: Request,
        piece: Piece,
        framing: Framing,
        rules: tuple[Rule, ...],
        *,
        is_first: bool,
    ) -> Entry:
        part = request.part(piece)
        places = tuple(request.places(piece, part, rules))
        tokens = tuple(framing.tokens(part, is_first=is_first))
        tally: dict[str, int] = {}
        for place, cost in zip(places, tokens, strict=True):
            tally[place.kind] = tally.get(place.kind, 0) + cost
        return Entry(
            places,
            tokens,
            tuple(_note(draft.items) for draft in part.drafts),
            part.blocks_key,
            len(part.drafts) if part.section == "tools" else 0,
            _is_call(part),
            part.role,
            tuple(tally.items()),
            b"".join([b"\x1e", *(place.kind.encode() + place.material for place in places)]),
        )


# Tokens on o200k's, from texts (median error 7%, that is 3 tokens: the texts are short).
_GEMINI_FACTORS = {GEMINI_OLD: 1.05, GEMINI_NEW: 1.11}

_SEEDS = {"system": 0, "tools": 2, "messages": 4, "format": 6}


class _Lazy:
    """Builds the vocabulary when the first text has to be counted: never, where all is cached."""

    def __init__(self, counter: FramedCounter, family: str) -> None:
        self.counter = counter
        self.family = family
        self.count: Words | None = None

    def __call__(self, text: str) -> float:
        if self.count is None:
            self.count = self.counter.words(self.family)
        return self.count(text) if text else 0


def _framing(words: Words, model: str, family: str, api: str) -> Framing:
    if family in (CLAUDE_OLDER, CLAUDE_NEWER):
        return ClaudeFraming(words, model, family)
    if family in _GEMINI_FACTORS:
        return GeminiFraming(words, plain_name(model))
    return OpenAIFraming(words, model, family, api)


def _census(api: str, entries: list[Entry]) -> Census:
    calls = 0
    if api == "openai-responses":  # elsewhere the calls of a turn stand in one message
        calls = sum(a.is_call and b.is_call for a, b in pairwise(entries))
    return Census(
        any(entry.role in ("system", "developer") for entry in entries),
        sum(entry.tool_count for entry in entries if entry.tool_count),
        calls,
    )


def _is_call(part: Part) -> bool:
    return part.section == "messages" and [draft.type for draft in part.drafts] == ["call"]


def _note(items: list[Item]) -> str:
    """Name what the request does not show of these items."""
    notes = []
    for item in items:
        if isinstance(item, Opaque):
            notes.append(f"not countable offline: {item.what}")
        elif isinstance(item, Image) and not item.width:
            notes.append("image of unknown size")
        elif isinstance(item, Result):
            notes.append(_note(item.items))
    return "; ".join(filter(None, notes))


class TiktokenCounter(FramedCounter):
    """tiktoken's o200k or cl100k, times the family's factor, with the family's frames.

    Where the ranks do not load, `ConservativeCounter` counts instead and the ledger says so.
    """

    name = "tiktoken"
    version = "1"
    exactness = ESTIMATE

    def words(self, family: str) -> Words:
        ranks = encoding("cl100k_base" if family == GPT_OLDEST else "o200k_base")
        if family in (CLAUDE_OLDER, CLAUDE_NEWER):
            return lambda text: claude_tokens(text, count_text(text, ranks), family)
        factor = _GEMINI_FACTORS.get(family, 1.0)
        return lambda text: count_text(text, ranks) * factor

    def count(self, request: Request, rules: tuple[Rule, ...] = ()) -> Count:
        try:
            return super().count(request, rules)
        except RanksUnavailable:
            return ConservativeCounter(self.cache).count(request, rules)


class ConservativeCounter(FramedCounter):
    """The byte model: no tokenizer, deterministic, hardly ever below the bill.

    Where a part of the request cannot be counted offline there is no bound, and the ledger says
    `estimate`.
    """

    name = "bytes"
    version = "1"
    exactness = UPPER_BOUND

    def words(self, family: str) -> Words:
        model = family if family in (CLAUDE_OLDER, CLAUDE_NEWER) else O200K
        return lambda text: upper_bound(text.encode(), model)

    def count(self, request: Request, rules: tuple[Rule, ...] = ()) -> Count:
        count = super().count(request, rules)
        by_entry = tuple(ESTIMATE if any(e.notes) else UPPER_BOUND for e in count.entries)
        is_bound = not request.shape.hidden and not any(frame.note for frame in count.frames)
        if is_bound and ESTIMATE not in by_entry:
            return count
        return msgspec.structs.replace(count, exactness=ESTIMATE, by_entry=by_entry)
