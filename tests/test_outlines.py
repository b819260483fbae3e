"""What is found in a file: exactly what is there, in every language and kind of data."""

import ast
import sysconfig
import warnings
from pathlib import Path

import pytest

from priced_context.menus import HAS_MENU, has_menu
from priced_context.outlines import data, outline_of, prose, tables
from priced_context.outlines.code import grammar_of
from priced_context.outlines.languages import CODE, language_of
from priced_context.outlines.patterns import PATTERNS

STDLIB = Path(sysconfig.get_path("stdlib"))


def symbols(tmp_path: Path, name: str, text: str | bytes) -> list[tuple[str, str, int, int]]:
    """Return (kind, handle, first line, last line) of everything in a file of that text."""
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [
        (found.kind, found.fragment, found.first_line, found.last_line)
        for found in outline_of(str(path)).symbols
    ]


def python_sees(source: bytes) -> list[tuple[str, str, int, int]]:
    """Return the functions, classes and methods of a module, decorators included, as `ast` does."""
    found = []

    def walk(node: ast.AST, *, in_class: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                walk(child, in_class=in_class)
                continue
            is_class = isinstance(child, ast.ClassDef)
            kind = "class" if is_class else "method" if in_class else "function"
            first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
            found.append((kind, child.name, first, child.end_lineno))
            walk(child, in_class=is_class)

    walk(ast.parse(source), in_class=False)
    return found


def test_the_whole_standard_library_is_outlined_as_python_sees_it():
    """A menu that leaves a function out sends its reader back to the whole file.

    Two differences: comments at the end of a body belong to it (`ast` sees no comments), and a
    file that the grammar cannot parse is outlined as far as it goes, and marked.
    """
    checked = []
    for path in sorted(STDLIB.rglob("*.py")):
        if "site-packages" in path.parts or "idlelib" in path.parts:
            continue
        source = path.read_bytes()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # old escapes in old tests
                wanted = python_sees(source)
        except (SyntaxError, ValueError):  # files that are wrong on purpose
            continue
        outline = outline_of(str(path))
        if outline.basis != "grammar":
            continue
        lines = source.split(b"\n")
        listed = [s for s in outline.symbols if s.kind in ("class", "function", "method")]
        got = [(s.kind, s.name.partition("~")[0], s.first_line) for s in listed]
        assert sorted(got) == sorted((k, n, first) for k, n, first, _ in wanted), path
        ends = {(kind, name, first): last for kind, name, first, last in wanted}
        for symbol in listed:
            end = ends[symbol.kind, symbol.name.partition("~")[0], symbol.first_line]
            rest = [line.strip() for line in lines[end : symbol.last_line]]
            assert symbol.last_line >= end, (path, symbol)
            assert all(not line or line.startswith(b"#") for line in rest), (path, symbol)
        checked.append(path)

    assert len(checked) > 500


@pytest.mark.parametrize("name", ["argparse.py", "typing.py", "ast.py", "asyncio/base_events.py"])
def test_every_range_is_source_that_parses(name):
    """What `ctx get` prints must be whole: an edit is made from it."""
    source = (STDLIB / name).read_text()
    lines = source.split("\n")

    for symbol in outline_of(str(STDLIB / name)).symbols:
        span = lines[symbol.first_line - 1 : symbol.last_line]
        indented = "if True:\n" if span[0][:1].isspace() else ""
        ast.parse(indented + "\n".join(span))


LANGUAGES = [
    pytest.param(
        "a.py",
        "X = 1\n\n@deco\nclass A:\n    async def m(self):\n        def inner(): pass\n\ndef f(): ...\n",
        [
            ("class", "A", 3, 6),
            ("method", "A.m", 5, 6),
            ("function", "A.m.inner", 6, 6),
            ("function", "f", 8, 8),
        ],
        id="python",
    ),
    pytest.param(
        "a.py",
        "TIMEOUT = 3\nHOSTS = [\n 1,\n]\n",
        [("constant", "TIMEOUT", 1, 1), ("constant", "HOSTS", 2, 4)],
        id="python, nothing but constants",
    ),
    pytest.param(
        "a.js",
        "export class A {\n  constructor() {}\n  get x() { return 1 }\n  set x(v) {}\n  #p() {}\n}\n"
        "export const f = () => 1\nconst table = {\n  go() {},\n}\n",
        [
            ("class", "A", 1, 6),
            ("method", "A.constructor", 2, 2),
            ("method", "A.x", 3, 3),
            ("method", "A.x~2", 4, 4),
            ("method", "A.#p", 5, 5),
            ("function", "f", 7, 7),
            ("object", "table", 8, 10),
            ("method", "table.go", 9, 9),
        ],
        id="javascript",
    ),
    pytest.param(
        "a.ts",
        "export interface I { m(): void }\ntype T = string\nenum E { A }\n"
        "@dec()\nexport abstract class C<T> {\n  f(x: number): void\n  f(x: any) {}\n}\n"
        "namespace N {\n  export function g() {}\n}\n",
        [
            ("interface", "I", 1, 1),
            ("method", "I.m", 1, 1),
            ("type", "T", 2, 2),
            ("enum", "E", 3, 3),
            ("class", "C", 4, 8),
            ("method", "C.f", 6, 6),
            ("method", "C.f~2", 7, 7),
            ("module", "N", 9, 11),
            ("method", "N.g", 10, 10),
        ],
        id="typescript",
    ),
    pytest.param(
        "a.tsx",
        "export function App() {\n  return <div/>\n}\n",
        [("function", "App", 1, 3)],
        id="tsx",
    ),
    pytest.param(
        "a.go",
        "package a\n\ntype (\n\tA struct{}\n\tB interface{}\n)\n\nfunc (a *A) M() {}\n\nfunc F[T any]() {\n}\n",
        [
            ("type", "A", 4, 4),
            ("type", "B", 5, 5),
            ("method", "A.M", 8, 8),
            ("function", "F", 10, 11),
        ],
        id="go",
    ),
    pytest.param(
        "a.rs",
        "#[derive(Debug)]\npub struct S<T>(T);\n\nimpl<T> S<T> {\n    fn new() {}\n}\n\n"
        "impl Drop for S<u8> {\n    fn drop(&mut self) {}\n}\n\npub trait T1 {\n    fn t(&self);\n}\n"
        "macro_rules! m { () => {} }\n",
        [
            ("struct", "S", 1, 2),
            ("impl", "S~2", 4, 6),
            ("method", "S.new", 5, 5),
            ("impl", "S~3", 8, 10),
            ("method", "S.drop", 9, 9),
            ("trait", "T1", 12, 14),
            ("method", "T1.t", 13, 13),
            ("macro", "m", 15, 15),
        ],
        id="rust",
    ),
    pytest.param(
        "a.java",
        "package a;\npublic class A {\n  A() {}\n  @Override\n  public int m() { return 1; }\n  enum E { X }\n"
        "  record R(int x) {}\n}\ninterface I { void n(); }\n",
        [
            ("class", "A", 2, 8),
            ("constructor", "A.A", 3, 3),
            ("method", "A.m", 4, 5),
            ("enum", "A.E", 6, 6),
            ("record", "A.R", 7, 7),
            ("interface", "I", 9, 9),
            ("method", "I.n", 9, 9),
        ],
        id="java",
    ),
    pytest.param(
        "a.c",
        "struct s { int x; };\ntypedef struct tag {\n  int y;\n} name;\nstatic int *f(struct s *p);\n"
        "enum e v;\nstatic int *f(struct s *p)\n{\n  return 0;\n}\nint g(void);\n#define SQ(x) ((x)*(x))\n",
        [
            ("struct", "s", 1, 1),
            ("struct", "name", 2, 4),
            ("function", "f", 7, 10),
            ("function", "g", 11, 11),
            ("macro", "SQ", 12, 12),
        ],
        id="c",
    ),
    pytest.param(
        "a.cpp",
        "namespace n {\ntemplate <class T>\nclass A : B {\n public:\n  A();\n  ~A() {}\n  int m() const;\n};\n}\n"
        "int n::A::m() const { std::lock_guard<X> lock(y); return 1; }\nbool operator==(A a, A b) { return 1; }\n",
        [
            ("class", "A", 2, 8),
            ("method", "A.A", 5, 5),
            ("method", "A.~A", 6, 6),
            ("method", "A.m", 7, 7),
            ("function", "n.A.m", 10, 10),
            ("function", "operator==", 11, 11),
        ],
        id="c++",
    ),
    pytest.param(
        "a.cs",
        "namespace N\n{\n    public class A\n    {\n        public A() {}\n        public int P { get; set; }\n"
        "        public int M() => 1;\n        public int M(int x) => x;\n    }\n    public record R(int X);\n"
        "    public struct S { }\n    enum E { X }\n    interface I { void N(); }\n}\n",
        [
            ("class", "A", 3, 9),
            ("constructor", "A.A", 5, 5),
            ("method", "A.M", 7, 7),
            ("method", "A.M~2", 8, 8),
            ("record", "R", 10, 10),
            ("struct", "S", 11, 11),
            ("enum", "E", 12, 12),
            ("interface", "I", 13, 13),
            ("method", "I.N", 13, 13),
        ],
        id="c#",
    ),
    pytest.param(
        "a.rb",
        "module M\n  class A < B\n    def m; end\n    def self.c\n    end\n  end\nend\n",
        [
            ("module", "M", 1, 7),
            ("class", "M.A", 2, 6),
            ("method", "M.A.m", 3, 3),
            ("method", "M.A.c", 4, 5),
        ],
        id="ruby",
    ),
    pytest.param(
        "a.php",
        "<?php\nnamespace A\\B;\nfunction f() {}\nclass C {\n  private $x = 1;\n  public function m() {}\n}\n"
        "trait T {}\nenum E { case A; }\n",
        [
            ("function", "f", 3, 3),
            ("class", "C", 4, 7),
            ("method", "C.m", 6, 6),
            ("trait", "T", 8, 8),
            ("enum", "E", 9, 9),
        ],
        id="php",
    ),
    pytest.param(
        "run",
        "#!/usr/bin/env bash\nX=1\nbuild() {\n  make\n}\nfunction clean { rm x; }\n",
        [("function", "build", 3, 5), ("function", "clean", 6, 6)],
        id="bash, by its first line",
    ),
]


@pytest.mark.parametrize(("name", "text", "wanted"), LANGUAGES)
def test_a_language_is_outlined_with_exact_lines(tmp_path, name, text, wanted):
    """Lines buy text: one off, and the reader pays for the wrong ones."""
    assert symbols(tmp_path, name, text) == wanted


def test_every_default_language_has_its_grammar():
    """A wheel that changed its names or its ABI would silently fall back to patterns."""
    extra = {"kotlin", "swift", "scala", "lua", "elixir"}
    for suffix, (_, name) in CODE.items():
        if name not in extra:
            language = language_of(suffix)
            assert language is not None
            assert grammar_of(language) is not None, name


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        pytest.param("a.kt", "class A {\n  fun m() {\n  }\n}\nfun f() = 1\n", ["A", "A.m", "f"]),
        pytest.param("a.scala", "object A {\n  def m = 1\n}\n", ["A", "A.m"]),
        pytest.param("a.lua", "local function f()\nend\n", ["f"]),
        pytest.param("a.ex", "defmodule A do\n  def m, do: 1\nend\n", ["A", "A.m"]),
        pytest.param("a.swift", "class A {\n  func m() {\n  }\n}\n", ["A", "A.m"]),
        pytest.param("a.pl", "sub f {\n}\n", ["f"]),
        pytest.param("a.zig", "pub fn f() void {\n}\n", ["f"]),
        pytest.param("a.r", "f <- function(x) {\n}\n", ["f"]),
        pytest.param("a.clj", "(ns a.b)\n(defn f [x] x)\n", ["a.b", "f"]),
        pytest.param("a.erl", "f(X) when X > 1 ->\n  X.\n", ["f"]),
        pytest.param("a.hs", "data T = A\nf :: Int -> Int\nf x = x\n", ["T", "f"]),
        pytest.param("a.m", "@implementation A\n- (void)go {\n}\n", ["A", "go"]),
        pytest.param("a.sql", "CREATE TABLE IF NOT EXISTS t (\n);\n", ["t"]),
        pytest.param("a.css", ".a > b {\n  x: y;\n}\n", [".a > b"]),
        pytest.param("a.ini", "[one]\nx=1\n[two]\n", ["one", "two"]),
        pytest.param("a.proto", "message M {\n  enum E {\n  }\n}\n", ["M", "M.E"]),
        pytest.param("a.tf", 'resource "aws_x" "y" {\n}\n', ["aws_x y"]),
        pytest.param("Makefile", "all: x\n\tmake\nX := 1\n", ["all"]),
        pytest.param("Dockerfile", "FROM a AS b\nRUN x\n", ["a AS b"]),
        pytest.param("a.tex", "\\section{One}\n\\subsection{Two}\n", ["One", "Two"]),
        pytest.param("a.dart", "class A {\n}\n", ["A"]),
    ],
)
def test_without_a_grammar_the_line_patterns_find_as_much(tmp_path, name, text, wanted):
    """The extra languages differ in ranges and details, not in what is listed."""
    assert [fragment for _, fragment, _, _ in symbols(tmp_path, name, text)] == wanted


