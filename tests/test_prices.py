"""Bytes to tokens to words."""

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priced_context.caps import Limits, frame_tokens, limits_of
from priced_context.prices import (
    CLAUDE_NEWER,
    CLAUDE_OLDER,
    LABELS,
    O200K,
    bucket_of,
    family_of,
    features,
    generation_of,
    line_label,
    prefix_tokens,
    price_intake,
    price_read,
    tag,
    tokens_per_byte,
)
from priced_context.records import BASH, DUMP, READ, UNPRICED, Intake, Read
from scene import code


def counted(text: bytes) -> tuple[int, ...]:
    """Count the byte classes the slow and obvious way."""
    kinds = [kind_of(byte) for byte in text]
    starts = [
        sum(
            1 for i, kind in enumerate(kinds) if kind in kin and (i == 0 or kinds[i - 1] not in kin)
        )
        for kin in ("luh", "d", "p", "snt")
    ]
    humps = sum(a == "l" and b == "u" for a, b in pairwise(kinds))
    two = sum(0xC0 <= byte < 0xE0 for byte in text)
    longer = sum(byte >= 0xE0 for byte in text)
    return (*[kinds.count(kind) for kind in "ludsntp"], two, longer, *starts, humps)


def kind_of(byte: int) -> str:
    if byte >= 0x80:
        return "h"
    letter = chr(byte)
    if letter.isalpha():
        return "l" if letter.islower() else "u"
    if letter.isdigit():
        return "d"
    return {" ": "s", "\n": "n", "\t": "t", "\v": "t", "\f": "t", "\r": "t"}.get(letter, "p")


@given(st.binary() | st.text().map(str.encode))
def test_features_are_what_they_say(text):
    """One big integer counts what a loop over bytes would."""
    assert features(text) == counted(text)


@pytest.mark.parametrize(
    ("model", "generation", "family"),
    [
        ("claude-3-5-haiku-20241022", (3, 5), CLAUDE_OLDER),
        ("claude-opus-4-20250514", (4, 0), CLAUDE_OLDER),
        ("claude-opus-4-5@20251101", (4, 5), CLAUDE_OLDER),
        ("us.anthropic.claude-opus-4-6-v1:0", (4, 6), CLAUDE_OLDER),
        ("claude-sonnet-4-5[1m]", (4, 5), CLAUDE_OLDER),
        ("claude-opus-4-7", (4, 7), CLAUDE_NEWER),
        ("claude-fable-5", (5, 0), CLAUDE_NEWER),
        ("claude-opus-5-5", (5, 5), CLAUDE_NEWER),
        ("gpt-5", (99, 0), O200K),
        ("a-model-of-tomorrow", (99, 0), CLAUDE_NEWER),
        ("", (99, 0), CLAUDE_NEWER),
    ],
)
def test_a_model_id_names_its_tokenizer(model, generation, family):
    """In every spelling that the providers use."""
    assert (generation_of(model), family_of(model)) == (generation, family)


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (0, "<1k tok (under 1% of window)"),
        (706, "<1k tok (under 1% of window)"),
        (707, "~1k tok (under 1% of window)"),
        (7_070, "~5k tok (~2% of window)"),
        (7_071, "~10k tok (~5% of window)"),
        (20_000, "~20k tok (~10% of window)"),
        (50_000, "~50k tok (~30% of window)"),
        (10**9, "~100k+ tok (~50%+ of window)"),
    ],
)
def test_a_tag_is_the_buckets(tokens, words):
    """Edges belong to the upper bucket; the share is the label's."""
    assert tag(tokens, 200_000) == words


def test_without_a_window_a_tag_shows_tokens_only():
    """A share of what is not known would be a lie."""
    assert tag(20_000, None) == "~20k tok"


@pytest.mark.parametrize(
    ("tokens", "label"), [(0, 2), (3, 2), (3.2, 5), (7, 5), (8, 10), (14.2, 20)]
)
def test_a_line_is_quoted_at_the_nearest_step(tokens, label):
    """Nearest in ratio, as buckets are."""
    assert line_label(tokens) == label


def test_line_numbers_cost_more_from_1000_on():
    """A fourth digit is one more token."""
    assert prefix_tokens("tab", 1, 999) == pytest.approx(999 * 2.15)
    assert prefix_tokens("tab", 1, 1_001) == pytest.approx(1_001 * 2.15 + 2)
    assert prefix_tokens("tab", 5_000, 10) == pytest.approx(10 * 3.15)


def priced(path: Path, **fields) -> int:
    read = Read(str(path), path.stat().st_size, line_prefix="tab", **fields)
    return price_read(read, CLAUDE_OLDER).tokens


