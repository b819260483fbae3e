"""What a compaction must keep, as priced handles: found in the conversation, without a model.

What the model did is in its calls: todos it left open, commands that still fail, lines it edited
and read. Their text need not survive; where to find it again, and for how much, must.
"""

import json
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from priced_context.budget.conversation import Message
from priced_context.budget.session import Live
from priced_context.files import size_of_regular
from priced_context.log import note
from priced_context.prices import (
    EDGES,
    LABELS,
    bucket_of,
    family_of,
    line_label,
    price_read,
    price_text,
)
from priced_context.reads import intake_of_call
from priced_context.records import DUMP, UNPRICED, Read, ToolCall
from priced_context.users_command import output_of

BUDGET_TOKENS = 1_200
"""What the instructions may cost the summary request."""
MOST_OF_A_KIND = 12
LONGEST_LINE = 160
NEAR_LINES = 20
"""Spans of one file so near to each other are one."""

COMMAND_SECONDS = 20.0
COMMAND_BYTES = 8_000

OPENING = "Keep the following in the summary, as it stands."
"""Before the words of a user's command too: what opens with a brace would be a verdict."""
HEAD = (
    f"{OPENING} Each handle names lines on disk that a Read"
    " brings back for the price beside it, so their text need not be repeated."
)

EDITS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
_TASK_ID = re.compile(r"#(\w+)")
_FAILED = "Exit code "
"""How the client opens the result of a command that ran and failed."""


class Call(msgspec.Struct):
    """One tool call of the conversation with its result."""

    tool: str
    given: dict[str, Any]
    result: str = ""
    is_error: bool = False
    has_result: bool = False


class Span(NamedTuple):
    """Lines of a file; a last line of 0 is the file's own."""

    first: int
    last: int


def instructions_for(live: Live, command: Sequence[str], state: str) -> str:
    """Return what the summary prompt is given: by the user's own *command*, else by `analyse`.

    A command that fails, says nothing or takes too long leaves the word to `analyse`.
    """
    project, conversation = live.session.project, live.conversation
    own = analyse(conversation.messages, project, conversation.model, state)
    if not command:
        return own
    facts = {
        "session_id": live.session.session_id,
        "transcript_path": str(live.session.log),
        "cwd": project,
        "fingerprint": live.budget.request_fingerprint,
        "analysis": own,
    }
    try:
        raw = output_of(command, json.dumps(facts).encode() + b"\n", COMMAND_SECONDS, COMMAND_BYTES)
    except OSError as error:  # TimeoutError is one
        note(state, error)
        return own
    said = raw.decode("utf-8", "ignore").strip()
    return f"{OPENING}\n{said}\n" if said else own


def analyse(messages: Sequence[Message], project: str, model: str, state: str) -> str:
    """Return the instructions for the summary; "" where there is nothing to keep.

    The same messages and files give the same text.
    """
    calls = calls_of(messages)
    family = family_of(model)
    edited, read = spans_edited(calls, project), spans_read(calls, project, state)
    sections = {
        "Open todos:": open_todos(calls),
        "Commands that still fail:": failing_commands(calls),
        "Edited:": handles(edited, project, family),
        "Read:": handles({p: s for p, s in read.items() if p not in edited}, project, family),
    }
    lines = [HEAD]
    for title, found in sections.items():
        for number, line in enumerate(found[:MOST_OF_A_KIND]):
            new = [title] * (number == 0) + [f"- {_one_line(line)}"]
            if price_text("\n".join([*lines, *new]).encode(), family, "", 0) > BUDGET_TOKENS:
                break
            lines += new
    return "\n".join(lines) + "\n" if len(lines) > 1 else ""


def calls_of(messages: Iterable[Message]) -> list[Call]:
    """Return every tool call in order, with its result where it is there."""
    calls: dict[str, Call] = {}
    for message in messages:
        for raw in message.content:
            block = _block_of(raw)
            if block.type == "tool_use" and block.id:
                calls[block.id] = Call(block.name, block.input)
            elif block.type == "tool_result" and block.tool_use_id in calls:
                call = calls[block.tool_use_id]
                call.result, call.is_error = _text_of(block.content), block.is_error is True
                call.has_result = True
    return list(calls.values())


def open_todos(calls: Sequence[Call]) -> list[str]:
    """Return what the last todo list, or the tasks, still have to do."""
    todos: dict[str, tuple[str, str]] = {}
    for call in calls:
        given = call.given
        if call.tool == "TodoWrite" and isinstance(given.get("todos"), list):
            items = [item for item in given["todos"] if isinstance(item, dict)]
            todos = {
                f"{number}": (str(item.get("status", "")), str(item.get("content", "")))
                for number, item in enumerate(items)
            }
        elif call.tool == "TaskCreate" and (found := _TASK_ID.search(call.result)):
            todos[found[1]] = ("pending", str(given.get("subject", "")))
        elif call.tool == "TaskUpdate" and (known := todos.get(str(given.get("taskId")))):
            status = str(given.get("status") or known[0])
            todos[str(given["taskId"])] = (status, str(given.get("subject") or known[1]))
    done = ("completed", "deleted")
    return [f"{what} ({status})" for status, what in todos.values() if status not in done and what]


