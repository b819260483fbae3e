"""The recogniser against its golden table, and the shape that keeps it small and bounded."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bash_truth import FIXTURE, counted, make_tree
from priced_context.records import KINDS, Intake, Read
from priced_context.shell import intake_of_command
from priced_context.shell.evaluator import BUILTINS, builtins_of
from priced_context.shell.scope import MAX_FILES
from priced_context.shell.syntax import MAX_DEPTH, Unparsed, parse
from priced_context.words import FAMILIES, GIT_VERBS, words_in

ROOT = Path(__file__).parent.parent
GOLDEN = Path(__file__).parent / "golden" / "shell.txt"
SHARED = ROOT.parent / "shared" / "cases" / "shell.jsonl"

COMMANDS = frozenset[str]().union(*FAMILIES.values())


def golden_cases() -> list[list[str]]:
    """Return command, kind and reads of every case in the golden file."""
    lines = GOLDEN.read_text().splitlines()
    cases = [line.split("\t") for line in lines if line and not line.startswith("## ")]
    return [[*case, ""] if len(case) == 2 else case for case in cases]


def command_of(spelled: str) -> str:
    return spelled.replace("⏎", "\n").replace("⇥", "\t")


def spell(read: Read, root: Path) -> str:
    """Return *read* as the golden file spells it."""
    first, count = counted(read)
    lines = ""
    if read.byte_count is not None:
        lines = f"@{read.byte_count}"
    elif count is not None:
        lines = f":{first}-{first + count - 1}"
    elif first > 1:
        lines = f":{first}-"
    prefix = f" ({read.line_prefix})" if read.line_prefix else ""
    growth = f" (x{read.byte_growth:.2f})" if read.byte_growth != 1 else ""
    return read.path.removeprefix(f"{root}/") + lines + prefix + growth


@pytest.fixture(scope="session")
def tree(tmp_path_factory):
    return make_tree(tmp_path_factory.mktemp("shell") / "tree", FIXTURE)


@pytest.fixture
def intake(tree):
    def intake(command: str) -> Intake:
        return intake_of_command(command, str(tree), "/home/user")

    return intake


@pytest.mark.parametrize(("spelled", "kind", "reads"), golden_cases(), ids=lambda text: text or "-")
def test_a_command_is_what_the_golden_table_says(tree, intake, spelled, kind, reads):
    got = intake(command_of(spelled))

    assert (got.kind, ", ".join(spell(read, tree) for read in got.reads)) == (kind, reads)


@pytest.mark.skipif(not SHARED.exists(), reason="../shared stands beside a working copy only")
def test_every_shared_case_is_met(tree, intake):
    """The cases that the table was agreed with."""
    for line in SHARED.read_text().splitlines():
        case = json.loads(line)

        got = intake(case["command"])

        reads = [
            {"path": read.path.removeprefix(f"{tree}/"), "first": first, "count": count}
            for read in got.reads
            for first, count in [counted(read)]
        ]
        assert (case["command"], got.kind, reads) == (case["command"], case["kind"], case["reads"])


@pytest.mark.parametrize("name", sorted(COMMANDS | GIT_VERBS))
def test_every_command_of_the_tables_has_a_golden_case(name):
    """Adding a command touches its table, the word list and the golden file."""
    words = set().union(*(words_in(command_of(case[0])) for case in golden_cases()))

    assert name in words


@pytest.mark.parametrize("name", ["", "cat $FILE", "git log", "cat 'open", "head -5 nope"])
def test_what_has_no_file_has_no_reads(intake, name):
    assert intake(name).reads == []


def test_a_range_from_the_end_stays_one_until_someone_counts(intake):
    """The hook prices the last fifty lines without reading nine thousand."""
    (read,) = intake("tail -n 50 app.log").reads

    assert (read.first_line, read.line_count) == (-50, None)


def test_all_but_the_last_lines_is_a_negative_count(intake):
    (read,) = intake("head -n -10 app.log").reads

    assert (read.first_line, read.line_count) == (1, -10)


def test_a_read_knows_the_size_of_its_file(tree, intake):
    (read,) = intake("cat small.py").reads

    assert read.size_bytes == (tree / "small.py").stat().st_size


def test_a_file_found_through_a_link_keeps_its_name(tree, intake):
    """No realpath: the name is the one the client knows the file by."""
    (tree / "link.py").symlink_to("small.py")

    (read,) = intake("cat link.py").reads

    (tree / "link.py").unlink()
    assert read.path == str(tree / "link.py")


def test_without_a_directory_only_absolute_paths_are_found(tree):
    assert intake_of_command("cat small.py", "", "").kind == "unknown"
    assert intake_of_command(f"cat {tree}/small.py", "", "").kind == "dump"


def test_what_the_line_itself_writes_is_unknown_later(intake):
    """Its size now says nothing of its size then."""
    assert intake("make > app.log; cat app.log").kind == "unknown"


# Bounds


@pytest.mark.parametrize(
    ("opener", "closer"),
    [("( ", " )"), ("$(", ")"), ("{ ", " ;}"), ('"$(', ')"'), ("if true; then ", "; fi")],
)
def test_nesting_is_followed_to_a_depth_and_no_further(opener, closer):
    """Recursion has a bound, so no text can use up the interpreter's stack."""
    inside = opener * MAX_DEPTH + "cat a" + closer * MAX_DEPTH
    beyond = opener + inside + closer

    parse(inside)

    with pytest.raises(Unparsed):
        parse(beyond)


