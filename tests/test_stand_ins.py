"""A log's texts as files: what the guard finds of another day's."""

from pathlib import Path

import pytest

from priced_context.files import is_directory, lines_from, read_spread, size_of_regular
from priced_context.records import Read
from priced_context.stand_ins import StandIns, lengthened
from priced_context.transcript import shown_by_read


@pytest.fixture
def stand_ins(tmp_path) -> StandIns:
    return StandIns(tmp_path, str(tmp_path / "state"))


def test_a_kept_text_stands_at_its_path(stand_ins):
    stand_ins.keep("/home/u/a.py", "one\ntwo\n")

    with stand_ins.in_place():
        size_bytes = size_of_regular("/home/u/a.py")
        found = read_spread("/home/u/a.py", size_bytes, 1024, 4)

    assert found == b"one\ntwo\n"


def test_afterwards_the_disk_is_the_disk_again(stand_ins):
    stand_ins.keep(__file__, "")

    with stand_ins.in_place():
        inside = size_of_regular(__file__)

    assert inside == 0
    assert size_of_regular(__file__) == Path(__file__).stat().st_size


def test_what_is_above_a_file_is_a_directory(stand_ins):
    """So that `cd lib && cat a.py` resolves."""
    stand_ins.keep("/home/u/lib/a.py", "x")

    with stand_ins.in_place():
        assert is_directory("/home/u/lib")
        assert is_directory("/home")
        assert not is_directory("/home/u/lib/a.py")


@pytest.mark.parametrize("path", ["", ".", "a.py", "lib/a.py", "/"])
def test_what_is_above_any_path_has_an_end(stand_ins, path):
    """Also above one that counts from nowhere."""
    stand_ins.keep_directory(path)

    with stand_ins.in_place():
        assert is_directory(path)


def test_a_range_makes_a_file_as_long_as_the_log_says(stand_ins):
    shown = shown_by_read("500\tone\n501\ttwo")

    stand_ins.keep_read("/a.py", shown, 9_000)

    with stand_ins.in_place():
        assert lines_from("/a.py", 1, 0)[0] + 1 == 9_000


def test_a_file_that_only_a_command_printed_holds_what_it_printed(stand_ins):
    stand_ins.keep_printed("one\n" * 50)

    with stand_ins.in_place():
        assert size_of_regular("/not/in/the/log.py") == 200


def test_the_printed_lines_of_a_range_are_lengthened_to_its_end(stand_ins):
    printed = "one\n" * 19 + "one"
    stand_ins.keep_printed(printed)

    was_fitted = stand_ins.fit_printed(printed, [Read("/a.py", 79, first_line=101, line_count=20)])

    assert was_fitted
    with stand_ins.in_place():
        assert lines_from("/a.py", 1, 0)[0] + 1 == 120


def test_two_printed_files_share_the_text(stand_ins):
    stand_ins.keep_printed("x" * 100)

    stand_ins.fit_printed("x" * 100, [Read("/a", 100), Read("/b", 100)])

    with stand_ins.in_place():
        assert (size_of_regular("/a"), size_of_regular("/b")) == (50, 50)


def test_a_known_file_is_not_what_was_printed(stand_ins):
    stand_ins.keep("/a.py", "known")
    stand_ins.keep_printed("printed text")

    assert not stand_ins.fit_printed("printed text", [Read("/a.py", 5)])
    with stand_ins.in_place():
        assert size_of_regular("/a.py") == 5


def test_an_endless_file_is_not_written_out():
    assert len(lengthened("x" * 1000, 1, 10**9)) < 10 << 20


def test_the_guards_own_state_stays_where_it_is(stand_ins, tmp_path):
    """A factor or a setting is not part of the session that is replayed."""
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "factors").write_text("own")
    stand_ins.keep_printed("printed text")

    with stand_ins.in_place():
        assert size_of_regular(str(tmp_path / "state" / "factors")) == 3
