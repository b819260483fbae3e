"""`ctx stats` and `ctx get` as an agent runs them: what is printed, and every way to be wrong."""

import json
import os
import socket
import subprocess
import sys
import threading

import pytest

from priced_context.menus import MENU_CEILING
from priced_context.outlines import menu, outline_of
from priced_context.outlines.held import count
from scene import code
from scratch import CTX

SHOP = '''\
"""A shop."""

LIMIT = 3


class Cart:
    def __init__(self):
        self.items = []

    @property
    def total(self):
        return sum(self.items)

    @total.setter
    def total(self, value):
        self.items = [value]


def checkout(cart):
    if cart.total > LIMIT:
        raise ValueError(cart)
    return cart
'''


@pytest.fixture
def shop(ctx):
    ctx.write("src/shop.py", SHOP)
    return ctx


def test_a_bad_name_costs_only_itself(ctx):
    """The other menus are what the agent came for."""
    ctx.write("a.py", SHOP)
    ctx.write("b.py", SHOP)

    done = ctx.run("stats", "a.py", "nope", "b.py")

    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "nope" in done.stderr
    assert done.stdout == ctx.out("stats", "a.py") + ctx.out("stats", "b.py")


def test_a_menu_names_the_file_once_and_every_symbol_with_lines_and_price(shop, golden):
    """The whole form: head, a line a symbol, and how to buy one."""
    golden("menus/python.txt", shop.out("stats", "repo:src/shop.py"))


def test_a_menu_of_data_a_log_and_prose(ctx, golden):
    ctx.write(
        "a.json", json.dumps({"name": "x", "deps": {"a": 1}, "rows": [{"id": 1}] * 9}, indent=1)
    )
    ctx.write("a.csv", "id,who\n" + "".join(f"{n},Ann\n" for n in range(200)))
    ctx.write("a.md", "# One\n\ntext\n\n## Two\n\nmore\n")
    ctx.write(
        "app.log", "".join(f"2024-05-01 10:00:0{n} INFO request {n} done\n" for n in range(9))
    )

    printed = [ctx.out("stats", f"repo:{name}") for name in ("a.json", "a.csv", "a.md", "app.log")]

    golden("menus/data.txt", "\n".join(printed))


def test_a_large_file_is_folded_level_by_level(ctx, golden):
    """What does not fit says how many it is, where, at what price, and how to open it."""
    methods = "".join(
        f"    def method_{n}(self):\n" + "        self.work(1, 2, 3)\n" * (n % 9 + 1)
        for n in range(60)
    )
    functions = "".join(f"def function_{n}():\n    return {n}\n\n\n" for n in range(40))
    ctx.write("big.py", f"class Big:\n{methods}\n\n{functions}")

    golden("menus/folded.txt", ctx.out("stats", "repo:big.py"))
    assert "method_8 " in ctx.out("stats", "repo:big.py#Big")
    assert "function_20 " in ctx.out("stats", "repo:big.py:414-460")


def test_a_file_of_thirty_symbols_shows_them_all(ctx):
    """An ordinary file's top level is never folded, whatever it costs."""
    ctx.write(
        "a.py", "".join(f"def function_number_{n}():\n    return {n}\n\n\n" for n in range(30))
    )

    printed = ctx.out("stats", "repo:a.py")

    assert all(f"function_number_{n} " in printed for n in range(30))


@pytest.mark.parametrize("budget", [60, 100, 200, 600, 1_500, 9_999])
def test_the_budget_holds(shop, budget):
    shop.write("mid.py", code(900))

    printed = shop.out("stats", "--budget", str(budget), "repo:mid.py")

    assert 0 < count(printed) <= min(budget, MENU_CEILING)


def test_the_same_file_has_the_same_menu(shop):
    """A menu that flickers would be read again."""
    assert shop.out("stats", "repo:src/shop.py") == shop.out("stats", "repo:src/shop.py")


def test_json_lists_every_symbol_with_a_handle_that_buys_it(shop):
    document = json.loads(shop.out("stats", "--json", "repo:src/shop.py"))

    assert document["path"] == "repo:src/shop.py"
    assert document["tokens"] > 0
    assert document["menu_tokens"] > 0
    assert [row["handle"].partition("#")[2] for row in document["symbols"]] == [
        "Cart", "Cart.__init__", "Cart.total", "Cart.total~2", "checkout",
    ]  # fmt: skip
    assert document["symbols"][2] == {
        "kind": "method",
        "name": "total",
        "first_line": 10,
        "last_line": 12,
        "tokens": document["symbols"][2]["tokens"],
        "handle": "repo:src/shop.py#Cart.total",
    }
    for row in document["symbols"]:
        lines = shop.out("get", row["handle"]).splitlines()
        assert lines[0].partition("\t")[0] == str(row["first_line"])
        assert len(lines) == row["last_line"] - row["first_line"] + 1


