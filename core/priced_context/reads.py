"""Which files would this tool call read?"""

from priced_context.files import environment, resolve, size_of_regular
from priced_context.records import BASH, DUMP, READ, UNBOUNDED, Intake, Read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.records import ToolCall

SMALL_BYTES = 2_000
"""A call that reads at most this is neither priced nor remembered: a refusal costs as much."""

# What the client renders itself: images, PDF pages, notebooks. They have no price per byte.
RENDERED = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".ipynb")


def intake_of_call(call: "ToolCall", state: str) -> Intake:
    """Return what *call* would bring into the context; NONE for a tool that is not known."""
    if call.tool == READ:
        return _intake_of_read(call)
    if call.tool == BASH:
        return _intake_of_command(call)
    if call.tool == "Grep":
        from priced_context.tools import intake_of_grep

        return intake_of_grep(call)
    if call.tool.startswith("mcp__"):
        return _intake_of_server(call, state)
    return Intake()


def is_worth_a_price(intake: Intake) -> bool:
    """Say whether the call can be objected to at all; most cannot."""
    if intake.kind == UNBOUNDED:
        return True
    if intake.kind != DUMP:
        return False
    sizes = [min(read.size_bytes, abs(read.byte_count or read.size_bytes)) for read in intake.reads]
    return sum(sizes) > SMALL_BYTES


def _intake_of_read(call: "ToolCall") -> Intake:
    path = call.tool_input.get("file_path")
    if type(path) is not str or not path:
        return Intake()
    if path.lower().endswith(RENDERED):
        return Intake()
    path = resolve(path, call.cwd)
    size_bytes = size_of_regular(path)
    if size_bytes <= 0:
        return Intake()
    offset, limit = call.tool_input.get("offset"), call.tool_input.get("limit")
    read = Read(
        path,
        size_bytes,
        first_line=offset if type(offset) is int and offset > 0 else 1,
        line_count=limit if type(limit) is int and limit > 0 else None,
        line_prefix="tab",
    )
    return Intake(DUMP, [read], READ, lifts_caps=call.tool_input.get("allow_large") is True)


def _intake_of_server(call: "ToolCall", state: str) -> Intake:
    from priced_context.tools import intake_of_mcp, is_reader

    if not is_reader(call.tool, []):
        from priced_context.places import project_of
        from priced_context.settings import settings_of

        if not is_reader(call.tool, settings_of(state, project_of(call)).tools):
            return Intake()
    return intake_of_mcp(call)


def _intake_of_command(call: "ToolCall") -> Intake:
    command = call.tool_input.get("command")
    if type(command) is not str:
        return Intake()
    from priced_context.words import may_read

    if not may_read(command):
        return Intake()
    from priced_context.shell import intake_of_command

    return intake_of_command(command, call.cwd, environment("HOME"))
