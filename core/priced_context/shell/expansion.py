"""Words → fields: what one word of a command line stands for.

Variables, `~`, substitutions, braces and globs, in bash's order. A field is its text, the
streams of files that stand in it, or None where only running tells.
"""

from priced_context import files
from priced_context.records import NONE
from priced_context.shell.scope import MAX_FILES, NotUnderstood
from priced_context.shell.streams import (
    ANEW,
    ONE_LINE,
    Stream,
    filtered,
    joined,
    laid_out_anew,
    text_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from priced_context.shell.evaluator import Shell, Variable
    from priced_context.shell.scope import Value
    from priced_context.shell.syntax import Node, Part, Word

# Directories listed for the globs of one line, names looked at in each, and a glob's length.
MAX_LISTINGS = 8
MAX_NAMES = 4_096
MAX_PATTERN = 255


def expand_fields(shell: "Shell", word: "list[Part]") -> "list[Value]":
    """Expand *word* as an argument, to any number of fields."""
    alternatives = braced(word)
    if alternatives is None:
        return [None]
    return [value for parts in alternatives for value in _split(shell, parts)]


def expand_text(shell: "Shell", word: "list[Part]") -> "Value":
    """Expand *word* where it stays one: assignments, here-documents, `case`."""
    values = _split(shell, [_quoted(part) for part in _with_home(shell, word)])
    if not values:
        return ""
    return values[0] if len(values) == 1 else None


def _quoted(part: "Part") -> "Part":
    """Return *part* as if it stood in double quotes."""
    if isinstance(part, str):
        return ("'", part)
    return part if part[0] in ("'", "<(") else (*part[:-1], True)


def _split(shell: "Shell", parts: "list[Part]") -> "list[Value]":
    """Expand a word without braces."""
    shell.step(len(parts))
    is_alone = len(parts) - (parts[-1:] == [("'", "")]) == 1
    found: list[list[tuple[str, bool]]] = [[]]
    """Fields, in pieces: text, and whether it is quoted."""
    content: list[Stream] = []
    is_told = True
    for part in _with_home(shell, parts):
        if isinstance(part, str):
            found[-1].append((part, False))
            continue
        is_quoted = part[0] == "'" or part[-1] is True
        value = _value(shell, part)
        shell.step(len(value or "") // (16 if isinstance(value, str) else 1))
        if isinstance(value, tuple):
            if is_alone:
                return list(value)
            is_told = False
        elif isinstance(value, list):
            # in a loop a variable stands for each line in turn
            order = ONE_LINE if part[0] == "$(" else ANEW
            content += value if is_quoted else laid_out_anew(value, order=order)
        elif value is None:
            is_told = False
        elif is_quoted:
            found[-1].append((value, True))
        elif "IFS" in shell.variables:
            is_told = False
        else:
            _add_fields(found, value)
    if content:
        return [content]
    if not is_told:
        return [None]
    return [value for pieces in found if pieces for value in _globbed(shell, pieces)]


def _add_fields(found: "list[list[tuple[str, bool]]]", value: str) -> None:
    """Split *value* at its blanks: its first word goes on the last field, its last stays open."""
    if value[:1].isspace() and found[-1]:
        found.append([])
    for place, word in enumerate(value.split()):
        if place:
            found.append([])
        found[-1].append((word, False))
    if value[-1:].isspace():
        found.append([])


def _with_home(shell: "Shell", parts: "list[Part]") -> "list[Part]":
    """Return *parts* with a `~` at the start spelled out."""
    first = parts[0] if parts else ""
    if not isinstance(first, str) or not first.startswith("~"):
        return parts
    if not shell.home or not (first == "~" or first.startswith("~/")):
        return [("?", (), True), *parts]
    return [("'", shell.home), first[1:], *parts[1:]]


def _value(shell: "Shell", part: "tuple[Any, ...]") -> "Variable":
    match part[0]:
        case "'":
            return str(part[1])
        case "$":
            return None if part[1] == "*" and part[2] else _variable(shell, part[1])
        case "$(":
            return _substituted(shell, part[1])
        case "?":
            values = [shell.variables.get(name) for name in part[1]]
            return filtered(joined(v for v in values if isinstance(v, list))) or None
        case "((":
            if "=" in part[1] or "++" in part[1] or "--" in part[1]:
                shell.forget_names_in(part[1])
        case "<(":
            path = f"/dev/fd/{63 - len(shell.pipes)}"
            shell.pipes[path] = shell.fork().evaluate(part[1])
            return path
    return None


def _variable(shell: "Shell", name: str) -> "Variable":
    plain = name.removesuffix("[@]")
    if plain in shell.variables:
        value = shell.variables[plain]
        if isinstance(value, tuple) and plain == name:
            return value[0] if value else ""
        return value
    if name == "HOME":
        return shell.home or None
    if name == "PWD":
        return shell.cwd or None
    if shell.arguments is None:
        if "nounset" in shell.modes and (name.isdecimal() or name.isidentifier()):
            shell.doubt()
        return None
    if name in ("@", "*"):
        return tuple(shell.arguments[1:])
    if not name.isdecimal():
        if "nounset" in shell.modes and name.isidentifier():
            shell.doubt()
        return None
    place = int(name[:9])
    return shell.arguments[place] if place < len(shell.arguments) else ""


def _substituted(shell: "Shell", node: "Node") -> "Value":
    """Return what `$(…)` puts into a word."""
    child = shell.fork()
    file = _only_input(node)
    streams = child.evaluate(node) if file is None else child.open(child.text(file))
    shell.status = child.status
    content = [stream for stream in streams if stream.kind != NONE]
    if content:
        return content if len(streams) == 1 else laid_out_anew(content)
    printed = text_of(streams)
    return None if printed is None else printed.rstrip("\n")


def _only_input(node: "Node") -> "Word | None":
    """Return the file of `<file`, which in `$(…)` stands for `cat file`."""
    match node:
        case ("redirected", ("simple", [], []), [(0, "<", word)]):
            return word  # type: ignore[no-any-return]
    return None


def _globbed(shell: "Shell", pieces: "list[tuple[str, bool]]") -> "list[Value]":
    """Return the paths that a word matches, else its text."""
    word = "".join(piece for piece, _ in pieces)
    if not any(char in piece for piece, quoted in pieces if not quoted for char in "*?["):
        return [word]
    pattern = "".join(escaped(piece) if quoted else piece for piece, quoted in pieces)
    if "**" in pattern or "[:" in pattern or len(pattern) > MAX_PATTERN:
        return [None]
    folders = pattern.split("/")
    places = [place for place, name in enumerate(folders) if is_pattern(name)]
    if len(places) != 1:
        return [None] if places else [word]
    place = places[0]
    before = "".join(unescaped(name) + "/" for name in folders[:place])
    after = "".join("/" + unescaped(name) for name in folders[place + 1 :])
    try:
        names = _names_in(shell, shell.resolve(before or "."))
    except NotUnderstood:
        return [None]
    glob = folders[place]
    if not glob.startswith("."):
        names = [name for name in names if not name.startswith(".")]
    found = [before + name + after for name in names if fits(glob, name)]
    if after:
        is_there = files.is_directory if after == "/" else files.exists
        found = [path for path in found if is_there(shell.resolve(path))]
    if len(found) > MAX_FILES:
        return [None]
    return [*found] or [word]


def _names_in(shell: "Shell", path: str) -> "list[str]":
    """List a directory, once a line.

    Raises:
        NotUnderstood: too many directories, or too many names.
    """
    if path not in shell.listings:
        if len(shell.listings) >= MAX_LISTINGS:
            raise NotUnderstood
        shell.listings[path] = files.names_in(path)
    names = shell.listings[path]
    shell.step(len(names))
    if len(names) > MAX_NAMES:
        raise NotUnderstood
    return names


# Braces.


def braced(parts: "list[Part]") -> "list[list[Part]] | None":
    """Return the words that brace expansion makes of one; None where they are too many."""
    if not any(isinstance(part, str) and "{" in part for part in parts):
        return [parts]
    tokens: list[Part] = []
    for part in parts:
        tokens += _brace_tokens(part) if isinstance(part, str) else [part]
    groups = _brace_groups(tokens)
    if not groups:
        return [parts]
    if len(groups) > MAX_FILES:
        return None
    words = _expanded(tokens, groups, 0, len(tokens))
    return None if len(words) > MAX_FILES else words


def _brace_tokens(text: str) -> "list[str]":
    for char in "{,}":
        text = text.replace(char, f"\0{char}\0")
    return [token for token in text.split("\0") if token]


def _brace_groups(tokens: "list[Part]") -> "dict[int, list[int]]":
    """Return for each `{` that expands the places of it, its commas and its `}`."""
    groups = {}
    stack: list[list[int]] = []
    for place, mark in enumerate(tokens):
        if mark == "{":
            stack.append([place])
        elif mark == "," and stack:
            stack[-1].append(place)
        elif mark == "}" and stack:
            places = stack.pop()
            inner = tokens[places[0] + 1] if place == places[0] + 2 else ""
            if len(places) > 1 or (isinstance(inner, str) and ".." in inner):
                groups[places[0]] = [*places, place]
    return groups


def _expanded(
    tokens: "list[Part]", groups: "dict[int, list[int]]", start: int, end: int
) -> "list[list[Part]]":
    """Return what tokens *start* to *end* expand to; one more than MAX_FILES where too many."""
    words: list[list[Part]] = [[]]
    place = start
    while place < end:
        if place in groups:
            places = groups[place]
            options_: list[list[Part]] = []
            if len(places) == 2:
                options_ = _sequence(str(tokens[place + 1]))
            else:
                for left, right in zip(places, places[1:], strict=False):
                    options_ += _expanded(tokens, groups, left + 1, right)
            words = [word + option for word in words for option in options_][: MAX_FILES + 1]
            place = places[-1]
        else:
            for word in words:
                word.append(tokens[place])
        place += 1
    return words


def _sequence(text: str) -> "list[list[Part]]":
    """Return the words of `{1..9}` or `{a..f}`; as it stands where it is neither."""
    first, _, rest = text.partition("..")
    last, _, step = rest.partition("..")
    is_numeric = all(bound.removeprefix("-").isdecimal() for bound in (first, last, step or "1"))
    if is_numeric and max(map(len, (first, last, step))) < 16:
        low, high, width = int(first), int(last), abs(int(step or 1)) or 1
        is_padded = any(bound.lstrip("-")[:-1].startswith("0") for bound in (first, last))
        zeros = max(len(first), len(last)) if is_padded else 0
        count = min(abs(high - low) // width, MAX_FILES) + 1
        sign = 1 if high >= low else -1
        return [[str(low + sign * width * n).zfill(zeros)] for n in range(count)]
    if len(first) == len(last) == 1 and first.isalpha() and last.isalpha() and not step:
        sign = 1 if last >= first else -1
        codes = range(ord(first), ord(last) + sign, sign)
        return [[chr(code)] for code in codes[: MAX_FILES + 1]]
    return [["{" + text + "}"]]


# Globs.


def is_pattern(text: str) -> bool:
    """Return whether *text* has a `*`, `?` or `[` that no backslash stands before."""
    at = 0
    while at < len(text):
        if text[at] in "*?" or (text[at] == "[" and "]" in text[at + 1 :]):
            return True
        at += 1 + (text[at] == "\\")
    return False


def fits(pattern: str, name: str) -> bool:
    """Return whether *name* matches a glob without `/`."""
    if not any(char in pattern for char in "?[\\"):
        return _fits_stars(pattern.split("*"), name)
    at = place = 0
    star, resume = -1, 0
    while place < len(name):
        width = _matched(pattern, at, name[place])
        if pattern[at : at + 1] == "*":
            star, resume = at, place
            at += 1
        elif width:
            at += width
            place += 1
        elif star >= 0:
            at, resume = star + 1, resume + 1
            place = resume
        else:
            return False
    return not pattern[at:].strip("*")


def _fits_stars(texts: "list[str]", name: str) -> bool:
    """Return whether *name* is *texts* in their order, with anything where a star stood."""
    if len(texts) == 1:
        return name == texts[0]
    first, *middle, last = texts
    if len(name) < len(first) + len(last) or not name.startswith(first) or not name.endswith(last):
        return False
    at, end = len(first), len(name) - len(last)
    for text in middle:
        found = name.find(text, at, end)
        if found < 0:
            return False
        at = found + len(text)
    return True


def _matched(pattern: str, at: int, char: str) -> int:
    """Return the width of the pattern's element at *at* if it matches *char*, else 0."""
    element = pattern[at : at + 1]
    if element == "\\":
        return 2 if pattern[at + 1 : at + 2] == char else 0
    if element == "?":
        return 1
    end = pattern.find("]", at + 2 + (pattern[at + 1 : at + 2] in ("!", "^")))
    if element != "[" or end < 0:
        return int(element == char)
    members = pattern[at + 1 : end]
    is_negated = members[0] in "!^"
    members = members[is_negated:]
    is_in = any(
        low <= char <= high
        for low, dash, high in zip(members, members[1:], members[2:], strict=False)
        if dash == "-"
    )
    return end + 1 - at if (is_in or char in members) != is_negated else 0


def escaped(text: str) -> str:
    for char in "\\*?[":
        text = text.replace(char, "\\" + char)
    return text


def unescaped(text: str) -> str:
    return text.replace("\\\\", "\0").replace("\\", "").replace("\0", "\\")