def test_a_range_costs_its_part_of_the_file(tmp_path):
    """From the top, from the middle, from the end, or in bytes."""
    (tmp_path / "a.py").write_text(code(900))
    whole = priced(tmp_path / "a.py")

    assert priced(tmp_path / "a.py", line_count=90) == pytest.approx(whole / 10, rel=0.05)
    assert priced(tmp_path / "a.py", first_line=451) == pytest.approx(whole / 2, rel=0.05)
    assert priced(tmp_path / "a.py", first_line=-90) == pytest.approx(whole / 10, rel=0.05)
    assert priced(tmp_path / "a.py", line_count=-90) == pytest.approx(whole * 0.9, rel=0.05)
    assert priced(tmp_path / "a.py", line_count=-9_000) == 0
    assert priced(tmp_path / "a.py", byte_count=34 * 90) == pytest.approx(whole / 10, rel=0.05)
    assert priced(tmp_path / "a.py", line_count=10**9) == whole


def test_nul_bytes_are_not_text(tmp_path):
    """What the client refuses to read has no price."""
    (tmp_path / "a").write_bytes(b"text\0text" * 1000)

    assert price_read(Read(str(tmp_path / "a"), 9000), CLAUDE_OLDER).basis == UNPRICED


def test_a_command_that_prints_too_much_costs_its_preview(tmp_path):
    """The client shows 2 KB of it; every file's output counts together."""
    (tmp_path / "a").write_text(code(500))
    reads = [Read(str(tmp_path / "a"), 17_000)] * 2

    one = price_intake(Intake(DUMP, reads[:1], BASH), Limits(), "claude-opus-4-6")
    both = price_intake(Intake(DUMP, reads, BASH), Limits(), "claude-opus-4-6")

    assert (one.basis, both.basis) == ("peek", "capped")
    assert both.tokens == 612


@pytest.mark.parametrize(
    ("client", "limit", "tokens"),
    [("2.1.332", None, 21_262), ("2.1.144", None, 72), ("2.1.332", 3_000, 72)],
)
def test_a_read_over_the_cap_is_a_page_or_an_error(tmp_path, client, limit, tokens):
    """Clients before 2.1.145 knew no page, and none pages a range."""
    (tmp_path / "a").write_text(code(3_500))
    read = Read(str(tmp_path / "a"), 34 * 3_500, line_count=limit, line_prefix="tab")

    bill = price_intake(Intake(DUMP, [read], READ), limits_of(client), "claude-opus-4-6")

    assert (bill.tokens, bill.basis) == (tokens, "capped")


def test_the_users_own_caps_are_honoured(monkeypatch):
    """The client reads them from the same environment."""
    monkeypatch.setenv("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", "2000")
    monkeypatch.setenv("BASH_MAX_OUTPUT_LENGTH", "150000")

    limits = limits_of("")

    assert (limits.read_tokens, limits.page_tokens, limits.bash_chars) == (2_000, 1_700, 30_000)


@pytest.mark.parametrize(
    ("family", "right", "middle", "high"), [("v47", 0.94, 0.03, 0.18), ("v3", 0.97, 0.026, 0.10)]
)
def test_prices_match_what_was_billed(shared, family, right, middle, high):
    """1,577 reads of public sessions that no fitting saw, turn by turn."""
    errors, steps = [], []
    for rows in billed_turns(shared, family):
        generation = generation_of(rows[0]["model"])
        price = sum(price_of_row(row) for row in rows) + frame_tokens(generation, len(rows))
        billed = rows[0]["billed_results"]
        errors.append(abs(price / billed - 1))
        steps.append(abs(bucket_of(int(price)) - bucket_of(int(billed))))

    assert steps.count(0) / len(steps) >= right
    assert max(steps) <= 1
    assert median(errors) <= middle
    assert quantiles(errors, n=20, method="inclusive")[-1] <= high


@pytest.mark.parametrize(
    ("generation", "frames"),
    [((4, 6), [12, 60, 83]), ((4, 7), [11, 59, 82]), ((5, 5), [4, 52, 75])],
)
def test_parallel_results_cost_more_than_alone(generation, frames):
    """As the bills of turns with one, two and three results say."""
    assert [frame_tokens(generation, results) for results in (1, 2, 3)] == frames


def billed_turns(shared: Path, family: str) -> list[list[dict]]:
    turns = defaultdict(list)
    for line in (shared / "data" / "bills" / "bills.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row["family"] == family and (row["clean"] or family == "v47"):
            turns[row["session"], row["turn"]].append(row)
    return list(turns.values())


def price_of_row(row: dict) -> float:
    rate = tokens_per_byte(tuple(row["peek_feats"]), row["peek_len"], family_of(row["model"]))
    return rate * row["raw_bytes"] + prefix_tokens(row["prefix_format"], row["start"], row["lines"])


def test_labels_and_buckets_are_as_many():
    """A label for each."""
    assert LABELS[bucket_of(10**12)] == LABELS[-1]