def failing_commands(calls: Sequence[Call]) -> list[str]:
    """Return the commands whose last run failed, the newest first, with their last line."""
    failing: dict[str, str] = {}
    for call in calls:
        command = call.given.get("command")
        if call.tool != "Bash" or not call.has_result or not isinstance(command, str):
            continue
        failing.pop(command, None)
        if call.is_error and call.result.startswith(_FAILED):
            lines = [line for line in call.result.splitlines() if line.strip()]
            said = f": {lines[-1].strip()}" if len(lines) > 1 else ""
            failing[command] = f"`{_cut(command, 80)}` {lines[0].lower()}{said}"
    return list(reversed(failing.values()))


def spans_edited(calls: Sequence[Call], project: str) -> dict[str, list[Span]]:
    """Return path → lines that the edits left, the file edited last first."""
    spans: dict[str, list[Span]] = {}
    for call in calls:
        if call.tool not in EDITS or call.is_error or not call.has_result:
            continue
        path = call.given.get("file_path") or call.given.get("notebook_path")
        if not isinstance(path, str):
            continue
        path = os.path.normpath(os.path.join(project, path))
        edits = call.given.get("edits")
        found = [
            _place_of(path, edit) for edit in (edits if isinstance(edits, list) else [call.given])
        ]
        spans[path] = spans.pop(path, []) + found
    return dict(reversed(spans.items()))


def spans_read(calls: Sequence[Call], project: str, state: str) -> dict[str, list[Span]]:
    """Return path → lines that were shown, the file read last first."""
    spans: dict[str, list[Span]] = {}
    for call in calls:
        if call.is_error or not call.has_result:
            continue
        intake = intake_of_call(ToolCall(call.tool, call.given, cwd=project), state)
        for read in intake.reads if intake.kind == DUMP else []:
            last = read.first_line + read.line_count - 1 if read.line_count else 0
            span = Span(read.first_line, last) if read.first_line > 0 else Span(1, 0)
            spans[read.path] = [*spans.pop(read.path, []), span]
    return dict(reversed(spans.items()))


def handles(spans: dict[str, list[Span]], project: str, family: str) -> list[str]:
    """Return `repo:PATH:FIRST-LAST (~500 tok)` for each span whose file is still there."""
    found = []
    root = project.rstrip("/") + "/"
    for path, places in spans.items():
        size_bytes = size_of_regular(path)
        if size_bytes <= 0:
            continue
        name = f"repo:{path.removeprefix(root)}" if path.startswith(root) else path
        for first, last in merged(places):
            count = last - first + 1 if last else None
            read = Read(path, size_bytes, first, count, line_prefix="tab")
            price = price_read(read, family)
            if price.basis == UNPRICED:
                continue
            where = "" if (first, last) == (1, 0) else f":{first}-{last or ''}"
            found.append(f"{name}{where} ({label(price.tokens)} tok)")
    return found


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, those that meet or nearly do made one."""
    whole: list[Span] = []
    for first, last in sorted(spans):
        if whole and (not whole[-1].last or first <= whole[-1].last + NEAR_LINES):
            end = 0 if not last or not whole[-1].last else max(last, whole[-1].last)
            whole[-1] = Span(whole[-1].first, end)
        else:
            whole.append(Span(first, last))
    return whole


def label(tokens: int) -> str:
    """Return a price as it is quoted of a span: in steps of 1 2 5 below the first bucket's edge."""
    return f"~{line_label(tokens)}" if tokens < EDGES[0] else LABELS[bucket_of(tokens)]


def _place_of(path: str, edit: object) -> Span:
    """Return the lines that an edit's text now has; the whole file where it is not found."""
    new = edit.get("new_string") if isinstance(edit, dict) else None
    if not isinstance(new, str) or not new.strip():
        return Span(1, 0)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(1 << 20)
    except OSError:
        return Span(1, 0)
    at = text.find(new)
    if at < 0:
        return Span(1, 0)
    first = text.count("\n", 0, at) + 1
    return Span(first, first + new.rstrip("\n").count("\n"))


class _Block(msgspec.Struct):
    type: str = ""
    id: str = ""
    name: str = ""
    input: dict[str, Any] = {}
    tool_use_id: str = ""
    is_error: bool | None = None
    content: Any = None


def _block_of(raw: msgspec.Raw) -> _Block:
    try:
        return msgspec.json.decode(raw, type=_Block)
    except msgspec.MsgspecError:  # a string, or a block of another shape
        return _Block()


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    return "\n".join([text for text in texts if isinstance(text, str)])


def _one_line(text: str) -> str:
    return _cut("".join(letter if letter.isprintable() else " " for letter in text), LONGEST_LINE)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