@pytest.mark.parametrize(
    "command",
    [
        "cat {1..65}",
        "cat {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
        "cat {1..1000000000}",
        "cat " + "{a,b}" * 5_000,
        "cat " + " ".join(map(str, range(MAX_FILES + 1))),
        "for f in {1..65}; do cat $f; done",
    ],
)
def test_more_words_than_the_bound_are_unknown(intake, command):
    assert intake(command).kind == "unknown"


def test_a_glob_over_more_files_than_the_bound_is_unknown(tmp_path):
    for number in range(MAX_FILES + 1):
        (tmp_path / f"{number}.txt").write_text("x\n")

    assert intake_of_command("cat *.txt", str(tmp_path), "").kind == "unknown"
    assert intake_of_command("cat 1*.txt", str(tmp_path), "").kind == "dump"


def test_loops_in_loops_end(intake):
    """Ten to the tenth commands are not run through one by one."""
    command = "for i in 0 1 2 3 4 5 6 7 8 9; do " * 10 + "cat small.py" + "; done" * 10

    assert intake(command).kind == "unknown"


@pytest.mark.parametrize(
    "command",
    [
        "x=a; " + "x=$x$x; " * 60 + "cat $x",
        "x=a;" + "x=$x$x;" * 17 + "cat $x",
        'x="$(cat small.py)"; ' + 'x="$x$x"; ' * 60 + 'echo "$x"',
        "x=(a b); " + 'x=("${x[@]}" "${x[@]}"); ' * 60 + 'cat "${x[@]}"',
        "x=$(cat small.py small.py); " + "x=$(echo $x $x); " * 60 + "echo $x",
        "x=" + "a" * 5_000 + "; for i in {1..64}; do for j in {1..64}; do cat $x; done; done",
        "for i in {1..64}; do for j in {1..64}; do cat " + "a/" * 20_000 + "; done; done",
        "for i in {1..64}; do sed -n '" + "1p;" * 10_000 + "' small.py; done",
    ],
)
def test_what_doubles_or_repeats_ends(intake, command):
    """Thirty doublings of a word would fill any memory."""
    assert intake(command).kind == "unknown"


