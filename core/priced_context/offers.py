"""May a refusal name `ctx stats`? Only where the agent can run it without being asked."""

from priced_context.files import environment, size_of_regular
from priced_context.menus import has_menu

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.records import ToolCall
    from priced_context.settings import Settings

UNASKED = ("auto", "bypassPermissions")
"""Permission modes in which a command of ours needs no rule."""


def menu_command(call: "ToolCall", settings: "Settings", state: str) -> str:
    """Return the path by which the agent may run our verbs, or "" where it would be asked.

    The verbs are installed with the hook; a checkout's hook has none to offer.
    """
    may_run = settings.menus or call.permission_mode in UNASKED
    command = state + "/ctx"
    return command if may_run and size_of_regular(command) > 0 else ""


def menu_handle(path: str, call: "ToolCall") -> str:
    """Return the handle of a file's menu, or "" where it has none or lies outside the project."""
    project = environment("CLAUDE_PROJECT_DIR") or call.cwd
    if not has_menu(path) or not path.startswith(project + "/"):
        return ""
    return f"repo:{path[len(project) + 1 :]}" if project == call.cwd else path
