"""What a request says, freed of any API's spelling: the nouns between adapters and counters."""

import msgspec

from priced_context.budget.faults import BudgetError, child
from priced_context.budget.slices import JSON

# The kinds of the ledger, in the order of its contract.
STABLE_SYSTEM = "stableSystem"
"""The system prompt that stands before the conversation."""
TOOL_SCHEMA = "toolSchema"
"""Tools and answer formats, with the hidden text that the API adds for them."""
AUTHORITY = "authority"
"""Instructions inside the conversation: memory files, steering and controller frames, reminders."""
WORKING_SET = "taskAndWorkingSet"
"""The last user turn, todo state, active files."""
EVIDENCE = "evidence"
"""Tool results, images, documents."""
HISTORY = "history"
"""The rest of the conversation."""
KINDS = (STABLE_SYSTEM, TOOL_SCHEMA, AUTHORITY, WORKING_SET, EVIDENCE, HISTORY)

ENVELOPE = "envelope"
"""Punctuation, model, sampling: bytes that cost no token of their own."""

# Kinds that hang on the place in the conversation; the ledger resolves them.
INSTRUCTION = "instruction"
"""Stable system before the first turn, authority after it."""
USER_TURN = "userTurn"
"""Working set in the last part that holds any, history before."""
TODO_STATE = "todoState"
"""As `USER_TURN`, for the last todo list written."""


class Text(msgspec.Struct, frozen=True):
    """Text as the model reads it."""

    text: str


class Tool(msgspec.Struct, frozen=True):
    """A function that the model may call."""

    name: str
    description: str
    parameters: JSON
    """The JSON schema of its arguments, decoded."""


class Call(msgspec.Struct, frozen=True):
    """A call that the model made."""

    name: str
    arguments: JSON
    """A decoded object, or the text that the API carries for it."""


class Result(msgspec.Struct, frozen=True):
    """What a call brought back."""

    name: str
    items: "list[Item]"


class Image(msgspec.Struct, frozen=True):
    """An image; 0 by 0 where the request does not carry its bytes."""

    width: int
    height: int
    detail: str = ""


class Format(msgspec.Struct, frozen=True):
    """The JSON schema that the answer must have."""

    schema: JSON
    description: str


class Schema(msgspec.Struct, frozen=True):
    """A JSON document that the model is given besides text."""

    value: JSON


class Opaque(msgspec.Struct, frozen=True):
    """Something billed that the request does not show."""

    what: str


Item = Text | Tool | Call | Result | Image | Format | Schema | Opaque


class Draft(msgspec.Struct):
    """One block of a part as an adapter reads it, before it has a place and a price."""

    type: str
    """`text`, `tool`, `call`, `result`, `image`, `document`, `thinking`, `format`, `other`."""
    items: list[Item]
    value: JSON
    """The decoded block; what of it is material is hashed."""
    tool: str = ""
    """The name of the tool that is offered, called or answered."""


class Part(msgspec.Struct):
    """One top-level piece of a request: a system block, a tool, a message, an input item."""

    section: str
    """`system`, `tools`, `messages` or `format`."""
    role: str
    drafts: list[Draft]
    blocks_key: str = ""
    """The member whose elements are the drafts one by one; empty: the part is one block."""
    name: str = ""
    """A participant's name, where the API bills it."""


class Shape(msgspec.Struct, frozen=True):
    """What of a request bears on the cost of everything in it."""

    api: str
    model: str
    reservation_tokens: int | None = None
    tool_choice: str = "auto"
    """`auto`, `none`, `any` or `tool`."""
    is_thinking: bool = False
    is_parallel: bool = True
    """Parallel calls are allowed."""
    hidden: tuple[tuple[str, str], ...] = ()
    """Path and reason of what is billed and not in the request."""


def as_object(value: JSON, path: str) -> dict[str, JSON]:
    if not isinstance(value, dict):
        raise BudgetError("expected a JSON object", path)
    return value


def as_array(value: JSON, path: str) -> list[JSON]:
    if not isinstance(value, list):
        raise BudgetError("expected a JSON array", path)
    return value


def as_text(value: JSON, path: str) -> str:
    if not isinstance(value, str):
        raise BudgetError("expected a string", path)
    return value


def text_member(owner: dict[str, JSON], key: str, path: str) -> str:
    """Return a member that must be a string.

    Raises:
        BudgetError: it is missing or something else.
    """
    if key not in owner:
        raise BudgetError(f"{key!r} is missing", path)
    return as_text(owner[key], child(path, key))


def optional_text(owner: dict[str, JSON], key: str, path: str) -> str:
    """Return a member that is a string, missing or null."""
    value = owner.get(key)
    return "" if value is None else as_text(value, child(path, key))


def optional_tokens(owner: dict[str, JSON], key: str, path: str) -> int | None:
    """Return a member that is a whole number of tokens, missing or null."""
    value = owner.get(key)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise BudgetError("expected a whole number of tokens", child(path, key))
    return value
