"""Which block is which kind: one table, first match wins; a user's rules come first."""

from collections.abc import Sequence

import msgspec

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
    Draft,
    Part,
    Text,
)

HEAD_CHARACTERS = 2000
"""How much of a block's text `opens` and `holds` look at."""


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the table: the kind of a block that meets every condition set."""

    kind: str
    """One of `content.KINDS`, or one that hangs on the place (`instruction`, `userTurn` …)."""
    api: str = ""
    section: str = ""
    role: str = ""
    type: str = ""
    """The block's type, see `content.Draft`."""
    tool: str = ""
    """The tool offered, called or answered."""
    opens: str = ""
    """The block's text begins so, blanks aside."""
    holds: str = ""
    """The first `HEAD_CHARACTERS` of the block's text hold this."""

    def __post_init__(self) -> None:
        if self.kind not in (*KINDS, INSTRUCTION, USER_TURN, TODO_STATE):
            raise ValueError(f"no kind {self.kind!r}; there are {', '.join(KINDS)}")


# What clients and controllers put into the conversation beside the user's words, by the tag they
# open with. Claude Code's reminders carry memory files, steering and, in one case, the todo list.
_FRAMES = (
    "<system-reminder>",
    "<system_reminder>",
    "<controller",
    "<steering",
    "<memory",
    "<instructions",
    "<user_instructions",
    "<permissions instructions>",
    "# AGENTS.md instructions",
)

RULES: tuple[Rule, ...] = (
    Rule(STABLE_SYSTEM, section="system"),
    Rule(TOOL_SCHEMA, section="tools"),
    Rule(TOOL_SCHEMA, section="format"),
    Rule(AUTHORITY, api="anthropic", role="system"),  # the system prompt has a field of its own
    Rule(INSTRUCTION, role="system"),
    Rule(INSTRUCTION, role="developer"),
    Rule(EVIDENCE, type="result"),
    Rule(EVIDENCE, type="image"),
    Rule(EVIDENCE, type="document"),
    Rule(TODO_STATE, type="call", tool="TodoWrite"),
    Rule(TODO_STATE, type="call", tool="update_plan"),
    Rule(WORKING_SET, role="user", opens="<system-reminder>", holds="todo list"),
    Rule(WORKING_SET, role="user", opens="<active-files>"),
    Rule(WORKING_SET, role="user", opens="<environment_context>"),
    *(Rule(AUTHORITY, role="user", opens=frame) for frame in _FRAMES),
    Rule(USER_TURN, role="user", type="text"),
    Rule(HISTORY),
)


def kind_of(api: str, part: Part, draft: Draft, own: Sequence[Rule] = ()) -> str:
    """Return the kind of one block: *own* rules before the table."""
    head = ""
    if draft.items and isinstance(draft.items[0], Text):
        head = draft.items[0].text[:HEAD_CHARACTERS]
    opening = head.lstrip()
    for rule in (*own, *RULES):
        if (
            rule.api in ("", api)
            and rule.section in ("", part.section)
            and rule.role in ("", part.role)
            and rule.type in ("", draft.type)
            and rule.tool in ("", draft.tool)
            and opening.startswith(rule.opens)
            and rule.holds in head
        ):
            return rule.kind
    return HISTORY
