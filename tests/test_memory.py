"""What an agent was told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priced_context.files import as_field, as_path
from priced_context.memory import SLICE, recall, remember
from priced_context.prices import bucket_of
from priced_context.records import DENY
from priced_context.settings import OBSERVE


def test_the_highest_bucket_told_of_a_file_counts(tmp_path):
    """A cheaper price is no news."""
    folder = str(tmp_path / "sessions" / "s1")
    remember(folder, 1, "deny", [("/a", 20_000), ("/b", 3_000)])
    remember(folder, 2, "rewrite", [("/a", 8_000)])

    memory = recall(folder, 0)

    assert memory.told_buckets == {"/a": bucket_of(20_000), "/b": bucket_of(3_000)}
    assert memory.refusals == 3


def test_slices_add_up(tmp_path):
    """They pass, and count."""
    folder = str(tmp_path / "s1")
    remember(folder, 1, SLICE, [("/a", 700)])
    remember(folder, 2, SLICE, [("/a", 900)])

    memory = recall(folder, 0)

    assert (memory.slice_tokens, memory.told_buckets) == ({"/a": 1_600}, {})


def test_a_compaction_forgets_what_was_told_before_it(tmp_path):
    """The agent no longer has it in its context."""
    folder = str(tmp_path / "s1")
    remember(folder, 1_000, "deny", [("/a", 20_000)])
    remember(folder, 3_000, "deny", [("/b", 20_000)])

    assert list(recall(folder, 2_000).told_buckets) == ["/b"]


def test_what_was_only_observed_is_told_to_the_observer_alone(tmp_path):
    """Nobody was told of it."""
    folder = str(tmp_path / "s1")
    remember(folder, 1, OBSERVE, [("/a", 20_000)])
    remember(folder, 2, DENY, [("/b", 20_000)])

    steered, observed = recall(folder, 0), recall(folder, 0, observes=True)

    assert (list(steered.told_buckets), steered.refusals) == (["/b"], 1)
    assert list(observed.told_buckets) == ["/a", "/b"]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"1\tdeny\t20",
        b"x\tdeny\t20\t/a\n",
        b"1\tdeny\t-5\t/a\n",
        b"1\tdeny\t5\t\xff\n",
        b"\0\n",
    ],
)
def test_torn_and_foreign_lines_are_skipped(tmp_path, line):
    """A full disk tears lines; the next one must still count."""
    (tmp_path / "told").write_bytes(line + b"\n1\tdeny\t20000\t/b\n")

    assert list(recall(str(tmp_path), 0).told_buckets) == ["/b"]


@given(st.text())
def test_every_path_is_one_field_and_reads_back(path):
    """Tabs, newlines, backslashes and lone surrogates included."""
    field = as_field(path)

    assert b"\t" not in field
    assert b"\n" not in field
    assert as_path(field) == path
