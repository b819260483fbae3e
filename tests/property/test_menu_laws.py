"""Laws of menus and maps: held under their budget, whatever they are made from."""

from hypothesis import given, settings
from hypothesis import strategies as st

from priced_context.menus import MENU_CEILING, MOST_MENU_TOKENS
from priced_context.outlines import NotText, Outline, Symbol, fine_label, menu, outline_of
from priced_context.outlines.data import json_values
from priced_context.outlines.held import count, weight
from priced_context.outlines.languages import CODE
from priced_context.repomap.fit import map_text
from priced_context.repomap.index import Definition, File, Index

NAMES = st.text(min_size=1, max_size=60)
SUFFIXES = [*CODE, "md", "rst", "json", "yaml", "toml", "csv", "jsonl", "ipynb", "log", "sql", "x"]
TOKENS = st.integers(1, 10**7)


@st.composite
def symbols(draw) -> list[Symbol]:
    """Any nesting in order: a symbol lies at most one deeper than the one before."""
    found: list[Symbol] = []
    line = 0
    for position in range(draw(st.integers(0, 60))):
        depth = draw(st.integers(0, found[-1].depth + 1)) if found else 0
        line += draw(st.integers(0, 500))
        name = draw(NAMES)
        last = line + draw(st.integers(0, 10_000)) if line else 0
        kind = draw(st.sampled_from(["class", "method", "int", "h"]))
        detail = draw(st.sampled_from(["", "3 keys", "é" * 90]))
        fragment = f"{name}{position}"
        found.append(Symbol(kind, name, line, last, draw(TOKENS), fragment, depth, detail))
    return found


@st.composite
def outlines(draw) -> Outline:
    basis = draw(st.sampled_from(["grammar", "line patterns", "shapes", "keys"]))
    note = draw(st.sampled_from(["", "INFO 3, ERROR 1, 7 shapes of line"]))
    tokens, lines = draw(TOKENS), draw(st.integers(0, 10**6))
    return Outline(f"repo:{draw(NAMES)}", tokens, lines, draw(symbols()), basis, note)


@given(outlines(), st.integers(0, 2_000))
def test_a_menu_never_costs_more_than_its_budget(outline, budget):
    assert count(menu(outline, budget)) <= min(budget, MENU_CEILING)


@given(outlines())
def test_a_menu_without_a_budget_never_costs_more_than_is_quoted(outline):
    text = menu(outline)

    assert count(text) <= MOST_MENU_TOKENS
    assert menu(outline) == text


@given(outlines(), st.integers(200, 1_500))
def test_a_menu_accounts_for_every_symbol_of_the_top(outline, budget):
    """A symbol stands on a line of its own, or in the number of a folded run."""
    rows = menu(outline, budget).splitlines()[1:]
    tops = sum(symbol.depth == 0 for symbol in outline.symbols)
    folded = sum(int(row.split()[1]) for row in rows if row.startswith("… "))
    own = sum(row.split(" ", 1)[0] in ("class", "method", "int", "h") for row in rows)

    assert not (folded or own) or folded + own == tops


@given(st.lists(st.tuples(NAMES, TOKENS, st.lists(NAMES, max_size=8)), max_size=40), st.data())
def test_a_map_never_costs_more_than_its_budget(files, data):
    budget = data.draw(st.integers(0, 3_000))
    index = Index(
        1,
        [
            File(f"{n}{path}", 0, 0, "", 0, tokens, [Definition(s, s, False) for s in defined])
            for n, (path, tokens, defined) in enumerate(files)
        ],
        [],
    )
    order = data.draw(st.permutations(range(len(files))))

    assert count(map_text(index, order, budget, "repo:")) <= budget


@given(st.lists(st.text()))
def test_the_weights_of_lines_add_up(lines):
    """So a line's cost is known before the text is put together."""
    whole = weight("".join(f"{line}\n" for line in lines))

    assert whole <= sum(weight(f"{line}\n") for line in lines) + 1e-6


@given(st.integers(0, 10**9))
def test_a_fine_label_is_near_what_it_stands_for(tokens):
    label = fine_label(tokens).strip("~+k<")

    assert label.isdigit()
    if 8 <= tokens < 100_000:
        value = int(label) * (1_000 if "k" in fine_label(tokens) else 1)
        assert 0.63 <= tokens / value <= 1.6


@given(st.binary(max_size=400), st.integers(0, 6))
def test_any_bytes_can_be_scanned_for_keys(data, deepest):
    for value in json_values(data, deepest):
        assert 0 < len(value.path) <= max(1, deepest)


@settings(max_examples=60)
@given(
    st.sampled_from(
        [
            "py",
            "js",
            "ts",
            "go",
            "rs",
            "java",
            "c",
            "cpp",
            "cs",
            "rb",
            "php",
            "sh",
            "md",
            "rst",
            "json",
            "yaml",
            "toml",
            "csv",
            "log",
            "x",
        ]
    ),
    st.one_of(st.text(max_size=300), st.text("{}[]()#:=-\"'\\/\n\t ,adefclsfuntio", max_size=300)),
)
def test_any_text_in_any_language_has_an_outline(tmp_path_factory, suffix, text):
    """Never an error, and only lines that are there."""
    path = tmp_path_factory.getbasetemp() / f"any.{suffix}"
    data = text.encode("utf-8", "replace").replace(b"\0", b"")
    path.write_bytes(data)
    try:
        outline = outline_of(str(path))
    except NotText:
        return
    total = data.count(b"\n") + 1
    for symbol in outline.symbols:
        assert 0 <= symbol.first_line <= total
        assert symbol.last_line <= total
        assert symbol.first_line <= symbol.last_line
    assert len({symbol.fragment for symbol in outline.symbols}) == len(outline.symbols)