def test_the_guard_knows_every_suffix_that_has_a_menu():
    """It decides by the name alone, without a grammar in sight: the two lists must agree."""
    listed = {*CODE, *data.SUFFIXES, *tables.SUFFIXES, *prose.SUFFIXES, *PATTERNS}
    names = {"makefile", "gnumakefile", "cmakelists.txt", "dockerfile", "editorconfig"}

    assert {suffix for suffix in listed - names if not has_menu(f"a.{suffix}")} == set()
    by_code_patterns = {"pl", "pm", "jl", "dart", "zig", "gradle"}
    assert set(HAS_MENU.split()) - listed == by_code_patterns


def test_a_file_the_grammar_cannot_parse_says_so(tmp_path):
    """Ranges from patterns are a guess, and the reader must know."""
    path = tmp_path / "a.py"
    path.write_text("def f(:\n" * 3 + "<<<<<<< HEAD\n}}}}((((\n" * 50 + "def g():\n    pass\n")

    outline = outline_of(str(path))

    assert outline.basis != "grammar"
    assert "g" in [found.name for found in outline.symbols]


DATA = [
    pytest.param(
        "a.json",
        '{\n  "name": "x",\n  "deps": {\n    "a": 1,\n    "b": 2.5\n  },\n  "rows": [\n    {"id": 1},\n    {"id": 2}\n  ]\n}\n',
        [
            ("string", "name", 2, 2, ""),
            ("object", "deps", 3, 6, "2 keys"),
            ("int", "deps.a", 4, 4, ""),
            ("float", "deps.b", 5, 5, ""),
            ("array", "rows", 7, 10, "2 objects"),
            ("object", "rows.[0]", 8, 8, "1 key"),
            ("int", "rows.[0].id", 8, 8, ""),
        ],
        id="json",
    ),
    pytest.param(
        "a.yaml",
        "name: x\n# no: key\nsteps:\n  - run: |\n      a: b\n      c\n    if: true\nlast: 3\n",
        [
            ("string", "name", 1, 2, ""),
            ("list", "steps", 3, 7, ""),
            ("string", "steps.run", 4, 6, ""),
            ("bool", "steps.if", 7, 7, ""),
            ("int", "last", 8, 8, ""),
        ],
        id="yaml",
    ),
    pytest.param(
        "a.toml",
        'top = 1\n\n[tool.x]\nwords = """\n[not.a.table]\n"""\nlist = [1]\n\n[[point]]\nx = 1979-05-27\n',
        [
            ("int", "top", 1, 1, ""),
            ("table", "tool.x", 3, 7, ""),
            ("string", "tool.x.words", 4, 6, ""),
            ("array", "tool.x.list", 7, 7, ""),
            ("tables", "point", 9, 10, ""),
            ("date", "point.x", 10, 10, ""),
        ],
        id="toml",
    ),
    pytest.param(
        "a.md",
        "---\ntitle: x\n---\n# One\ntext\n```sh\n# no heading\n```\n## Two\n\nThree\n=====\n",
        [("h", "One", 4, 9, ""), ("h", "One.Two", 9, 9, ""), ("h", "Three", 11, 12, "")],
        id="markdown",
    ),
    pytest.param(
        "a.rst",
        "=====\nTitle\n=====\n\nPart\n----\ntext\n\nOther\n-----\n",
        [("h", "Title", 1, 10, ""), ("h", "Title.Part", 5, 7, ""), ("h", "Title.Other", 9, 10, "")],
        id="rst",
    ),
    pytest.param(
        "a.ipynb",
        '{\n "cells": [\n  {"cell_type": "markdown", "source": ["# Load"]},\n  {\n   "cell_type": "code",\n'
        '   "source": ["\\n", "x = 1"],\n   "outputs": [{}]\n  }\n ]\n}\n',
        [("markdown", "cell-1", 3, 3, "# Load"), ("code", "cell-2", 4, 8, "x = 1, 1 out")],
        id="notebook",
    ),
    pytest.param(
        "a.csv",
        "id,when,who,score\n1,2024-01-02,Ann,1.5\n2,2024-01-03,,2\n",
        [
            ("int", "id", 0, 0, "e.g. 1"),
            ("date", "when", 0, 0, "e.g. 2024-01-02"),
            ("text", "who", 0, 0, "e.g. Ann, 50% empty"),
            ("float", "score", 0, 0, "e.g. 1.5"),
        ],
        id="csv",
    ),
]


