"""Which files would a tool other than Read and the shell read?

Servers that read files name their tools and arguments alike; one table each.
"""

from priced_context.files import resolve, size_of_regular
from priced_context.records import DUMP, FILTERED, MCP, NONE, UNBOUNDED, Intake, Read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from priced_context.records import ToolCall

# The last part of `mcp__SERVER__NAME`, of the file servers in use; the user's `tools` adds more.
READING_TOOLS = (
    " read_file read_text_file read_files read_multiple_files get_file_contents get_file_content"
    " get_file view view_file open_file load_file file_read read_file_content read_file_contents"
    " read_source show_file cat_file "
)
_PATHS = ("path", "file_path", "filePath", "filename", "file", "relative_path", "absolute_path",
          "target_file", "uri", "paths", "files", "file_paths")  # fmt: skip
_FIRSTS = ("offset", "start_line", "startLine", "line_start", "from_line", "first_line")
_LASTS = ("end_line", "endLine", "line_end", "to_line", "last_line")
_COUNTS = ("limit", "head", "max_lines", "line_count", "num_lines", "length")
_NUMBERS = (*_FIRSTS, *_LASTS, *_COUNTS, "tail")


def is_reader(tool: str, more_tools: "list[str]") -> bool:
    """Say whether a server's tool reads files: by our table, or by whole or last name in theirs."""
    name = tool.rpartition("__")[2]
    return f" {name} " in READING_TOOLS or name in more_tools or tool in more_tools


def intake_of_mcp(call: "ToolCall") -> Intake:
    """Return what a server's file-reading tool would bring in."""
    if not _is_understood(call.tool_input):
        return Intake()
    first_line, line_count = _range_of(call.tool_input)
    reads = []
    for path in _paths_of(call.tool_input):
        absolute = resolve(path, call.cwd)
        size_bytes = size_of_regular(absolute)
        if size_bytes > 0:
            reads.append(Read(absolute, size_bytes, first_line, line_count))
    return Intake(DUMP if reads else NONE, reads, MCP)


def intake_of_grep(call: "ToolCall") -> Intake:
    """Return what the client's Grep would bring in.

    Names and counts are short, and content stops at 250 lines unless `head_limit` is 0.
    """
    fields = call.tool_input
    path = fields.get("path")
    path = resolve(path, call.cwd) if type(path) is str and path else call.cwd
    if fields.get("output_mode") != "content":
        return Intake()
    size_bytes = size_of_regular(path)
    if size_bytes > 0:
        return Intake(FILTERED, [Read(path, size_bytes, line_prefix="grep-n")])
    return Intake(UNBOUNDED if size_bytes < 0 and fields.get("head_limit") == 0 else NONE)


def _paths_of(fields: "dict[str, Any]") -> "list[str]":
    for name in _PATHS:
        value = fields.get(name)
        paths = value if type(value) is list else [value]
        found = [path.removeprefix("file://") for path in paths if type(path) is str and path]
        if found:
            return found
    return []


def _is_understood(fields: "dict[str, Any]") -> bool:
    """Say whether the tables cover the call: a number that they do not know may be a range."""
    for name, value in fields.items():
        if name in ("owner", "repo"):  # a file of a repository elsewhere
            return False
        if type(value) in (int, float) and name not in _NUMBERS:
            return False
    return True


def _range_of(fields: "dict[str, Any]") -> "tuple[int, int | None]":
    """Return the first line and the number of lines asked for, by whatever names."""
    tail = _number(fields, ("tail",))
    if tail:
        return -tail, tail
    offset = fields.get("offset")
    if type(offset) is int and offset < 0:  # counted from the end
        return offset, _number(fields, _COUNTS) or None
    view = fields.get("view_range")  # [first, last], last -1 for the end
    if type(view) is list and len(view) == 2 and type(view[0]) is int and type(view[1]) is int:
        first, last = view
    else:
        first, last = _number(fields, _FIRSTS), _number(fields, _LASTS)
    first = max(1, first)
    if last >= first:
        return first, last + 1 - first
    return first, _number(fields, _COUNTS) or None


def _number(fields: "dict[str, Any]", names: "tuple[str, ...]") -> int:
    for name in names:
        value = fields.get(name)
        if type(value) is int and value > 0:
            return value
    return 0
