"""The account of one outgoing request: what each segment costs, what is left, may it be compacted.

Pure: the same bytes, counter and policy give the same ledger, whatever the clock, the folder or the
order of calls.
"""

from collections.abc import Iterator
from functools import cached_property

import msgspec
import xxhash

from priced_context.budget.content import (
    AUTHORITY,
    EVIDENCE,
    HISTORY,
    INSTRUCTION,
    KINDS,
    STABLE_SYSTEM,
    TODO_STATE,
    TOOL_SCHEMA,
    USER_TURN,
    WORKING_SET,
)
from priced_context.budget.counters import ESTIMATE, Count, Counter, TiktokenCounter
from priced_context.budget.faults import BudgetError
from priced_context.budget.models import Model, find_model
from priced_context.budget.request import Request, block_path, disassemble
from priced_context.budget.rules import Rule
from priced_context.room import DEFAULT_RESERVATION, free_tokens, is_eligible, safety_margin


class Policy(msgspec.Struct, frozen=True):
    """What the caller knows better than the request and the tables."""

    api: str = ""
    """One of `adapters.NAMES`; empty: told by the request's members."""
    model: str = ""
    """Counts instead of the request's own model."""
    model_context_tokens: int | None = None
    """The window; None: the table's, see `models`."""
    output_reservation_tokens: int | None = None
    """None: the request's `max_tokens`, else the model's longest answer, at most 20,000."""
    safety_margin_tokens: int | None = None
    """None: 2% of the input, at least 1,000."""
    rules: tuple[Rule, ...] = ()
    """Tried before the table of `rules`."""


class Row(msgspec.Struct, frozen=True, rename="camel"):
    """One line of the ledger: a segment, or tokens that belong to none (`bytes` 0)."""

    kind: str
    origin: str
    label: str
    tokens: int
    share: float
    """Of the total input, 0 to 1."""
    bytes: int
    hash: str
    exactness: str
    """How sure the count is: `exact`, `billed …`, `estimate`, `upper estimate`."""
    note: str
    """What in it cannot be counted offline; empty: nothing."""


class OutboundRequestBudget(msgspec.Struct, frozen=True, rename="camel", dict=True):
    """The fifteen fields of the contract, all token counts; `rows` has them by segment.

    The six kinds add up to `total_input_tokens`; adding reservation and margin gives
    `projected_total_tokens`; `free_tokens` is what the window has beyond that, negative where the
    request is overfull; `free_ratio` is its share of the window.
    """

    request_fingerprint: str
    """xxh3-128 over kinds and hashes of all segments, model and reservation; hexadecimal."""
    model_context_tokens: int
    stable_system_tokens: int
    tool_schema_tokens: int
    authority_tokens: int
    task_and_working_set_tokens: int
    evidence_tokens: int
    history_tokens: int
    output_reservation_tokens: int
    safety_margin_tokens: int
    total_input_tokens: int
    projected_total_tokens: int
    free_tokens: int
    free_ratio: float
    compaction_eligible: bool
    """Less than 40% of the window is free. A statement, not a permission."""

    @property
    def account(self) -> "Account":
        """The request and the counts behind the fields."""
        account: Account = self.__dict__["account"]
        return account

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """One row a segment in the order of the request, then the frames; built when asked for."""
        return tuple(self.account.rows(self.total_input_tokens))


def compile_outbound_request_budget(
    request: bytes | str | Request,
    *,
    counter: Counter | None = None,
    policy: Policy | None = None,
) -> OutboundRequestBudget:
    """Account for one request exactly as it will be sent. Reads nothing else and changes nothing.

    Args:
        request: the payload, UTF-8 JSON of Anthropic Messages, OpenAI Chat Completions, OpenAI
            Responses or Gemini generateContent; or what `disassemble` made of it.
        counter: who counts; by default tiktoken times the family's factor, and the byte model
            where tiktoken's ranks do not load. Nothing reaches the network.
        policy: overrides of what the request and the model table say.

    Raises:
        BudgetError: the request is broken (with the JSON path), or its model is in no table and
            `policy.model_context_tokens` does not say its window; or *policy* holds a negative.
    """
    policy = policy or Policy()
    _check(policy)
    if not isinstance(request, Request):
        request = disassemble(_as_bytes(request), api=policy.api, model=policy.model)
    model = _limits(request.shape.model, policy)
    reservation = _reservation(request, model, policy)
    count = (counter or TiktokenCounter()).count(request, policy.rules)
    account = Account(request, count)
    kinds = account.tokens_by_kind()
    total = sum(kinds.values())
    margin = policy.safety_margin_tokens
    margin = safety_margin(total) if margin is None else margin
    window = model.window_tokens
    free = free_tokens(window, total, reservation, margin)
    budget = OutboundRequestBudget(
        request_fingerprint=account.fingerprint(reservation),
        model_context_tokens=window,
        stable_system_tokens=kinds[STABLE_SYSTEM],
        tool_schema_tokens=kinds[TOOL_SCHEMA],
        authority_tokens=kinds[AUTHORITY],
        task_and_working_set_tokens=kinds[WORKING_SET],
        evidence_tokens=kinds[EVIDENCE],
        history_tokens=kinds[HISTORY],
        output_reservation_tokens=reservation,
        safety_margin_tokens=margin,
        total_input_tokens=total,
        projected_total_tokens=total + reservation + margin,
        free_tokens=free,
        free_ratio=free / window,
        compaction_eligible=is_eligible(free, window),
    )
    budget.__dict__["account"] = account
    return budget