def test_get_prints_lines_as_a_read_does(shop):
    """Number, tab, line: what the model knows from Read."""
    assert shop.out("get", "repo:src/shop.py:19-20") == (
        "19\tdef checkout(cart):\n20\t    if cart.total > LIMIT:\n"
    )
    assert shop.out("get", "repo:src/shop.py#Cart.total~2").startswith("14\t    @total.setter\n")
    assert shop.out("get", "repo:src/shop.py:21-") == (
        "21\t        raise ValueError(cart)\n22\t    return cart\n"
    )
    assert shop.out("get", "src/shop.py#checkout") == shop.out("get", "repo:src/shop.py#checkout")


def test_several_handles_are_headed_by_their_ranges(shop):
    printed = shop.out("get", "repo:src/shop.py:3", "repo:src/shop.py:5-6")

    assert printed == (
        "repo:src/shop.py:3-3 ~10 tok\n3\tLIMIT = 3\n"
        "repo:src/shop.py:5-6 ~10 tok\n5\t\n6\tclass Cart:\n"
    )


def test_a_unique_last_name_is_enough(shop):
    assert shop.out("get", "repo:src/shop.py#__init__").startswith("7\t")


def test_a_span_over_the_budget_is_answered_with_its_price(shop):
    """A menu must not become the way to read a file whole without a price."""
    shop.write("mid.py", code(900))

    words = shop.trouble("get", "repo:mid.py")

    assert "not an error: repo:mid.py:1-" in words
    assert "tok (~5% of window)" in words or "tok (~10% of window)" in words
    assert "--pay" in words
    assert shop.out("get", "--pay", "repo:mid.py").count("\n") == code(900).count("\n")


def pinned(ctx, name: str, symbol: str) -> str:
    rows = json.loads(ctx.out("stats", "--json", "--pin", f"repo:{name}"))["symbols"]
    return next(row["handle"] for row in rows if f"#{symbol}@" in row["handle"])


@pytest.fixture
def keep(ctx):
    """Return a function that keeps a cut result as the hook does."""

    def keep(owner: str, use_id: str, whole: bytes) -> None:
        place = ctx.home / ".local/state/priced-context/sessions" / owner / "out" / use_id
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(whole)

    return keep


@pytest.mark.parametrize("owner", ["s1", "s1.helper", "another"])
def test_a_cut_result_is_printed_byte_for_byte(ctx, keep, owner):
    """Also a subagent's, and one of a session before; whatever it costs, for it was told."""
    whole = code(2_000).encode() + b"\xed\xa0\x80 no UTF-8, no line end"
    keep(owner, "toolu_1", whole)

    done = subprocess.run(
        [CTX, "get", "out:toolu_1"],
        cwd=ctx.project,
        env={"HOME": str(ctx.home), "PATH": os.environ["PATH"], "CLAUDE_CODE_SESSION_ID": "s1"},
        capture_output=True,
        check=True,
    )

    assert done.stdout == whole


def test_the_sessions_own_result_comes_first(ctx, keep):
    """A host may number its calls from one in every session."""
    for owner in ("s0", "s1", "s2"):
        keep(owner, "toolu_1", owner.encode())

    assert ctx.out("get", "out:toolu_1", CLAUDE_CODE_SESSION_ID="s1") == "s1"


@pytest.mark.parametrize("use_id", ["toolu_9", "", "*", "../out/toolu_1", "x" * 99])
def test_a_result_that_is_not_kept_gets_one_clear_sentence(ctx, keep, use_id):
    keep("s1", "toolu_1", b"secret")

    assert "is not kept" in ctx.trouble("get", f"out:{use_id}")


def test_a_pinned_handle_finds_its_symbol_again_and_says_so(shop):
    """An agent that acts on old lines edits the wrong ones."""
    handle = pinned(shop, "src/shop.py", "checkout")
    assert shop.run("get", handle).stderr == ""

    shop.write("src/shop.py", SHOP.replace("    return cart", "    return cart.total"))
    changed = shop.run("get", handle)
    shop.write("src/shop.py", "import os\n" + SHOP)
    moved = shop.run("get", handle)
    shop.write("src/shop.py", SHOP.replace("def checkout", "def pay"))
    gone = shop.trouble("get", handle)

    assert "#checkout has changed" in changed.stderr
    assert changed.stdout.startswith("19\tdef checkout")
    assert (moved.stdout.partition("\t")[0], moved.stderr) == ("20", "")
    assert "names no symbol" in gone