@pytest.mark.parametrize(("name", "text", "wanted"), DATA)
def test_data_is_outlined_by_what_it_holds(tmp_path, name, text, wanted):
    """Types and counts let a reader decide without a look inside."""
    path = tmp_path / name
    path.write_text(text)

    found = outline_of(str(path)).symbols

    assert [(s.kind, s.fragment, s.first_line, s.last_line, s.detail) for s in found] == wanted
    assert all(symbol.tokens > 0 for symbol in found)


def test_a_huge_json_file_is_outlined_from_its_head(tmp_path):
    """200 MB must cost no more than 64 KiB, and say what it could not see."""
    path = tmp_path / "a.json"
    path.write_text('{"meta": {"v": 1},\n"rows": [' + '{"id": 12345},' * 100_000 + "{}]}")

    outline = outline_of(str(path))

    rows = next(found for found in outline.symbols if found.fragment == "rows")
    assert "64 KiB" in outline.basis
    assert rows.detail.endswith("+ objects")
    assert rows.tokens > 0.9 * outline.tokens


def test_a_log_is_outlined_by_the_shapes_of_its_lines(tmp_path):
    """What is rare and grave stands before what is frequent."""
    lines = [f"2024-05-01 10:00:{i % 60:02} INFO request {i} served in {i} ms" for i in range(500)]
    lines[123] = "2024-05-01 10:02:03 ERROR connection to 10.0.0.7:5432 refused"
    path = tmp_path / "app.log"
    path.write_text("\n".join(lines) + "\n")

    outline = outline_of(str(path))

    first, second = outline.symbols
    assert (first.kind, first.first_line) == ("ERROR", 124)
    assert (second.kind, second.first_line, second.last_line) == ("INFO", 1, 500)
    assert "connection to # refused" in first.detail
    assert "2024-05-01 10:00:00 to 2024-05-01 10:00:19" in outline.note
    assert "INFO 499, ERROR 1" in outline.note
