"""What a command line really prints: real bash over a small tree, and whose lines those are.

Every line of every file says which it is (`b17 = 17  # pay for this`), so it is found again in
whatever layout it comes out. Used by the tests and by benchmarks/shell_differential.py.
"""

import contextlib
import functools
import gzip
import os
import random
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from generated_programs import Programs
from priced_context.records import (
    DUMP,
    DUMP_OBJECT,
    FILTERED,
    NONE,
    UNBOUNDED,
    UNKNOWN,
    Intake,
    Read,
)
from priced_context.shell import evaluator, filters, git, searches, streams
from priced_context.shell.scope import NotUnderstood
from priced_context.words import words_in

Tree = Mapping[str, tuple[str, int]]
"""File → its tag, and its number of lines. `.json` is an array, `.gz` is compressed, `.raw`
has no newline at the end."""

# The files of the cases in ../shared, each with a tag of its own.
FIXTURE: Tree = {
    "mid.py": ("m", 900),
    "big.py": ("b", 6000),
    "small.py": ("s", 20),
    "app.log": ("l", 9000),
    "notes.md": ("n", 4000),
    "data.json": ("d", 7000),
    "sp ace.txt": ("p", 5000),
    "src/mod.rs": ("r", 5500),
    "src/util.rs": ("u", 30),
    "-dash.txt": ("h", 3000),
    "table.csv": ("t", 8000),
    "archive.gz": ("z", 6000),
}

# A tree for generated commands: short files, and the odd ones.
SMALL: Tree = {
    "a.txt": ("a", 40),
    "b.txt": ("b", 7),
    "c.md": ("c", 90),
    "e.raw": ("e", 12),
    "f.json": ("f", 15),
    "sp g.txt": ("g", 9),
    "-h.txt": ("h", 5),
    "sub/i.txt": ("i", 25),
    "sub/j.md": ("j", 3),
    "empty.txt": ("o", 0),
}

Lines = set[tuple[str, int]]
"""Lines, each as the tag of its file and its number."""

_LINE = re.compile(r"([a-z])(\d+)[\"']?\s*[=:]\s*\2(?!\d)", re.IGNORECASE)
_COLOUR = re.compile(r"\x1b\[[\d;]*m")


def text_of(name: str, tree: Tree) -> str:
    """Return the text of one file of *tree*."""
    tag, lines = tree[name]
    if name.endswith(".json"):
        objects = [f'{{"{tag}{number}": {number}}}' for number in range(2, lines)]
        return "[\n" + ",\n".join(objects) + "\n]\n"
    text = "".join(f"{tag}{number} = {number}  # pay for this\n" for number in range(1, lines + 1))
    return text.removesuffix("\n") if name.endswith(".raw") else text


def make_tree(root: Path, tree: Tree) -> Path:
    """Write *tree* below *root* and return *root*."""
    for name in tree:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text_of(name, tree).encode()
        path.write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
    return root


def counted(read: Read) -> tuple[int, int | None]:
    """Return first line and count of *read*, with what counts from the end counted."""
    first, count = read.first_line, read.line_count
    if first > 0 and (count is None or count >= 0):
        return first, count
    total = len(Path(read.path).read_bytes().splitlines())
    if first < 0:
        first = max(1, total + 1 + first)
    end = total if count is None else total + count if count < 0 else first + count - 1
    return first, max(0, end - first + 1)


# Running


def outputs_of(lines: Sequence[str], tree: Path, scratch: Path) -> list[str]:
    """Run every command line in one bash, each in a subshell in *tree*; return what they print."""
    cases = scratch / "cases"
    cases.mkdir(parents=True)
    for place, line in enumerate(lines):
        (cases / f"{place:06}").write_text(line + "\n")
    runner = f"""
        for case in {cases}/*; do
            ( cd {tree}; . "$case" ) > "$case.out" 2>&1 < /dev/null
        done
    """
    run_bash(["-c", runner], tree)
    return [path.read_text(errors="replace") for path in sorted(cases.glob("*.out"))]


