"""What JavaScript's functions and methods do with a file's content, for `javascript`."""

from priced_context.shell.acts import RUNS, WRITES, Act
from priced_context.shell.expressions import Expressions
from priced_context.shell.streams import ANEW, IN_ORDER, ONE_LINE
from priced_context.shell.values import (
    BUFFER,
    CONTENT,
    DATA,
    FILE,
    LINES,
    OWN,
    PLAIN,
    STDIN,
    STREAM,
    Call,
    Value,
    paths_of,
    some,
)

_PRINTERS = tuple(f"console.{name}" for name in ("log", "info", "error", "warn", "debug"))
_DIGESTS = ("console.dir", "console.table")
_STREAMS = ("process.stdout", "process.stderr")
_SHORT = ("Array.isArray", "isNaN", "Number", "parseInt", "parseFloat", "Boolean")
_SHORT_METHODS = frozenset(
    "includes indexOf lastIndexOf startsWith endsWith test search some every digest".split()
)
_FILE_METHODS = ("readFileSync", "readFile", "createReadStream", "writeFileSync")
_RUNNERS = ("execSync", "exec", "spawnSync", "spawn", "execFileSync", "execFile")


class JavaScriptCalls(Expressions):
    """What a name stands for, and what a call gives and prints."""

    def constant(self, name: str) -> Value | None:
        if name in _STREAMS:
            return Value(STREAM)
        if name == "process.stdin":
            return self.opened(STDIN)
        if name == "process.argv":
            arguments = [Value(text=text) for text in self.arguments]
            return Value(items=[Value(), *arguments])
        if name in ("true", "false", "null", "undefined", "NaN", "Infinity"):
            return Value(text="") if name == "null" else Value()
        return None

    def module(self, place: Value) -> Value:
        """Return what `require` gives."""
        text = place.text
        if text is None:
            return some((None,))
        name = text.removeprefix("node:")
        if not name.startswith((".", "/")):
            return Value(name=name)
        if not name.endswith(".json"):
            return Value()
        return self.opened(self.located(place), DATA)

    def is_printer(self, value: Value) -> bool:
        return value.name in _PRINTERS

    def call(self, function: Value, call: Call) -> Value:
        if function.kind == OWN:
            call.receiver = function
            return self.unknown_call(call, is_own=True)
        name = function.name
        short = name.rpartition(".")[2]
        if function.kind == STREAM:
            self.write_out(call)
        elif name in ("require", "import"):
            return self.module(call.get(0) or Value())
        elif name in _PRINTERS:
            for value in call.values or [Value()]:
                self.log(value)
        elif name in _DIGESTS:
            self.print_some(paths_of(call.values))
        elif short == "readFileSync":
            return self.file_read(call)
        elif name == "JSON.parse":
            return self.parsed(call)
        elif name == "JSON.stringify":
            return self.laid_out(call)
        elif name == "String":
            value = call.get(0) or Value()
            return value.edited(CONTENT) if value.kind == BUFFER else value
        elif name == "process.exit":
            code = call.get(0)
            self.end(is_failure=bool(code and code.number))
        elif name == "process.chdir":
            self.folder = None if self.is_in_doubt else self.located(call.get(0))
        elif name in ("path.join", "path.resolve"):
            texts = [value.text for value in call.values]
            return Value(text=None if None in texts else "/".join(text or "" for text in texts))
        elif name in _SHORT:
            return Value()
        elif short in ("writeFileSync", "writeFile", "appendFileSync", "createWriteStream"):
            self.acts.append(Act(WRITES, self.located(call.get(0))))
        elif short == "createReadStream":
            file = self.opened(self.located(call.get(0)))
            return file if len(call.values) == 1 else some(file.paths)  # `{start: 5}`
        elif short == "readFile":
            call.receiver = self.opened(self.located(call.get(0)))
            return self.unknown_call(call)
        elif short in _RUNNERS and name.startswith("child_process"):
            return self.run_command(call)
        else:
            call.receiver = function if function.paths else None
            return self.unknown_call(call, name)
        return Value()

    def run_command(self, call: Call) -> Value:
        """Note the command that is run, as far as it stands in the program."""
        words = [call.get(0) or Value(), *((call.get(1) or Value()).items or [])]
        texts = [value.text for value in words]
        self.acts.append(Act(RUNS, None if None in texts else " ".join(map(str, texts))))
        return some((None,))

    def file_read(self, call: Call) -> Value:
        place = call.get(0) or Value()
        path = STDIN if place.number == 0 or place.text == STDIN else self.located(place)
        return self.opened(path, CONTENT if len(call.values) > 1 else BUFFER)

    def parsed(self, call: Call) -> Value:
        value = call.get(0) or Value()
        if value.kind not in (CONTENT, BUFFER) or value.byte_count is not None or value.loop:
            return some(value.paths)
        return value.edited(DATA)

    def laid_out(self, call: Call) -> Value:
        """`JSON.stringify`."""
        value, chosen = call.get(0) or Value(), call.get(1)
        if value.kind not in (DATA, CONTENT) or (chosen and chosen.text != ""):
            return some(value.paths)
        is_indented = len(call.values) > 2 and value.kind == DATA
        return value.anew(CONTENT) if is_indented else value.on_one_line(CONTENT)

    def log(self, value: Value) -> None:
        """`console.log`: of a buffer or a list it prints only the first items."""
        if value.kind in (BUFFER, DATA, LINES, FILE):
            value = some(value.paths)
        order = IN_ORDER
        if value.loop and value.has_newlines:
            order = ANEW
        self.print_value(value, order)

    def write_out(self, call: Call) -> None:
        for value in call.values[:1]:
            order = IN_ORDER
            if not value.has_newlines:
                order = ONE_LINE if value.loop else ANEW
            self.print_value(value, order)

    def attribute(self, value: Value, name: str) -> Value:
        if name in ("length", "size"):
            return Value()
        return value if value.kind == STREAM else self.part(value)

    def method(self, value: Value, name: str, call: Call) -> Value:
        if value.kind == STREAM:
            self.write_out(call)
            return Value()
        if value.kind == PLAIN and name in _FILE_METHODS:
            return self.call(Value(name=f"fs.{name}"), call)
        if value.kind in (CONTENT, BUFFER):
            known = self.content_method(value, name, call)
            if known:
                return known
        if value.kind == LINES:
            if name == "join":
                return self.join(value, call.get(0) or Value(text=","))
            if name == "slice":
                return self.slice(value, call.get(0), call.get(1))
        if value.kind == FILE and name == "pipe":
            target = call.get(0)
            if target and target.kind == STREAM:
                self.print_value(value, IN_ORDER)
            return Value()
        if value.kind == FILE and name == "on":
            self.unknown_call(Call(call.values, {}, some(value.paths)))
            return value
        if name in _SHORT_METHODS and not any(given.kind == OWN for given in call.values):
            return Value()
        return self.unknown_call(call)

    def content_method(self, value: Value, name: str, call: Call) -> Value | None:
        first = call.get(0)
        if name == "toString":
            return value.copy(CONTENT)
        if name in ("slice", "substring", "substr", "subarray"):
            return self.slice(value, first, call.get(1))
        if value.kind == CONTENT and name in ("trim", "trimEnd"):
            stripped = value.edited()
            stripped.has_newlines = False
            return stripped
        is_by_line = name == "split" and len(call.values) == 1 and first and first.text == "\n"
        if is_by_line and value.kind == CONTENT and value.byte_count is None and not value.loop:
            lines = value.edited(LINES)
            lines.has_newlines = False
            return lines
        return None

    def join(self, lines: Value, joiner: Value) -> Value:
        if joiner.text is None:
            return some(lines.paths)
        text = lines.edited(CONTENT)
        text.has_newlines = False
        return text if joiner.text == "\n" else lines.on_one_line(CONTENT)
