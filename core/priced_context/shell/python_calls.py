"""What Python's functions and methods do with a file's content, for `python`."""

from priced_context.shell.acts import RUNS, WRITES, Act
from priced_context.shell.expressions import Expressions
from priced_context.shell.selections import is_data
from priced_context.shell.streams import ANEW, IN_ORDER, ONE_LINE
from priced_context.shell.values import (
    BUFFER,
    CONTENT,
    DATA,
    FILE,
    LINES,
    OWN,
    PATH,
    PLAIN,
    STDIN,
    STREAM,
    Call,
    Value,
    paths_of,
    some,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_OPENERS = ("open", "io.open", "codecs.open", "builtins.open")
_PATHS = ("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath")
_STREAMS = ("sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__")
_EXITS = ("exit", "quit", "sys.exit", "os._exit", "os.abort")

# What these answer is one short word or number, whatever they are given.
_SHORT = frozenset(
    """
    len sum any all bool hash id int float type isinstance issubclass callable ord hasattr
    os.path.exists os.path.isfile os.path.isdir os.path.getsize os.stat
    """.split()
)
_SHORT_METHODS = frozenset(
    """
    count find rfind index rindex startswith endswith isdigit isdecimal isalpha isspace isidentifier
    hexdigest exists is_file is_dir stat write write_text write_bytes close flush bit_length
    """.split()
)
_RUNNERS = ("subprocess.", "os.system", "os.popen", "os.exec", "os.spawn", "pty.spawn")


class PythonCalls(Expressions):
    """What a name stands for, and what a call gives and prints."""

    def constant(self, name: str) -> Value | None:
        if name in _STREAMS:
            return Value(STREAM)
        if name in ("sys.stdin", "sys.stdin.buffer"):
            return self.opened(STDIN)
        if name == "sys.argv":
            arguments = [Value(text=text) for text in self.arguments]
            return Value(items=[Value(), *arguments])
        if name == "os.sep":
            return Value(text="/")
        return None

    def is_printer(self, value: Value) -> bool:
        return value.name == "print"

    def call(self, function: Value, call: Call) -> Value:
        if function.kind == STREAM:
            self.write_out(call, IN_ORDER)
            return Value()
        if function.kind == OWN:
            return self.unknown_call(call, is_own=True)
        name = function.name.removeprefix("builtins.")
        known = _FUNCTIONS.get(name)
        if known:
            return known(self, call)
        if name in _OPENERS:
            return self.open_file(call.get(0, "file"), call.get(1, "mode"))
        if name in _PATHS:
            return self.joined_path(call.values)
        if name in _EXITS:
            code = call.get(0) or Value()
            self.print_some(code.paths)
            self.end(is_failure=bool(code.number))
            return Value()
        if name in _SHORT:
            for value in call.given():
                value.use_up()
            return Value()
        if name.startswith(_RUNNERS):
            return self.run_command(call)
        if name.endswith(".open") or name.startswith(("linecache.", "fileinput.")):
            return self.opened(None)
        if name in ("exec", "eval"):
            self.doubt()
        call.receiver = function if function.paths else None
        return self.unknown_call(call, name)

    def run_command(self, call: Call) -> Value:
        """Note the command that is run, as far as it stands in the program."""
        first = call.get(0, "args") or Value()
        texts = [value.text for value in first.items or [first]]
        command = None if None in texts else " ".join(text or "" for text in texts)
        self.acts.append(Act(RUNS, command))
        return some((None,))

    def open_file(self, place: Value | None, mode: Value | None) -> Value:
        if place and place.text in ("/dev/stdout", "/dev/stderr", "/dev/tty"):
            return Value(STREAM)
        if mode and (mode.text is None or set(mode.text) & set("wax")):
            self.acts.append(Act(WRITES, self.located(place)))
            return Value(text="") if mode.text else some((None,))
        if place and place.number == 0:
            return self.opened(STDIN)
        path = STDIN if place and place.text == STDIN else self.located(place)
        value = self.opened(path)
        value.is_bytes = mode is not None and "b" in (mode.text or "")
        return value

    def joined_path(self, values: "list[Value]") -> Value:
        path = Value(PATH, text="")
        for value in values:
            path = self.path_in(path, value)
        return path

    def path_in(self, folder: Value, value: Value) -> Value:
        """Return `folder / value`."""
        if value.text is None or folder.text is None or value.kind not in (PATH, PLAIN):
            return Value(PATH)
        is_alone = not folder.text or value.text.startswith("/")
        return Value(PATH, text=value.text if is_alone else f"{folder.text}/{value.text}")

    def combined(self, values: "list[Value]", operators: "list[str]") -> Value:
        if operators and set(operators) == {"/"} and any(v.kind == PATH for v in values):
            return self.joined_path(values)
        return super().combined(values, operators)

    def read_of(self, value: Value) -> Value:
        """Return all that an open file holds."""
        content = value.copy(BUFFER if value.is_bytes else CONTENT)
        value.use_up()
        return content

    def attribute(self, value: Value, name: str) -> Value:
        if value.kind == STREAM:
            return value
        if value.kind == FILE and name == "buffer":
            return value
        return Value() if value.kind in (FILE, PATH) else self.part(value)

    def method(self, value: Value, name: str, call: Call) -> Value:
        kind = value.kind
        if kind == STREAM:
            self.write_out(call, IN_ORDER)
            return Value()
        if kind == PATH or (kind == PLAIN and name in ("read_text", "read_bytes", "open")):
            return self.path_method(value, name, call)
        if kind == PLAIN and value.text is None and name in ("read", "readlines", "readline"):
            return some((None,))
        if kind == PLAIN and name == "join" and call.values:
            return self.join(value, call.values[0])
        if kind == FILE:
            return self.file_method(value, name, call)
        if kind in (CONTENT, BUFFER):
            known = self.content_method(value, name, call)
            if known:
                return known
        if name in _SHORT_METHODS:
            for given in call.values:
                given.use_up()
            value.absorb(paths_of(call.values))  # `write`
            return Value()
        is_file = value.text is not None  # opened to write it
        return self.unknown_call(call, "" if is_file else name)

    def path_method(self, value: Value, name: str, call: Call) -> Value:
        if name in ("read_text", "read_bytes"):
            path = self.located(value)
            return self.opened(path, CONTENT if name == "read_text" else BUFFER)
        if name == "open":
            return self.open_file(value, call.get(0, "mode"))
        if name in ("write_text", "write_bytes", "unlink", "rename", "replace", "touch"):
            self.acts.append(Act(WRITES, self.located(value)))
            return Value()
        if name in ("resolve", "absolute"):
            return value
        if name == "joinpath":
            return self.joined_path([value, *call.values])
        return Value()

    def file_method(self, value: Value, name: str, call: Call) -> Value:
        if name == "read":
            count = call.get(0)
            content = self.read_of(value)
            if count is None or (count.number or 0) < 0:
                return content
            return content.first_bytes(count.number) if count.number else some(content.paths)
        if name in ("readlines", "__iter__") and not call.values:
            return self.listed(value)
        if name in ("readline", "__next__"):
            return self.item(self.listed(value), Value(number=0))
        paths = value.paths
        value.use_up()
        return Value() if name in _SHORT_METHODS else some(paths)

    def content_method(self, value: Value, name: str, call: Call) -> Value | None:
        if name in ("strip", "rstrip") and (not call.values or call.values[0].text == "\n"):
            stripped = value.edited()
            stripped.has_newlines = False
            return stripped
        if name in ("decode", "encode"):
            return value.copy(CONTENT if name == "decode" else BUFFER)
        is_by_line = name == "split" and len(call.values) == 1 and call.values[0].text == "\n"
        if (name == "splitlines" or is_by_line) and not value.loop:
            lines = value.edited(LINES) if value.byte_count is None else some(value.paths)
            lines.has_newlines = bool(call.values) and name == "splitlines"
            return lines
        return None

    def join(self, joiner: Value, value: Value) -> Value:
        """`joiner.join(value)`."""
        lines = self.listed(value)
        if lines.kind != LINES or joiner.text is None:
            return some(value.paths)
        if lines.has_newlines and not joiner.text:
            return lines.edited(CONTENT)
        if not lines.has_newlines:
            text = lines.edited(CONTENT)
            text.has_newlines = False
            return text if joiner.text == "\n" else lines.on_one_line(CONTENT)
        return lines.anew(CONTENT)

    # Printing.

    def printed(self, call: Call) -> Value:
        """`print`."""
        target, end, between = (call.named.get(name) for name in ("file", "end", "sep"))
        if target and target.kind != STREAM:
            return Value()
        tail = "\n" if end is None else end.text
        values = call.values
        if len(values) > 1 and not any(value.is_spread for value in values):
            contents = [value for value in values if value.paths]
            if len(contents) == 1 and contents[0].kind == CONTENT:
                rest = [value for value in values if not value.paths]
                values = [self.among(contents[0], rest, values[-1])]
        for value in values or [Value()]:
            self.print_one(value, tail, between.text if between else " ")
        return Value()

    def print_one(self, value: Value, tail: str | None, between: str | None) -> None:
        order = IN_ORDER
        if value.is_spread:
            has_newline = (between or "").endswith("\n")
            if value.has_newlines == has_newline:
                order = ANEW if value.has_newlines else ONE_LINE
        elif value.kind in (LINES, DATA, BUFFER):
            order = ONE_LINE
        elif value.kind == FILE:
            value = Value()
        elif value.loop and tail is not None:
            is_ended = tail.endswith("\n")
            if value.has_newlines == is_ended:
                order = ANEW if is_ended else ONE_LINE
        elif tail != "\n" and not value.has_newlines:
            order = ANEW
        self.print_value(value, order)

    def write_out(self, call: Call, order: int) -> None:
        """`sys.stdout.write` and whatever else is done with it."""
        for value in call.values:
            if value.kind in (CONTENT, LINES, BUFFER, FILE) and not value.has_newlines:
                order = ONE_LINE if value.loop or value.kind == LINES else ANEW
            self.print_value(value, order)

    def pretty_printed(self, call: Call) -> Value:
        for value in call.values[:1]:
            self.print_value(value, ANEW)
        return Value()

    def copied(self, call: Call) -> Value:
        """`shutil.copyfileobj`."""
        source, target = call.get(0), call.get(1)
        if source and target and target.kind == STREAM:
            self.print_value(source, IN_ORDER)
        return Value()

    # Functions.

    def as_list(self, call: Call) -> Value:
        return self.listed(call.values[0]) if call.values else Value()

    def as_text(self, call: Call) -> Value:
        value = call.get(0) or Value()
        if value.kind in (CONTENT, PLAIN, PATH) and len(call.values) == 1:
            return value
        return some(value.paths)

    def as_repr(self, call: Call) -> Value:
        value = call.get(0) or Value()
        return value.on_one_line() if value.kind == CONTENT else some(value.paths)

    def enumerated(self, call: Call) -> Value:
        value = self.as_list(call)
        if value.kind != LINES:
            return some(value.paths)
        twin = value.edited()
        twin.is_counter = True
        return twin

    def islice(self, call: Call) -> Value:
        numbers = [value.number for value in call.values[1:]]
        lines = self.as_list(call)
        if lines.kind != LINES or None in numbers or not 0 < len(numbers) < 3:
            return some(lines.paths)
        low, high = numbers if len(numbers) == 2 else (0, numbers[0])
        return lines.first_lines(low or 0, high)

    def parsed(self, call: Call) -> Value:
        """`json.load` and `json.loads`."""
        value = call.get(0) or Value()
        is_whole = value.span == (1, None) and value.byte_count is None and not value.loop
        if value.kind not in (FILE, CONTENT, BUFFER) or not is_whole:
            return some(value.paths)
        data = value.edited(DATA)
        value.use_up()
        if not is_data(value.paths[0] or ""):
            self.doubt()
        return data

    def laid_out(self, call: Call) -> Value:
        """`json.dumps`."""
        value = call.get(0) or Value()
        if value.kind not in (DATA, CONTENT):
            return some(value.paths)
        is_indented = "indent" in call.named and value.kind == DATA
        return value.anew(CONTENT) if is_indented else value.on_one_line(CONTENT)

    def laid_out_into(self, call: Call) -> Value:
        """`json.dump`."""
        target = call.get(1, "fp")
        if target and target.kind == STREAM:
            text = self.laid_out(call)
            self.print_value(text, IN_ORDER)
        return Value()

    def path_joined(self, call: Call) -> Value:
        text = self.joined_path(call.values).text
        return Value(text=text)

    def changed_folder(self, call: Call) -> Value:
        self.folder = None if self.is_in_doubt else self.located(call.get(0))
        return Value()

    def asked(self, _prompt: Call) -> Value:
        """`input`."""
        return some(self.opened(STDIN).paths)


_FUNCTIONS: "dict[str, Callable[[PythonCalls, Call], Value]]" = {
    "enumerate": PythonCalls.enumerated,
    "input": PythonCalls.asked,
    "itertools.islice": PythonCalls.islice,
    "iter": PythonCalls.as_list,
    "json.dump": PythonCalls.laid_out_into,
    "json.dumps": PythonCalls.laid_out,
    "json.load": PythonCalls.parsed,
    "json.loads": PythonCalls.parsed,
    "list": PythonCalls.as_list,
    "os.chdir": PythonCalls.changed_folder,
    "os.path.join": PythonCalls.path_joined,
    "pprint.pprint": PythonCalls.pretty_printed,
    "print": PythonCalls.printed,
    "repr": PythonCalls.as_repr,
    "shutil.copyfileobj": PythonCalls.copied,
    "str": PythonCalls.as_text,
    "tuple": PythonCalls.as_list,
}
