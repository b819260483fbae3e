"""What the model reads. Golden files under tests/golden/ hold every form.

Inside a bucket the words do not change: every number is a label, but for what the caller asked
for and, in a cut, the exact lines shown.
"""

from priced_context.policy import FEWEST_LINES, SLICES
from priced_context.prices import LABELS, bucket_of, line_label, quoted, tag
from priced_context.records import CAPPED, NO_ROOM, READ
from priced_context.window import compaction_point

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.cuts import Cut
    from priced_context.policy import Objection
    from priced_context.records import Intake, Price, Read, ToolCall, Window

RANGE_TOKENS, SMALL_RANGE_TOKENS = 2_000, 1_000
"""The range offered is about this large, whatever a line costs; the smaller one where the larger
would cost what the call itself does."""
LONGEST_NAME = 200


def refusal(
    call: "ToolCall",
    intake: "Intake",
    objection: "Objection",
    window: "Window",
    menu_command: str = "",
) -> str:
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
        words.append(_room(objection, window))
    elif _starts_compaction(objection, window):
        words.append("It would also make the client compact.")
    words.append(_cheaper(call, read, first, objection, menu_command))
    if objection.reason != NO_ROOM:
        words.append(_way_on(intake, first))
    return " ".join(words)


def _room(objection: "Objection", window: "Window") -> str:
    left = bucket_of(window.free_tokens or 0)
    if left == bucket_of(objection.tokens):
        return "The window has less than that left."
    return f"The window has only {LABELS[left]} tok left."


def _starts_compaction(objection: "Objection", window: "Window") -> bool:
    """Say whether the client would compact after this call, and would not without it."""
    point = compaction_point(window)
    if point is None or window.used_tokens is None:
        return False
    tokens = objection.reads[0][1].tokens if objection.reason == SLICES else objection.tokens
    return window.used_tokens < point <= window.used_tokens + quoted(tokens)


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
        return f" ({end} {counted(abs(read.byte_count), 'byte')})"
    if read.first_line < 0:
        return f" (last {counted(-read.first_line, 'line')})"
    if read.line_count is None:
        return f" from line {read.first_line}"
    return f" lines {read.first_line}-{read.first_line + read.line_count - 1}"


def _verb(read: "Read") -> str:
    return "are" if read.line_count is not None else "is"


def _page(subject: str, price: "Price", label: str) -> str:
    page_lines = price.lines * price.tokens // max(1, price.uncapped_tokens)
    return (
        f"{subject} is {_label(price.uncapped_tokens)} tok; a whole Read returns only"
        f" its first {label}, about lines 1-{_rounded(page_lines)} of {_rounded(price.lines)}."
    )


def _cheaper(
    call: "ToolCall", read: "Read", price: "Price", objection: "Objection", menu_command: str
) -> str:
    per_line = line_label(price.tokens_per_line)
    name = quoted_name(shown_name(read.path, call.cwd))
    if per_line * FEWEST_LINES > objection.budget_tokens:  # whole lines would not help
        return f"Its lines are long; take a part: head -c 4000 {name} (~1k tok)."
    if objection.reason == SLICES:
        return f"Cheaper: find the lines first: grep -n PATTERN {name}."
    is_small = bucket_of(objection.tokens) <= bucket_of(RANGE_TOKENS)
    tokens = SMALL_RANGE_TOKENS if is_small else RANGE_TOKENS
    limit = max(1, tokens // per_line)
    cost = f"~{per_line} tok a line"
    offer = "This fits" if objection.reason == NO_ROOM else "Cheaper"
    if read.first_line < 0:
        return f"{offer}: fewer of its last lines ({cost}; {limit} are {_label(tokens)} tok)."
    a_range = (
        f"Read it with offset and limit ({cost};"
        f" offset={read.first_line} limit={limit} is {_label(tokens)} tok)."
    )
    menu = _menu(call, read, menu_command) if menu_command else ""
    return f"{offer}: {menu}{a_range}"


def _menu(call: "ToolCall", read: "Read", menu_command: str) -> str:
    from priced_context.menus import MENU_LABEL, menu_handle

    handle = menu_handle(read.path, call)
    if not handle:
        return ""
    command = f"{quoted_name(menu_command)} stats {quoted_name(printable(handle))}"
    return f"{command} (at most {MENU_LABEL} tok), or "


def _label(tokens: int) -> str:
    return LABELS[bucket_of(tokens)]


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
        whole = f"{_label(price.uncapped_tokens)} tok, of which a Read returns {whole}"
    return (
        f"This Read was cut: {name}{_range_of(read)} {_verb(read)} {whole}."
        f" Shown are lines {cut.first_line}-{last_shown} of {cut.total_lines}"
        f" ({_label(cut.tokens)} tok). Left out: lines {' and '.join(left_out)}"
        f" (~{line_label(price.tokens_per_line)} tok a line). Search them with grep -n"
        f" PATTERN {quoted_name(name)}, or Read others with offset and limit."
        f" {_way_on(intake, price)}"
    )


def map_offer(menu_command: str) -> str:
    """Return the line that a refusal gains when an agent has met several."""
    return f"\nWhat matters in this repository: {quoted_name(menu_command)} map (~1k tok)."


def bound_note(objection: "Objection", line_count: int, window: "Window") -> str:
    """Return what was done to a command whose output has no known size."""
    return (
        f"This call was bounded to {counted(line_count, 'line')}: its output has no known size,"
        f" and the client shows up to {tag(objection.tokens, window.tokens)} of it. A narrower"
        " call is better than more lines. Sending the same call again runs it as it stands."
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


def counted(number: int, noun: str) -> str:
    """Return `1 line`, `2 lines`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def quoted_name(name: str) -> str:
    """Return *name* as a shell word."""
    if name[0] == "-":  # quotes do not stop an option
        name = "./" + name
    if all(letter.isalnum() or letter in "/._-+,@%:" for letter in name):
        return name
    return "'" + name.replace("'", "'\\''") + "'"


def _rounded(count: int) -> int:
    """Return *count* with two significant digits: more would claim what a peek cannot know."""
    unit: int = 10 ** max(0, len(str(count)) - 2)
    return (count + unit // 2) // unit * unit