def test_pinned_lines_are_found_where_they_moved_to(shop):
    handle = pinned(shop, "src/shop.py", "checkout")
    lines = "repo:src/shop.py:19-22@" + handle.partition("@")[2]
    assert shop.run("get", lines).stderr == ""

    shop.write("src/shop.py", "import os\nimport re\n" + SHOP)
    moved = shop.run("get", lines)
    shop.write("src/shop.py", SHOP.replace("checkout", "pay"))
    changed = shop.run("get", lines)

    assert "lines 19-22 are now 21-24" in moved.stderr
    assert moved.stdout.startswith("21\tdef checkout")
    assert "no longer those of the handle" in changed.stderr
    assert changed.stdout.startswith("19\tdef pay")


def test_a_renamed_symbol_is_found_by_its_hash(shop):
    """Only the class around it was renamed: its own lines are the same."""
    handle = pinned(shop, "src/shop.py", "Cart.__init__")

    shop.write("src/shop.py", SHOP.replace("class Cart", "class Basket"))
    found = shop.run("get", handle)

    assert "#Cart.__init__ is now #Basket.__init__" in found.stderr
    assert found.stdout.startswith("7\t    def __init__")


def test_repo_counts_from_the_clients_directory(shop):
    """An agent's shell may stand deeper; the handle from its menu must still work."""
    deeper = shop.run(
        "get", "repo:src/shop.py:3", cwd=shop.project / "src", CLAUDE_PROJECT_DIR=str(shop.project)
    )

    assert deeper.stdout == "3\tLIMIT = 3\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("stats", "repo:none.py"), "no such file"),
        (("stats", "repo:src"), "is a directory"),
        (("get", "repo:src"), "is a directory"),
        (("get", "repo:src/shop.py#Nope"), "names no symbol"),
        (("get", "repo:src/shop.py#tot"), "there are #Cart.total"),
        (("get", "repo:src/shop.py:99"), "has 22 lines; there is no line 99"),
        (("get", "repo:src/shop.py:0-3"), "no range of lines"),
        (("get", "repo:src/shop.py:9-3"), "no range of lines"),
        (("get", "repo:bin.py:1"), "is binary"),
        (("stats", "repo:bin.py"), "is binary"),
        (("stats", "repo:noise.py"), "is binary"),
        (("stats", "repo:pipe.py"), "no regular file"),
        (("get", "repo:pipe.py"), "no regular file"),
        (("stats", "repo:socket.py"), "cannot be read"),
        (("stats", "repo:loop.py"), "cannot be read"),
        (("stats", "--budget", "3", "repo:src/shop.py"), "does not fit into 3 tokens"),
        (("map", "--budget", "3"), "fits into 3 tokens"),
    ],
)
def test_bad_input_gets_one_clear_sentence(shop, words, sentence):
    """Exit code 1, a sentence on stderr, nothing on stdout, never a traceback."""
    shop.write("bin.py", b"def f():\n\0\1\2")
    shop.write("noise.py", bytes(range(1, 9)) * 99)
    os.mkfifo(shop.project / "pipe.py")
    (shop.project / "loop.py").symlink_to("loop.py")
    server = socket.socket(socket.AF_UNIX)
    os.chdir(shop.project)
    server.bind("socket.py")
    server.close()

    assert sentence in shop.trouble(*words)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("deep.json", "[" * 10_000 + "]" * 10_000),
        ("deep.json", '{"a":' * 10_000),
        ("deep.js", "function a(){" * 10_000 + "}" * 10_000),
        ("deep.py", "(" * 10_000),
        ("deep.yaml", "".join(f"{' ' * n}k{n}:\n" for n in range(300))),
        ("latin.py", b"def f\xe9():\n    '\xff\xfe'\n"),
        ("crlf.py", b"class A:\r\n    def m(self):\r\n        pass\r\n"),
        ("empty.py", ""),
        ("empty.csv", ""),
        ("empty.ipynb", "{}"),
        ("one-line.js", "var a=1;" * 200_000),
        ("one.json", '"' + "x" * 300_000),
        ("no-newline.py", "def f(): pass"),
        ("huge.py", "def f():\n    pass\n" * 300_000),
        ("name with blanks # and : 1-2.py", "def f(): pass\n"),
    ],
)
def test_a_strange_file_has_a_menu_all_the_same(ctx, name, text):
    ctx.write(name, text)

    printed = ctx.out("stats", f"repo:{name}")

    assert printed.startswith(f"repo:{name} ")
    assert count(printed) <= MENU_CEILING
    assert ctx.out("get", f"repo:{name}:1-1", "--pay").count("\n") <= 1


