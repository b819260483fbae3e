"""Laws of the recogniser: any text is taken in, and ranges of ranges are ranges."""

import contextlib
import fnmatch

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bash_truth import SMALL, make_tree
from priced_context.records import DUMP, FILTERED, KINDS, NONE, UNKNOWN, Read
from priced_context.shell import intake_of_command
from priced_context.shell.awk import selected_by_awk
from priced_context.shell.evaluator import node_of
from priced_context.shell.expansion import fits
from priced_context.shell.javascript import acts_of_javascript
from priced_context.shell.python import acts_of_python
from priced_context.shell.sed import selected_by_sed
from priced_context.shell.streams import Stream, sliced
from priced_context.shell.syntax import parse
from priced_context.shell.tokens import Unfollowed
from priced_context.words import may_read

# Pieces of the language and of the tables, so that texts go deep rather than fail at once.
PIECES = st.sampled_from(
    """
    cat head tail sed awk grep sort tee wc git find xargs bash eval cd export python3 -c -n -e -5
    5 1,3p a.txt sub/i.txt *.txt {a,b}.txt nope '$x' "$x" $x ${x} $(cat `cat <( >( ( ) { } ; & &&
    || | |& > >> < << <<< 2>&1 &> EOF if then else fi for in do done while case esac ;; [ ] [[ ]]
    ! # \\ ' " ` ~ = x= x=( $(( )) \\n -exec {} + read echo printf %s exit break
    print(open('a.txt')) function time NR==1 {print} s/a/b/ /re/ $ , - -- 9999999999999999999
    \\0 é
    """.split()
)
PROGRAM_PIECES = st.sampled_from(
    """
    open('a.txt') .read() .readlines() [:5] ['a'] print( ) s = f l for in if else elif while try :
    except with as import from def class lambda return yield not and or , ; ( [ ] { } * ** . + - %
    f'{s}' f'{s!r:>4}' 'a' 5 -1 json.load( := == += @ async await del global raise assert pass break
    const let require('fs') .readFileSync('a.txt') `${s}` => ? ?. ! ++ function console.log( /a/ //
    switch case new typeof of throw catch export ... && || \\ # \" ' $ é
    """.split()
)
PROGRAMS = st.lists(
    st.one_of(PROGRAM_PIECES, st.sampled_from(["\n", "\n  ", "\n    "])), max_size=20
)
LINES = st.lists(st.one_of(PIECES, st.just("\n"), st.text(max_size=4)), max_size=24)
SPANS = st.lists(
    st.tuples(
        st.one_of(st.integers(1, 12), st.integers(-12, -1)),
        st.one_of(st.none(), st.integers(-12, 12)),
    ),
    min_size=1,
    max_size=4,
)


@given(line=st.one_of(st.text(), LINES.map(" ".join), LINES.map("".join)))
@example(line="cat \ud800")
@example(line="cat a\0b")
@settings(max_examples=700, deadline=None)
def test_any_text_is_taken_in(tmp_path_factory, line):
    """A hook that raises on some text lets everything pass from then on."""
    root = tree_of(tmp_path_factory)

    intake = intake_of_command(line, root, root)

    assert intake.kind in KINDS
    assert not intake.reads or intake.kind in {DUMP, FILTERED}
    assert all(read.path.startswith("/") and read.size_bytes > 0 for read in intake.reads)
    assert intake.kind in {NONE, UNKNOWN} or may_read(line)


@given(
    st.one_of(st.text(), LINES.map(" ".join), PROGRAMS.map(" ".join), PROGRAMS.map("".join)),
    st.booleans(),
)
@settings(max_examples=1_000)
def test_any_program_is_taken_in(code, flag):
    selected_by_sed(code, is_quiet=flag)
    selected_by_awk(code)
    with contextlib.suppress(Unfollowed):
        acts_of_python(code, [])
    with contextlib.suppress(Unfollowed):
        acts_of_javascript(code, [], prints_value=flag)


def tree_of(tmp_path_factory) -> str:
    """Return the one small tree of this session."""
    root = tmp_path_factory.getbasetemp() / "laws"
    if not root.exists():
        make_tree(root, SMALL)
    return str(root)


def cut(lines: list[str], first: int, count: int | None) -> list[str]:
    """Cut real lines as a span says."""
    kept = lines[first - 1 :] if first > 0 else lines[first:]
    if count is None:
        return kept
    return kept[:count] if count >= 0 else kept[: len(kept) + count if len(kept) > -count else 0]


@given(st.integers(0, 14), SPANS, st.booleans())
@settings(max_examples=700, deadline=None)
def test_a_range_of_ranges_is_what_the_pipe_leaves(tmp_path_factory, total, spans, backwards):
    """`head -n 200 f | tail -n 20` is lines 181-200, or fewer of a shorter file."""
    path = tmp_path_factory.getbasetemp() / f"{total}.txt"
    lines = [f"{number}\n" for number in range(1, total + 1)]
    path.write_text("".join(lines))
    streams = [Stream(DUMP, [Read(str(path), max(1, path.stat().st_size))])]
    printed = lines
    if backwards:
        streams[0].order = -1
        printed = lines[::-1]

    for span in spans:
        streams = sliced(streams, [span])
        printed = cut(printed, *span)

    claimed = [
        line
        for stream in streams
        for read in stream.reads
        for line in cut(lines, read.first_line, read.line_count)
    ]
    assert (claimed[::-1] if backwards else claimed) == printed


@given(st.lists(st.integers(0, 9), min_size=2, max_size=4), SPANS)
@settings(max_examples=500, deadline=None)
def test_a_range_over_several_files_goes_on_in_the_next(tmp_path_factory, totals, spans):
    """`cat a b | sed -n 5,9p`: nobody prints the end of a file for its beginning."""
    base = tmp_path_factory.getbasetemp()
    streams, printed = [], []
    text = {}
    for place, total in enumerate(totals):
        path = base / f"{place}-{total}.txt"
        text[str(path)] = [f"{place}:{number}\n" for number in range(total)]
        path.write_text("".join(text[str(path)]))
        printed += text[str(path)]
        if total:
            streams.append(Stream(DUMP, [Read(str(path), path.stat().st_size)]))

    for span in spans:
        streams = sliced(streams, [span])
        printed = cut(printed, *span)

    claimed = [
        line
        for stream in streams
        for read in stream.reads
        for line in cut(text[read.path], read.first_line, read.line_count)
    ]
    assert claimed == printed


GLOBS = st.lists(st.sampled_from(["a", "b", "*", "?", "[ab]", "[!a]", "[a-c]"]), max_size=8)


@given(GLOBS.map("".join), st.text("abcd", max_size=8))
@settings(max_examples=500)
def test_a_glob_matches_what_fnmatch_matches(pattern, name):
    assert fits(pattern, name) == fnmatch.fnmatchcase(name, pattern)


@given(
    st.sampled_from(["cat", "git", "/usr/bin/head", "python3", "ls"]),
    st.lists(st.text("abXY019_./,:@%+-", min_size=1, max_size=6), max_size=6),
    st.sampled_from([" ", "  "]),
)
def test_a_plain_line_is_what_the_grammar_says(name, words, blank):
    """The short way past the grammar may not be another one."""
    line = blank.join([name, *words])

    assert node_of(line) == parse(line)
