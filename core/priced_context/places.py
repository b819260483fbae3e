"""Where each piece of state lives; docs/files.md says what stands in them."""

from priced_context.files import environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.records import ToolCall

SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""The client's shell carries its session's id in it."""

_ID_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"


def is_id(text: str) -> bool:
    """Say whether *text* may name a session or an agent in a path: [A-Za-z0-9_-]{1,64}."""
    return 0 < len(text) <= 64 and not text.strip(_ID_LETTERS)


def session_folder(state: str, session_id: str, agent_id: str = "") -> str:
    """Return the folder of one agent's own state, or "" where an id is not one."""
    if not is_id(session_id) or (agent_id and not is_id(agent_id)):
        return ""
    return f"{state}/sessions/{session_id}{'.' if agent_id else ''}{agent_id}"


def own_session() -> str:
    """Return the id of the session in whose shell this process runs, or ""."""
    return environment(SESSION_VARIABLE)


def project_of(call: "ToolCall") -> str:
    """Return the folder that the session was started in; where it works now if nobody says."""
    return environment("CLAUDE_PROJECT_DIR") or call.cwd


def result_file(folder: str, use_id: str) -> str:
    """Return the file that holds a cut result whole, in the *folder* of the agent that got it."""
    return f"{folder}/out/{use_id}"


def project_file(state: str, project: str) -> str:
    """Return the file that holds the model last seen in the project folder *project*."""
    return f"{state}/projects/{slug_of(project)[-200:]}"  # a file name has at most 255 bytes


def slug_of(path: str) -> str:
    """Return *path* as one file name: other than letters and digits as `-`."""
    return "".join([letter if letter.isascii() and letter.isalnum() else "-" for letter in path])


def agent_log(transcript_path: str, session_id: str, agent_id: str) -> str:
    """Return the client's log of one agent: the main loop's own, or the subagent's beside it."""
    if not agent_id:
        return transcript_path
    folder = transcript_path[: transcript_path.rfind("/")]
    return f"{folder}/{session_id}/subagents/agent-{agent_id}.jsonl"
