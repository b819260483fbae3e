"""What the model reads. Golden files under tests/golden/ hold every form.

Inside a bucket the words do not change: every number is a label, but for what the caller asked
for and, in a cut, the exact lines shown.
"""

from priced_context.policy import NO_ROOM, SLICES
from priced_context.prices import LABELS, bucket_of, line_label, quoted, tag
from priced_context.records import CAPPED, READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.cuts import Cut
    from priced_context.policy import Objection
    from priced_context.records import Intake, Price, Read, ToolCall, Window

RANGE_TOKENS = 2_000
"""The range offered is about this large, whatever a line costs."""
LONGEST_NAME = 200
COMPACTION_RESERVE = 13_000
"""The client compacts when less than this and the reservation is left (docs/hosts.md)."""


def refusal(call: "ToolCall", intake: "Intake", objection: "Objection", window: "Window") -> str:
    """Return why the call was refused: price first, then cheaper calls, then the way on."""
    price = tag(objection.tokens, window.tokens)
    subject = _subject(call, intake, objection)
    read, first = objection.reads[0]
    if objection.reason == SLICES:
        what = f"with this call the ranges read of {subject} add up to {price}."
    elif first.basis == CAPPED:
        what = _page(subject, first, price)
    else:
        what = f"{subject} {_verb(read)} {price}."
    words = ["Not an error:", what]
    if objection.reason == NO_ROOM:
        words.append(f"The window has only {LABELS[bucket_of(window.free_tokens or 0)]} tok left.")
    elif _crosses_compaction(quoted(objection.tokens), window):
        words.append("It would also make the client compact.")
    words.append(_cheaper(call, read, first, objection))
    if objection.reason != NO_ROOM:
        words.append(_way_on(intake, first))
    return " ".join(words)


def _subject(call: "ToolCall", intake: "Intake", objection: "Objection") -> str:
    names = [shown_name(read.path, call.cwd) for read, _ in objection.reads]
    if len(names) > 3:
        names[2:] = [f"{len(names) - 2} more"]
    subject = ", ".join(names[:-1]) + " and " + names[-1] if names[1:] else names[0]
    if not names[1:] and objection.reason != SLICES:
        subject += _range_of(objection.reads[0][0])
    return subject if intake.tool == READ else f"printing {subject}"


def _range_of(read: "Read") -> str:
    if read.is_whole:
        return " whole"
    if read.byte_count is not None:
        end = "first" if read.byte_count > 0 else "last"
        return f" ({end} {abs(read.byte_count)} bytes)"
    if read.first_line < 0:
        return f" (last {-read.first_line} lines)"
    if read.line_count is None:
        return f" from line {read.first_line}"
    return f" lines {read.first_line}-{read.first_line + read.line_count - 1}"


def _verb(read: "Read") -> str:
    return "are" if read.line_count is not None else "is"


def _page(subject: str, price: "Price", quoted: str) -> str:
    page_lines = price.lines * price.tokens // max(1, price.uncapped_tokens)
    return (
        f"{subject} is {LABELS[bucket_of(price.uncapped_tokens)]} tok; a whole Read returns only"
        f" its first {quoted}, about lines 1-{_rounded(page_lines)} of {_rounded(price.lines)}."
    )


def _cheaper(call: "ToolCall", read: "Read", price: "Price", objection: "Objection") -> str:
    per_line = line_label(price.tokens_per_line)
    name = shown_name(read.path, call.cwd)
    if per_line * 5 > objection.budget_tokens:  # a range of whole lines would not help
        return f"Its lines are long; take a part: head -c 4000 {quoted_name(name)} (~1k tok)."
    limit = max(1, RANGE_TOKENS // per_line)
    start = max(1, read.first_line)
    if objection.reason == SLICES:
        return f"Cheaper: find the lines first: grep -n PATTERN {quoted_name(name)}."
    return (
        f"Cheaper: Read it with offset and limit (~{per_line} tok a line;"
        f" offset={start} limit={limit} is ~2k tok)."
    )


def _way_on(intake: "Intake", price: "Price") -> str:
    if intake.tool == READ and price.basis == CAPPED:
        return "Sending the same call again returns that first page."
    return f"Sending the same call again {'reads' if intake.tool == READ else 'runs'} it."


def cut_note(
    call: "ToolCall", intake: "Intake", objection: "Objection", cut: "Cut", window: "Window"
) -> str:
    """Return what a rewritten Read left out: at both ends, for how much, and how to get it."""
    read, price = objection.reads[0]
    name = shown_name(read.path, call.cwd)
    last_shown = min(cut.first_line + cut.line_count - 1, cut.total_lines)
    left_out = []
    if cut.first_line > 1:
        left_out.append(f"1-{cut.first_line - 1}")
    if last_shown < cut.total_lines:
        left_out.append(f"{last_shown + 1}-{cut.total_lines}")
    whole = tag(objection.tokens, window.tokens)
    if price.basis == CAPPED:
        whole = f"{LABELS[bucket_of(price.uncapped_tokens)]} tok, of which a Read returns {whole}"
    return (
        f"This Read was cut: {name}{_range_of(read)} {_verb(read)} {whole}."
        f" Shown are lines {cut.first_line}-{last_shown} of {cut.total_lines}"
        f" ({LABELS[bucket_of(cut.tokens)]} tok). Left out: lines {' and '.join(left_out)}"
        f" (~{line_label(price.tokens_per_line)} tok a line). Search them with grep -n"
        f" PATTERN {quoted_name(name)}, or Read others with offset and limit."
        f" {_way_on(intake, price)}"
    )


def bound_note(objection: "Objection", line_count: int, window: "Window") -> str:
    """Return what was done to a command whose output has no known size."""
    return (
        f"This call was bounded to {line_count} lines: its output has no known size, and the client"
        f" shows up to {tag(objection.tokens, window.tokens)} of it. A narrower call is better than"
        " more lines. Sending the same call again runs it as it stands."
    )


def shown_name(path: str, cwd: str) -> str:
    """Return *path* as a message may carry it: relative inside *cwd*, on one line, not endless."""
    if cwd and path.startswith(cwd + "/"):
        path = path[len(cwd) + 1 :]
    path = printable(path)
    if len(path) > LONGEST_NAME:
        path = path[: LONGEST_NAME // 2] + "…" + path[-LONGEST_NAME // 2 :]
    return path


def printable(text: str) -> str:
    """Return *text* with escapes for what could move a cursor, break a line or turn it round."""
    if text.isprintable():
        return text
    return "".join([c if c.isprintable() else f"\\u{ord(c):04x}" for c in text])


def quoted_name(name: str) -> str:
    """Return *name* as a shell word."""
    if all(letter.isalnum() or letter in "/._-+,@%" for letter in name) and name[0] != "-":
        return name
    return "'" + name.replace("'", "'\\''") + "'"


def _rounded(count: int) -> int:
    """Return *count* with two significant digits: more would claim what a peek cannot know."""
    unit: int = 10 ** max(0, len(str(count)) - 2)
    return (count + unit // 2) // unit * unit


def _crosses_compaction(tokens: int, window: "Window") -> bool:
    if window.tokens is None or window.used_tokens is None:
        return False
    limit = window.tokens - window.reservation_tokens - COMPACTION_RESERVE
    return window.used_tokens < limit <= window.used_tokens + tokens