HOSTILE = {
    "parentheses": "(",
    "closing": ")",
    "substitutions": "$(",
    "arithmetic": "$((",
    "parameters": "${",
    "backquotes": "`",
    "double quotes": '"',
    "single quotes": "'",
    "backslashes": "\\",
    "braces": "{a,",
    "groups": "{a,b}",
    "stars": "*",
    "brackets": "[a",
    "here-documents": "<<a ",
    "process substitutions": "<(",
    "redirections": ">a ",
    "variables": "$a",
    "assignments": "a=1 ",
    "commands": "cat a;",
    "pipes": "cat a|",
    "conditions": "a&&",
    "branches": "if a;then ",
    "cases": "case a in ",
    "functions": "f(){ ",
    "words": "a ",
    "globs": "*a ",
    "lines": "\n",
    "escapes": "\\a",
    "words beyond ASCII": "é",
}


def calls_of(command: str, cwd: str) -> int:
    """Return how many functions are called to take *command* in."""
    calls = 0

    def count(_frame: object, _event: str, _argument: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        intake_of_command(command, cwd, "")
    finally:
        sys.setprofile(None)
    return calls


PREFIXES = (
    "", "cat ", 'echo "', "sed -n '", "awk '", "x=", "python3 -c 'open(x);", "python3 -c 'x = f\"",
    "node -e 'readFileSync(x);", "node -e 'x = JSON.stringify(`",
)  # fmt: skip


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_the_work_grows_no_faster_than_the_text(tree, prefix, piece):
    """Counted in calls, which do not depend on the machine."""
    small = calls_of(prefix + piece * 500, str(tree))
    large = calls_of(prefix + piece * 2_000, str(tree))

    assert large <= 4.5 * small + 200


NESTING = {
    "python3 -c 'open(x); x = {}1'": (
        "not ", "-", "lambda: ", "a if b else ", "a and ", "a, ", "x = ", "(x := ", "yield ",
        "[x for x in ",
    ),
    "python3 -c 'open(x); x{}'": (".x", "()", "[1]", "=x", "[x", "(x)[x]", "(lambda: x)"),
    "node -e 'readFileSync(x); {}1'": (
        "if (a) ", "else ", "x => ", "x = ", "a ? ", "x ? b : ", "async ", "new ", "! ",
        "function ", "function () {", "for (x of y) ", "x && ", "try {",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "program", [form.format(piece * 450) for form in NESTING for piece in NESTING[form]]
)
def test_a_program_in_itself_is_taken_in(intake, program):
    """Nesting has a bound here too: no text may use up the interpreter's stack."""
    assert intake(program).kind in KINDS


@pytest.mark.parametrize("depth", [5, 30, 90])
def test_blocks_in_blocks_are_taken_in(intake, depth):
    blocks = "".join(f"{' ' * level}for x in 1, 2:\n" for level in range(depth))
    program = f"python3 - <<'EOF'\nopen(x)\n{blocks}{' ' * depth}pass\nEOF"

    assert intake(program).kind in {"none", "unknown"}


def test_importing_all_of_it_loads_nothing_but_the_package():
    """A hook process pays for every module; `posix` and `sys` are in the interpreter."""
    modules = sorted(path.stem for path in (ROOT / "core/priced_context/shell").glob("[!_]*.py"))
    code = (
        "import sys; before = set(sys.modules); sys.path.insert(0, sys.argv[1])\n"
        f"from priced_context.shell import {', '.join(modules)}\n"
        "print(*sorted(set(sys.modules) - before))"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(ROOT / "core")],
        capture_output=True,
        text=True,
        check=True,
    )

    loaded = done.stdout.split()
    assert {f"priced_context.shell.{name}" for name in modules} < set(loaded)
    assert [name for name in loaded if not name.startswith("priced_context")] == []


def test_a_name_stands_in_one_table():
    """The evaluator asks the readers first, and loads the other table only where they have none."""
    assert frozenset().union(*BUILTINS.values()).isdisjoint(COMMANDS)


@pytest.mark.parametrize("family", BUILTINS)
def test_a_family_of_builtins_names_those_of_its_table(family):
    """One that is in the table only would never be found."""
    assert builtins_of(family).keys() == BUILTINS[family]