def run_bash(arguments: Sequence[str], tree: Path) -> str:
    """Return standard output and error of one bash, with *tree* for its directory and home."""
    done = subprocess.run(
        ["timeout", "600", "bash", *arguments],
        cwd=tree,
        env={**os.environ, "HOME": str(tree), "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode(errors="replace")


# Comparing


@functools.lru_cache(maxsize=64)  # many commands print the same file
def lines_in(output: str) -> Lines:
    """Return every line of a tree that stands whole in *output*, also read backwards."""
    output = _COLOUR.sub("", output)
    both = output + "\n" + "\n".join(line[::-1] for line in output.splitlines())
    return {(tag.lower(), int(number)) for tag, number in _LINE.findall(both)}


def lines_of(read: Read, root: Path, tree: Tree) -> Lines:
    """Return the lines that *read* claims."""
    name = read.path.removeprefix(f"{root}/")
    if name not in tree or name.endswith(".gz"):
        return set()
    if read.byte_count is not None:
        text = text_of(name, tree)
        return lines_in(
            text[: read.byte_count] if read.byte_count >= 0 else text[read.byte_count :]
        )
    tag, total = tree[name]
    first, count = counted(read)
    end = total if count is None else min(total, first + count - 1)
    if name.endswith(".json"):
        first, end = max(first, 2), min(end, total - 1)
    return {(tag, number) for number in range(first, end + 1)}


def kinds_of(line: str, root: Path) -> set[str]:
    """Return the kinds of everything that a command line prints, not only the worst."""
    shell = evaluator.Shell(str(root), str(root), words_in(line))
    try:
        return {stream.kind for stream in shell.evaluate(evaluator.node_of(line)) + shell.errors}
    except (NotUnderstood, evaluator.Exhausted):
        return {UNKNOWN}


@contextlib.contextmanager
def nothing_is_short() -> Iterator[None]:
    """Let no number of lines count as short, so that `none` has to mean nothing at all."""
    before = streams.SHORT_LINES, streams.SHORT_BYTES
    modules = (streams, filters, searches, git)
    for module in modules:
        module.SHORT_LINES = module.SHORT_BYTES = -1
    try:
        yield
    finally:
        for module in modules:
            module.SHORT_LINES, module.SHORT_BYTES = before


def falsehood(line: str, intake: Intake, output: str, root: Path, tree: Tree) -> str:
    """Return what *output* shows to be wrong in *intake*, else ""."""
    is_an_object = intake.kind == FILTERED and not intake.reads
    if intake.kind in {UNKNOWN, UNBOUNDED, DUMP_OBJECT} or is_an_object:
        return ""
    printed = lines_in(output)
    claimed: Lines = set()
    for read in intake.reads:
        claimed |= lines_of(read, root, tree)
    if intake.kind == NONE:
        return f"none, but it prints {sorted(printed)[:5]}" if printed else ""
    # The digits of xxd or base64 are not read back; blame's growth is no digits.
    if any(read.byte_growth not in {1.0, git.BLAME_GROWTH} for read in intake.reads):
        return ""
    if intake.kind == FILTERED:
        outside = sorted(printed - claimed)
        return f"lines of other files: {outside[:5]}" if outside else ""
    if not claimed <= printed:
        return f"claimed and not printed: {sorted(claimed - printed)[:5]}"
    is_cut_by_bytes = any(read.byte_count for read in intake.reads)
    if kinds_of(line, root) == {DUMP} and not is_cut_by_bytes and not printed <= claimed:
        return f"printed and not claimed: {sorted(printed - claimed)[:5]}"
    return ""


# Generating


class Generator:
    """Random command lines over SMALL, from simple to nested."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.programs = Programs(self.random)

    def line(self) -> str:
        return self.statement(depth=2)

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def number(self) -> int:
        return self.random.choice((1, 2, 3, 5, 8, 10, 12, 20, 39, 40, 41, 60, 100))

    # Statements.

    def statement(self, depth: int) -> str:
        makers: list[Callable[[int], str]] = [self.pipeline] * 6
        if depth:
            makers += [
                self.sequence, self.sequence, self.group, self.condition, self.loop,
                self.reading_loop, self.directory, self.redirected, self.substitution,
                self.script, self.variable, self.document, self.state, self.program,
            ]  # fmt: skip
        return self.random.choice(makers)(depth - 1)

    def sequence(self, depth: int) -> str:
        joiner = self.pick("; ", " && ", " || ", "\n", " ; ")
        left, right = self.statement(depth), self.statement(depth)
        return f"{left}{joiner if '<<' not in left else chr(10)}{right}"

    def group(self, depth: int) -> str:
        inner = self.statement(depth)
        group = self.pick("( {}\n)", "{{ {}\n}}").format(inner)
        return group + self.pick("", "", f" | {self.stage()}", " > /dev/null", " 2>&1")

    def condition(self, depth: int) -> str:
        test = self.pick(
            "true", "false", "[ -f a.txt ]", "[ -f nope ]", "! [ -d sub ]", "[[ -s empty.txt ]]",
            "test -e b.txt", "[ 1 -lt 2 ]", 'test -n ""', "[ a = b ]",
        )  # fmt: skip
        body, other = self.statement(depth), self.statement(depth)
        return self.pick(
            f"if {test}; then {body}\nfi",
            f"if {test}; then {body}\nelse {other}\nfi",
            f"{test} && {{ {body}\n}}",
            f"{test} || {{ {body}\n}}",
            f"case {self.pick('x', 'a.txt', 'y')} in x|y) {body}\n;; *.txt) {other}\n;; esac",
        )

    def loop(self, depth: int) -> str:
        words = self.pick(
            "a.txt b.txt", "*.txt", "sub/*", "{a,b}.txt", '"sp g.txt"', "nope", "c.md"
        )
        command = self.pick("cat", "head -n 3", "tail -n 2", "sed -n 2,4p", "grep -c pay", "wc -l")
        body = self.pick(f'{command} "$f"', f"{command} ./$f", f'echo "$f"; {command} "$f"')
        stop = self.pick(
            "", "", "", "; break", "; continue", '; [ "$f" = a.txt ] && break', "; break 2"
        )
        return f"for f in {words}; do {body}{stop}; done" + self.pick("", f" | {self.stage()}")

    def reading_loop(self, depth: int) -> str:
        body = self.pick('echo "$l"', 'printf "%s\\n" "$l"', "echo got", ":")
        condition = self.pick(
            "read -r l", 'read -r l || [ -n "$l" ]', "read -r l && [ $((i++)) -lt 4 ]"
        )
        loop = f"while IFS= {condition}; do {body}; done"
        return self.pick(
            # not e.raw: `read` loses a line without a newline, the recogniser does not
            f"{loop} < {self.pick('a.txt', 'c.md', 'sub/*.md', 'nope.txt')}",
            f"{self.source().replace('e.raw', 'b.txt')} | {loop}",
            f"printf 'a.txt\\nb.txt\\n' | {loop}",
        )

    def directory(self, depth: int) -> str:
        folder = self.pick("sub", "./sub/", "nope", "sub/..", "-- sub")
        inside = self.pick("cat i.txt", "cat *", "head -n 4 ../a.txt", "cat j.md | tail -n 1")
        return self.pick(
            f"cd {folder} && {inside}",
            f"cd {folder}; {inside}",
            f"(cd {folder} && {inside}); {self.pipeline(0)}",
            f"cd {folder} || exit; {inside}",
            f"pushd {folder} > /dev/null && {inside}; popd > /dev/null; cat b.txt",
        )

    def redirected(self, depth: int) -> str:
        return self.pipeline(depth) + self.pick(
            " > /dev/null", " 2>/dev/null", " >&2", " 2>&1 >/dev/null", " &> /dev/null",
            " > ../out", " >> ../out", " >&2 2>/dev/null", " 2>&1 | cat",
        )  # fmt: skip

    def substitution(self, depth: int) -> str:
        inner = self.pipeline(0)
        return self.pick(
            f'echo "$({inner})"', f"echo $({inner})", f"echo `{inner}`" if "`" not in inner else ":",
            f'printf "%s\\n" "$({inner})"', f'x=$({inner}); echo "$x"', f"x=$({inner})",
            f'cat <<< "$({inner})"', f"cat <({inner})", f'echo "$({inner})" | {self.stage()}',
            "cat $(echo a.txt b.txt)", 'echo "$(<b.txt)"', f'[ -n "$({inner})" ]',
        )  # fmt: skip

    def script(self, depth: int) -> str:
        inner = self.pick("cat a.txt", "head -n 3 c.md", "cat a.txt | tail -n 2", "cd sub; cat *")
        return self.pick(
            f"bash -c '{inner}'", f"sh -c '{inner}' | {self.stage()}", f"eval '{inner}'",
            f"bash <<'EOF'\n{inner}\nEOF", f"echo '{inner}' | bash",
            "bash -c 'cat \"$1\"' _ a.txt", f"bash -c 'exit 3'; {inner}", f"( {inner}; exit 1 )",
            f"f() {{ {inner}; }}", f"eval '{inner}' > /dev/null",
        )  # fmt: skip

    def variable(self, depth: int) -> str:
        name = self.pick("a.txt", "b.txt", "sub/i.txt", "'sp g.txt'", "'a.txt b.txt'", "nope")
        use = self.pick('cat "$x"', "cat $x", "head -n 2 ${x}", 'cat "${x}"', "echo $x; cat b.txt")
        return self.pick(
            f"x={name}; {use}", f"x={name} && {use}", f"export x={name}\n{use}",
            f"x={name}; (x=c.md); {use}", f"n={self.number()}; head -n $n c.md",
            'x=(a.txt b.txt); cat "${x[@]}"', f"x=$(echo {name}); {use}",
        )  # fmt: skip

    def state(self, depth: int) -> str:
        """What changes the shell that the rest of the line runs in."""
        return self.pick(
            'set -- a.txt b.txt c.md; shift; cat "$1"', 'set -- a.txt; shift 2; cat "$1"',
            "bash -c 'shift; cat \"$1\"' _ a.txt b.txt", "x=a.txt; let x=1; cat $x",
            "x=a.txt; ((x = 1)); cat $x", "x=a.txt; printf -v x %s b.txt; cat $x",
            "builtin cd sub; cat i.txt", "break; cat a.txt", "x=a.txt; . ./nope.sh; cat $x",
            "until read -r l; do echo got; done < a.txt",
            'while read -r; do echo "$REPLY"; done < b.txt', "x=b.txt; read -r x < a.txt; cat $x",
            "for f in a b; do for g in a b; do break 2; done; cat a.txt; done",
            "cat -- --help a.txt", "x=$(cat a.txt); echo ${y:-$x}",
            "base64 -w0 a.txt | head -1", "paste -sd, a.txt | head -1", "echo $(cat a.txt) | head -1",
            "tr '\\n' ' ' < a.txt | head -1", "column -t a.txt | head -n 3", "env - cat a.txt",
            'i=1; while [ $i -le 3 ]; do sed -n "${i}p" a.txt; ((i++)); done',
            "n=3; : $((n-=1)); head -n $n a.txt", "head -n -0 b.txt", "grep x nope || cat b.txt",
        )  # fmt: skip

    def document(self, depth: int) -> str:
        return self.pick(
            "cat <<EOF\nhello\nEOF", "cat <<'EOF'\n$(cat a.txt)\nEOF",
            "cat <<EOF\n$(head -n 3 a.txt)\nEOF", "cat > ../new <<'EOF'\ncat a.txt\nEOF",
            f"cat - b.txt <<EOF\nx\nEOF\n{self.pipeline(0)}", f"cat <<EOF | {self.stage()}\nx\nEOF",
        )  # fmt: skip

    def program(self, depth: int) -> str:
        """A small program that opens its files itself."""
        if self.random.random() < 0.25:
            code = self.programs.node()
            call = self.pick(f'node -e "{code}"', f"node <<'EOF'\n{code}\nEOF")
        else:
            code = self.programs.python()
            call = self.pick(f'python3 -c "{code}"', f"python3 - <<'EOF'\n{code}\nEOF")
        if "<<" in call:
            return call
        if self.random.random() < 0.3:
            # `print` ends a text with an empty line: no stage here counts lines from the end.
            n = self.number()
            call += self.pick(f" | head -n {n}", f" | sed -n {n}p", f" | tail -n +{n}", " | sort")
        return call + self.pick("", "", "; cat b.txt", " && cat b.txt", " > /dev/null")

    # Pipelines.

    def pipeline(self, depth: int) -> str:
        wrapper = self.pick(*[""] * 12, "env A=1 ", "command ", "nice ", "timeout 9 ", "LC_ALL=C ")
        stages = [wrapper + self.source()]
        while self.random.random() < 0.4:
            stages.append(self.stage())
        return " | ".join(stages)

    def source(self) -> str:
        if self.random.random() < 0.08:
            return self.pick(
                "echo a.txt b.txt | xargs cat", "printf '%s\\n' a.txt b.txt | xargs -n1 head -n 2",
                "echo a.txt | xargs -I{} tail -n 3 {}", "xargs cat <<< 'a.txt sub/i.txt'",
                "ls", "ls -la sub", "wc -l a.txt", "echo cat a.txt", "date", "find sub",
                "cmp a.txt b.txt", "printf 'cat a.txt\\n'", "seq 5", ":",
            )  # fmt: skip
        command = self.stage()
        if self.random.random() < 0.1:
            command = f"awk '{self.programs.awk()}'"
        files = " ".join(self.file() for _ in range(self.random.choice((1, 1, 1, 1, 2, 3))))
        writes_operands = command.split()[0] in {"tr", "tee", "uniq", "xxd"}
        if writes_operands or self.random.random() < 0.1:
            # `<` of a directory succeeds and then fails, which the recogniser does not follow
            file = self.file()
            return f"{command} < {file if file != 'sub' else 'b.txt'}"
        return f"{command} {files}"

    def file(self) -> str:
        return self.pick(
            "a.txt", "a.txt", "b.txt", "c.md", "c.md", "e.raw", "'sp g.txt'", "sp\\ g.txt",
            '"sp g.txt"', "./-h.txt", "sub/i.txt", "sub/../a.txt", "empty.txt", "nope.txt", "sub",
            "sub/*.md", "[ab].txt", "?.md", "{a,b}.txt", "sub/{i,nope}.txt", '"$PWD/b.txt"', "'a'.txt",
        )  # fmt: skip

    def stage(self) -> str:
        low, high = sorted((self.number(), self.number()))
        return self.pick(
            "cat", "cat", "cat -n", "cat -A", "tac", "nl", "nl -ba", "rev", "expand",
            f"head -n {low}", f"head -{low}", f"head -n -{low}", f"head --lines={low}", "head",
            f"tail -n {low}", f"tail -{low}", f"tail -n +{low}", f"tail --lines=+{low}", "tail -n 0",
            f"sed -n {low},{high}p", f"sed -n '{low}p;{high}p'", f"sed {low}q", f"sed '{low},{high}d'",
            f"sed -n '{low},$p'", "sed -n '$p'", "sed '$d'", f"sed -n '{low},+2p'", "sed 's/pay/PAY/'",
            f"sed -n '{low}!p'", f"sed '{low}!d'", f"sed -e {low}d -e 's/pay/PAY/'", "sed -n '/1/p'",
            "sed '/2/d'", f"sed -n '{low},{high}{{p}}'", f"sed -n '{low}{{p;q}}'", "sed -n '$='",
            f"awk 'NR>={low} && NR<={high}'", f"awk 'NR=={low}'", f"awk 'NR<{low} {{print}}'", "awk 1",
            f"awk 'NR=={low},NR=={high}'", "awk '{print $1}'", "awk '/1/'", "awk 'END{print NR}'",
            f"awk 'NR>{low}{{exit}} {{print}}'", "awk '{print NR\": \"$0}'", "awk 'FNR<=2'",
            f"awk '{{print}} NR=={low}{{exit}}'", f"awk 'NR%{low}'", "awk '{n+=$3} END {print n}'",
            "grep pay", "grep -n ''", "grep 1", "grep -v 1", "grep -c pay", "grep -q pay", "grep -o pay",
            "grep -l pay", f"grep -m {low} pay", f"grep -m {low} ''", "grep -A 1 -n 5", "grep nothing",
            "sort", "sort -r", "sort -u", "uniq", "uniq -c", "cut -d' ' -f1", "cut -c1-30", "wc -l",
            "tr a-z A-Z", "tr -d q", "tr '\\n' ' '", "tee ../copy", "paste - -",
            "paste -sd,", "column -t", "md5sum", "strings", "less", "cat - /dev/null", "cat - b.txt",
            f"head -c {low * 10}", f"tail -c {low * 10}", "xxd", "base64", "true", "shuf",
        )  # fmt: skip