CURSED = "a\x1b[2J\nforged: 1\u202e.py"


def test_a_name_moves_no_cursor_and_breaks_no_line(ctx):
    """Whoever names a file does not write our sentences."""
    ctx.write(CURSED, SHOP)
    (ctx.project / f"folder{CURSED}").mkdir()
    shown = "a\\u001b[2J\\u000aforged: 1\\u202e.py"

    headers = ctx.out("get", f"repo:{CURSED}:1", f"repo:{CURSED}:3")
    stats = ctx.out("stats", f"repo:{CURSED}")
    moved = ctx.run("get", f"repo:{CURSED}:3@0123456789abcdef")
    mapped = ctx.out("map")
    said = [
        ctx.trouble("get", f"repo:{CURSED}:99"),
        ctx.trouble("get", f"repo:{CURSED}#{CURSED}"),
        ctx.trouble("get", f"repo:folder{CURSED}"),
        ctx.trouble("stats", f"repo:folder{CURSED}"),
        ctx.trouble("stats", "--budget", "3", f"repo:{CURSED}"),
        ctx.trouble("get", f"out:{CURSED}"),
        ctx.trouble("get", f"{CURSED}.none"),
        ctx.trouble("replay", CURSED + ".none"),
        ctx.trouble("budget", CURSED + ".none"),
        moved.stderr,
    ]

    assert f"repo:{shown}:1-1 ~" in headers
    assert len(headers.splitlines()) == 4
    for words in [*said, headers, stats, mapped]:
        assert not {"\x1b", "\u202e"} & set(words), words
        assert "\nforged" not in words
    assert all(words.count("\n") == 1 for words in said)


def test_a_working_directory_moves_no_cursor(ctx):
    """It stands in what is refused and what is not found."""
    folder = ctx.project / CURSED
    folder.mkdir()

    for path in ("none.py", "../other.py"):
        said = ctx.run("get", path, cwd=folder).stderr
        assert said.startswith("ctx: ")
        assert said.rstrip("\n").isprintable()


def test_line_ends_of_windows_are_no_part_of_a_line(ctx):
    ctx.write("crlf.py", b"class A:\r\n    def m(self):\r\n        pass\r\n")

    assert ctx.out("get", "repo:crlf.py#A.m") == "2\t    def m(self):\n3\t        pass\n"


def test_a_file_that_changes_meanwhile_gives_one_of_its_states_or_says_so(ctx):
    """Lines of one state under the numbers of another would be edited in the wrong place."""
    states = ["# more\n" * n + f"def f():\n    return {n}\n" for n in (0, 40)]
    wanted = {f"{n + 1}\tdef f():\n{n + 2}\t    return {n}\n" for n in (0, 40)}
    ctx.write("a.py", states[0])
    is_over = threading.Event()

    def keep_changing():
        while not is_over.is_set():
            for state in states:
                ctx.write("b.py", state).replace(ctx.project / "a.py")

    writer = threading.Thread(target=keep_changing)
    writer.start()
    try:
        answers = [ctx.run("get", "repo:a.py#f") for _ in range(12)]
    finally:
        is_over.set()
        writer.join()

    for done in answers:
        assert done.stdout in wanted or "changed while it was read" in done.stderr, done


def test_usage_errors_exit_with_2(ctx):
    assert ctx.run("stats").returncode == 2
    assert ctx.run("get", "--nope", "x").returncode == 2
    assert ctx.run("--outside", "price", "x").returncode == 2
    slip, other = ctx.run("pirce", "x"), ctx.run("frobnicate")
    assert (slip.returncode, slip.stderr) == (
        2,
        "ctx: no verb 'pirce'; did you mean `ctx price`?\n",
    )
    assert other.stderr == "ctx: no verb 'frobnicate'; `ctx --help` lists them\n"


def test_help_is_a_word_too(ctx):
    assert ctx.out("help") == ctx.out("--help")


def test_menus_are_made_without_a_tokenizer(tmp_path):
    """tiktoken takes half a second to load; a menu has 150 ms."""
    path = tmp_path / "a.py"
    path.write_text(SHOP)
    program = (
        "import sys; from priced_context.outlines import menu, outline_of;"
        f"menu(outline_of({str(path)!r}));"
        "print({'tiktoken', 'rich', 'platformdirs', 'rustworkx', 'pathspec'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout == "set()\n"


def test_a_menu_of_a_file_the_guard_would_refuse_is_a_fraction_of_it(project):
    outline = outline_of(str(project / "mid.py"), "repo:mid.py")

    assert count(menu(outline)) * 12 < outline.tokens
