"""One adapter an API: how its requests come apart, and what their blocks say."""

from typing import Protocol, cast

from priced_context.budget.adapters import anthropic, gemini, openai_chat, openai_responses
from priced_context.budget.content import Draft, Format, Part, Shape
from priced_context.budget.faults import BudgetError
from priced_context.budget.slices import JSON, Slice


class Adapter(Protocol):
    """What a module of this package offers."""

    NAME: str
    SECTIONS: dict[str, str]
    """Top-level member: the section its elements belong to."""
    WHOLE: dict[str, bytes]
    """Section: the first bytes of a member that is one part instead of an array of them."""
    FORMATS: tuple[tuple[str, ...], ...]
    """Where the JSON schema of the answer stands."""

    def recognises(self, fields: dict[str, Slice]) -> bool:
        """Is a request with these members one of this API?"""

    def shape(self, fields: dict[str, Slice]) -> Shape:
        """Read what bears on the whole request.

        Raises:
            BudgetError: a member is not what the API takes there.
        """

    def read(self, section: str, value: JSON, path: str) -> Part:
        """Read one part.

        Raises:
            BudgetError: it is not what the API takes there.
        """

    def material(self, value: JSON) -> JSON:
        """Return what of a block the model sees."""

    def is_schema(self, value: JSON) -> bool:
        """Does an answer format carry a schema, so that it is billed?"""


_ADAPTERS = cast("tuple[Adapter, ...]", (anthropic, gemini, openai_responses, openai_chat))
NAMES = tuple(adapter.NAME for adapter in _ADAPTERS)


def of_api(name: str) -> Adapter:
    """Raises BudgetError where *name* is none of `NAMES`."""
    for adapter in _ADAPTERS:
        if name == adapter.NAME:
            return adapter
    raise BudgetError(f"no API {name!r}; there are {', '.join(NAMES)}")


def of_fields(fields: dict[str, Slice]) -> Adapter:
    """Return the API that a request with these members is for; raises BudgetError at none."""
    for adapter in _ADAPTERS:
        if adapter.recognises(fields):
            return adapter
    raise BudgetError("no messages, input or contents: not a request of a known API")


def answer_format(value: JSON) -> Part:
    """Return the part that holds a schema of the answer."""
    named = value.get("json_schema", value)  # Chat Completions wraps it once more
    holder = named if isinstance(named, dict) else {}
    description = str(holder.get("description") or "") if "schema" in holder else ""
    item = Format(holder.get("schema", holder), description)
    return Part("format", "", [Draft("format", [item], value)])