def _check(policy: Policy) -> None:
    for what, tokens in (
        ("an output reservation", policy.output_reservation_tokens),
        ("a safety margin", policy.safety_margin_tokens),
    ):
        if tokens is not None and tokens < 0:
            raise BudgetError(f"{what} of {tokens} tokens: give 0 or more")


def _as_bytes(request: bytes | str) -> bytes:
    if isinstance(request, bytes):
        return request
    try:
        return request.encode()
    except UnicodeEncodeError as error:
        raise BudgetError("a lone surrogate, which no UTF-8 text can hold") from error


def _limits(model: str, policy: Policy) -> Model:
    """Return the limits of *model* under *policy*; raises BudgetError where nobody knows them."""
    window = policy.model_context_tokens
    if window is None:
        if not model:
            raise BudgetError("the request names no model: give one with --model", "$.model")
        return find_model(model)
    if window <= 0:
        raise BudgetError(f"a window of {window} tokens: give a positive number", "$.model")
    try:
        return find_model(model)._replace(window_tokens=window, source="given")
    except BudgetError:
        return Model(window, DEFAULT_RESERVATION, "given")


def _reservation(request: Request, model: Model, policy: Policy) -> int:
    for known in (policy.output_reservation_tokens, request.shape.reservation_tokens):
        if known is not None:
            return known
    return min(model.output_tokens, DEFAULT_RESERVATION)


class Account:
    """The request with its counts, before anything is summed."""

    def __init__(self, request: Request, count: Count) -> None:
        self.request = request
        self.count = count
        self._last = self._last_indices()
        self._first_turn = self._first_turn_index()

    def _last_indices(self) -> dict[str, int]:
        """Return the last entry that holds a user turn, and a todo list."""
        last: dict[str, int] = {}
        for index in range(len(self.count.entries) - 1, -1, -1):
            for kind, _ in self.count.entries[index].tally:
                if kind in _ONLY_LAST:
                    last.setdefault(kind, index)
            if len(last) == len(_ONLY_LAST):
                break
        return last

    def _first_turn_index(self) -> int:
        """Return the first entry of the conversation that is no leading instruction."""
        for index, entry in enumerate(self.count.entries):
            if self.request.pieces[index].section != "messages":
                continue
            if any(kind != INSTRUCTION for kind, _ in entry.tally):
                return index
        return len(self.count.entries)

    def kind(self, index: int, kind: str) -> str:
        """Return a kind of the contract for one that may hang on the place."""
        if kind in _ONLY_LAST:
            return WORKING_SET if self._last[kind] == index else HISTORY
        if kind == INSTRUCTION:
            return STABLE_SYSTEM if index < self._first_turn else AUTHORITY
        return kind

    def tokens_by_kind(self) -> dict[str, int]:
        tally: dict[str, int] = dict.fromkeys(KINDS, 0)
        for index, entry in enumerate(self.count.entries):
            for kind, tokens in entry.tally:
                tally[kind if kind in _FIXED else self.kind(index, kind)] += tokens
        for frame in self.count.frames:
            tally[frame.kind] += frame.tokens
        return tally

    def fingerprint(self, reservation: int) -> str:
        """No counter in it: a counter that falls back must not make a new request of an old one."""
        shape = self.request.shape
        seals = [f"{shape.api}\0{shape.model}\0{reservation}\0".encode()]
        seals.extend(entry.seal for entry in self.count.entries)
        return xxhash.xxh3_128_hexdigest(b"".join(seals))

    def spans(self) -> list[tuple[int, int] | None]:
        """Return start and end in the body for each of `rows`; None where a row has no bytes."""
        spans: list[tuple[int, int] | None] = [
            (piece.start + place.start, piece.start + place.end)
            for piece, entry in zip(self.request.pieces, self.count.entries, strict=True)
            for place in entry.places
        ]
        return spans + [None] * (len(self.count.frames) + len(self.request.shape.hidden))

    def rows(self, total: int) -> Iterator[Row]:
        for index, (piece, entry) in enumerate(
            zip(self.request.pieces, self.count.entries, strict=True)
        ):
            for number, place in enumerate(entry.places):
                tokens = entry.tokens[number]
                yield Row(
                    self.kind(index, place.kind),
                    block_path(piece.path, entry.blocks_key, number),
                    place.label,
                    tokens,
                    tokens / total if total else 0.0,
                    place.end - place.start,
                    place.material.hex(),
                    self.count.by_entry[index] if self.count.by_entry else self.count.exactness,
                    entry.notes[number],
                )
        for frame in self.count.frames:
            share = frame.tokens / total if total else 0.0
            where = (frame.kind, frame.origin, frame.label)
            yield Row(*where, frame.tokens, share, 0, "", self.count.exactness, frame.note)
        for origin, what in self.request.shape.hidden:
            note = f"not countable offline: {what}"
            yield Row(HISTORY, origin, "hidden", 0, 0.0, 0, "", ESTIMATE, note)


_ONLY_LAST = (USER_TURN, TODO_STATE)
_FIXED = frozenset(KINDS)
