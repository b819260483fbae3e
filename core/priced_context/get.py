"""`ctx get`: the exact lines of handles, numbered as the client's Read numbers them.

`out:ID` is a result that was cut (trim.py), byte for byte.
"""

import argparse
import os
import sys
import time

from priced_context.access import access_from_here, working_directory
from priced_context.console import Trouble, say
from priced_context.folders import KEPT_DAYS, state_folder
from priced_context.handles import Handle, find, parse
from priced_context.outlines import NotText, Outline, Symbol, fine_label
from priced_context.outlines.menu import LONG_LINE_TOKENS
from priced_context.outlines.source import load
from priced_context.places import is_id, own_session, result_file
from priced_context.policy import SMALLEST_REFUSAL_TOKENS
from priced_context.prices import tag
from priced_context.spans import LARGEST_BYTES, Span, find_again, hash_of, read_span
from priced_context.stats import whole_outline
from priced_context.wording import counted, printable, shown_name

USAGE = """\
Print the exact lines of handles: repo:PATH:FIRST-LAST or repo:PATH#Symbol.method. Over the budget
of one read the answer is the price; --pay insists. out:ID is a result that was cut, whole: its
price was told where it was cut.
"""
OUT = "out:"
BYTES_PER_TOKEN = 4
"""Only where the window is unknown and the budget is one of bytes."""


def main(arguments: list[str], *, outside: bool = False) -> int:
    """Print the lines of every handle, or of none where together they cost too much."""
    parser = argparse.ArgumentParser("ctx get", description=USAGE)
    parser.add_argument("handles", nargs="+", metavar="HANDLE")
    parser.add_argument("--pay", action="store_true", help="print them whatever they cost")
    options = parser.parse_args(arguments)

    access = access_from_here(outside=outside)
    results = [result_of(text) for text in options.handles if text.startswith(OUT)]
    handles = [parse(text, access) for text in options.handles if not text.startswith(OUT)]
    spans = [span_of(handle) for handle in handles]
    if not options.pay:
        _check_price(handles, spans)
    for result in results:
        sys.stdout.buffer.write(result)
    for handle, span in zip(handles, spans, strict=True):
        if len(handles) > 1:
            print(f"{printable(_range_name(handle, span))} {fine_label(span.tokens)} tok")
        if not span.size_bytes:
            say(f"{handle.name} is empty")
        sys.stdout.write(span.numbered())
    return 0


def result_of(text: str) -> bytes:
    """Return the whole of the result that `out:ID` names: this session's, else any other's.

    Raises:
        Trouble: there is none.
    """
    use_id = text.removeprefix(OUT)
    session = own_session()
    folders = state_folder() / "sessions"
    for owner in [session, f"{session}.*", "*"] if is_id(session) else ["*"]:
        for place in folders.glob(result_file(owner, use_id)) if is_id(use_id) else ():
            return place.read_bytes()
    raise Trouble(
        f"{shown_name(text, '')} is not kept: a cut result is removed with its session after"
        f" {KEPT_DAYS} days; run its command again"
    )


def span_of(handle: Handle) -> Span:
    """Return the lines of a handle; says on stderr where they are no longer what they were.

    Raises:
        Trouble: no such lines or symbol, a binary, a span that no window holds.
    """
    try:
        span = _symbol_span(handle) if handle.symbol else _line_span(handle)
    except IsADirectoryError as error:
        raise Trouble(f"{handle.name} is a directory; name a file in it") from error
    except NotText as error:
        raise Trouble(f"{handle.name} is {error}: nothing of it is printed") from error
    except OSError as error:
        raise Trouble(f"{handle.name} cannot be read: {error.strerror}") from error
    if span.size_bytes > LARGEST_BYTES:
        raise Trouble(
            f"{_range_name(handle, span)} is {fine_label(span.tokens)} tok,"
            f" over {LARGEST_BYTES >> 20} MiB; ask for fewer lines"
        )
    return span


def _line_span(handle: Handle) -> Span:
    first_line, last_line = handle.lines or (1, 0)
    if first_line < 1 or 0 < last_line < first_line:
        raise Trouble(f"{first_line}-{last_line} is no range of lines; lines count from 1")
    span = read_span(handle.path, first_line, last_line)
    if handle.hash and (span is None or not span.hash.startswith(handle.hash)):
        return _moved_lines(handle, span, first_line, last_line)
    if span is None:
        lines = counted(whole_outline(handle).lines, "line")
        raise Trouble(f"{handle.name} has {lines}; there is no line {first_line:,}")
    return span


