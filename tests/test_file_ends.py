"""Counting lines without `os`, and no further than asked."""

import pytest

from priced_context import files


@pytest.mark.parametrize(
    ("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\n\n", 2), ("\n", 1)]
)
def test_lines_are_counted_as_an_editor_numbers_them(tmp_path, text, lines):
    """Text behind the last newline is a line; nothing behind it is none."""
    path = tmp_path / "a.txt"
    path.write_text(text)

    assert files.lines_in(str(path), 100) == lines


def test_counting_ends_where_it_is_enough(tmp_path):
    """`head -n 200 f | tail -n 20` must not read a log of a gigabyte."""
    path = tmp_path / "a.txt"
    path.write_text("a\n" * 100_000)

    assert files.lines_in(str(path), 200) == 200


def test_what_cannot_be_counted_says_so(tmp_path):
    endless = tmp_path / "endless.txt"
    endless.write_bytes(b"x" * (4 << 20) + b"\n")

    assert files.lines_in(str(endless), 2) == -1
    assert files.lines_in(str(tmp_path), 2) == -1
    assert files.lines_in(str(tmp_path / "missing"), 2) == -1
    assert files.lines_in("a\0b", 2) == -1


@pytest.mark.parametrize(("text", "has"), [("", False), ("a", False), ("a\n", True)])
def test_the_end_of_a_file_is_looked_at(tmp_path, text, has):
    path = tmp_path / "a.txt"
    path.write_text(text)

    assert files.has_final_newline(str(path)) is has


def test_what_exists_exists_whatever_it_is(tmp_path):
    (tmp_path / "dangling").symlink_to("missing")

    assert files.exists(str(tmp_path))
    assert files.exists("/dev/null")
    assert not files.exists(str(tmp_path / "dangling"))
    assert not files.exists("a\0b")