def _moved_lines(handle: Handle, span: Span | None, first_line: int, last_line: int) -> Span:
    """Return the lines with the handle's hash from where they are now, else those asked for."""
    data = load(handle.path).data
    count = (last_line or data.count(b"\n") + 1) - first_line + 1
    now = find_again(data, count, handle.hash, first_line)
    moved = read_span(handle.path, now, now + count - 1) if now else None
    if moved is not None:
        say(f"{handle.name} moved on: lines {first_line}-{last_line} are now {_lines(moved)}")
        return moved
    if span is None:
        raise Trouble(f"{handle.name} moved on: it is shorter now, and those lines are gone")
    say(f"{handle.name} moved on: lines {_lines(span)} are no longer those of the handle")
    return span


def _symbol_span(handle: Handle) -> Span:
    before = _moment(handle.path)
    outline = whole_outline(handle)
    symbol = _renamed(handle, outline) or find(outline, handle.symbol)
    if not symbol.first_line:
        raise Trouble(f"{handle.name}#{symbol.fragment} has no lines of its own; take a range")
    span = read_span(handle.path, symbol.first_line, symbol.last_line)
    if span is None or _moment(handle.path) != before:
        raise Trouble(f"{handle.name} changed while it was read; ask again")
    if symbol.fragment != handle.symbol and handle.hash:
        say(f"{handle.name} moved on: #{handle.symbol} is now #{symbol.fragment}")
    elif handle.hash and not span.hash.startswith(handle.hash):
        say(f"{handle.name} moved on: #{handle.symbol} has changed; it is lines {_lines(span)} now")
    return span


def _renamed(handle: Handle, outline: Outline) -> Symbol | None:
    """Return the symbol with the handle's hash where none has its name any more."""
    if not handle.hash or any(found.fragment == handle.symbol for found in outline.symbols):
        return None
    lines = load(handle.path).data.split(b"\n")
    for symbol in outline.symbols:
        text = b"\n".join(lines[symbol.first_line - 1 : symbol.last_line])
        if symbol.first_line and hash_of(text).startswith(handle.hash):
            return symbol
    return None


def _moment(path: str) -> tuple[int, int, int]:
    """Return what changes when a file does."""
    found = os.stat(path)
    return found.st_ino, found.st_mtime_ns, found.st_size


def _lines(span: Span) -> str:
    return f"{span.first_line}-{span.last_line}"


def _range_name(handle: Handle, span: Span) -> str:
    return f"{handle.name}:{_lines(span)}"


def _check_price(handles: list[Handle], spans: list[Span]) -> None:
    """Refuse what costs more than one read may: the price comes before the lines.

    Raises:
        Trouble: it does.
    """
    tokens = sum(span.tokens for span in spans)
    if tokens < SMALLEST_REFUSAL_TOKENS:
        return
    budget, window_tokens = _read_budget()
    if tokens < budget:
        return
    name = _range_name(handles[0], spans[0])
    more = f" and {len(spans) - 1} more" if spans[1:] else ""
    lines = sum(span.last_line - span.first_line + 1 for span in spans)
    cheaper = f"fewer lines, or ctx stats {handles[0].name} for its parts"
    if lines * LONG_LINE_TOKENS < tokens:
        cheaper = "its lines are long, take a part of one with head -c or cut -c"
    raise Trouble(
        f"not an error: {name}{more} is {tag(tokens, window_tokens)}, over the budget of one read."
        f" Cheaper: {cheaper}; --pay prints it all."
    )


def _read_budget() -> tuple[int, int | None]:
    """Return what one read may cost in this session, and its window; a fresh one's without."""
    from priced_context.folders import client_folder
    from priced_context.policy import budget_of
    from priced_context.records import BASH, ToolCall
    from priced_context.settings import settings_of
    from priced_context.window import window_of

    state, project = str(state_folder()), working_directory()
    session = own_session()
    logs = sorted(client_folder().glob(f"projects/*/{session}.jsonl")) if session else []
    log = str(logs[0]) if logs else ""
    call = ToolCall(BASH, {}, session, "", os.getcwd(), log)
    settings = settings_of(state, project)
    window = window_of(call, state, project, settings, time.time_ns() // 1_000_000)
    budget = budget_of(window, settings)
    return budget or settings.inline_budget_bytes // BYTES_PER_TOKEN, window.tokens
