"""Counting text: tiktoken's own numbers without its downloader, and the byte model beside them."""

import base64
import gzip
import random
import shutil
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tiktoken_ext import openai_public

import priced_context.tokens
from outgoing import anthropic, sent
from priced_context.prices import CLAUDE_NEWER, CLAUDE_OLDER, O200K
from priced_context.tokens import count_text, encoding, upper_bound
from priced_context.tokens.claude import claude_tokens
from priced_context.tokens.ranks import DATA, SHA256, RanksUnavailable, load_ranks

LIBRARY = sorted(Path(random.__file__).parent.glob("*.py"))[:60]

IMPORT_ROOT = str(Path(priced_context.tokens.__file__).parent.parent.parent)


def test_the_pins_are_tiktoken_s_own(monkeypatch):
    """The day tiktoken changes a vocabulary this says so."""
    asked = {}
    monkeypatch.setattr(
        openai_public,
        "load_tiktoken_bpe",
        lambda url, expected_hash: asked.update({url: expected_hash}),
    )
    for name in SHA256:
        openai_public.ENCODING_CONSTRUCTORS[name]()

    pins = {url.rpartition("/")[2]: pin for url, pin in asked.items()}
    assert pins == {f"{name}.tiktoken": pin for name, pin in SHA256.items()}


@pytest.mark.parametrize(
    ("name", "text", "ids"),
    [
        ("cl100k_base", "hello world", [15339, 1917]),
        ("cl100k_base", "today\n ", [31213, 198, 220]),
        ("cl100k_base", "'rer", [2351, 81]),
        ("o200k_base", "2 + 2 = 4", [17, 659, 220, 17, 314, 220, 19]),
    ],
)
def test_published_ids_come_out(name, text, ids):
    """From tiktoken's own tests and the vendor's cookbook."""
    assert encoding(name).encode_ordinary(text) == ids


@pytest.mark.parametrize("damage", ["missing", "cut", "another file", "not gzip"])
def test_damaged_ranks_are_unavailable(tmp_path, damage):
    """A vocabulary that is a little wrong counts everything a little wrong."""
    file = tmp_path / "o200k_base.tiktoken.gz"
    packed = (DATA / file.name).read_bytes()
    match damage:
        case "cut":
            file.write_bytes(packed[:-500])
        case "another file":
            shutil.copy(DATA / "cl100k_base.tiktoken.gz", file)
        case "not gzip":
            file.write_bytes(gzip.decompress(packed))

    with pytest.raises(RanksUnavailable):
        load_ranks("o200k_base", tmp_path)


def test_counting_never_opens_a_socket(monkeypatch):
    """tiktoken's downloader waits for ever where a peer accepts and stays silent."""

    def refuse(*_, **__):
        raise AssertionError("a socket")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    encoding.cache_clear()

    assert encoding("o200k_base").encode_ordinary("hello") == [24912]


def test_without_ranks_the_byte_model_counts_and_no_socket_is_opened(tmp_path):
    """An installation without its data still answers, says so, and never asks the network."""
    code = f"""
        import socket, sys
        def refuse(*_, **__):
            raise AssertionError("a socket")
        socket.socket = socket.getaddrinfo = refuse
        sys.path.insert(0, {IMPORT_ROOT!r})
        from pathlib import Path
        from priced_context.tokens import ranks
        ranks.load_ranks.__defaults__ = (Path({str(tmp_path)!r}),)
        from priced_context import compile_outbound_request_budget
        budget = compile_outbound_request_budget(sys.stdin.buffer.read())
        print(budget.account.count.counter, budget.account.count.exactness, sep="; ")
    """

    answer = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        input=sent(anthropic()),
        capture_output=True,
        check=True,
    )

    assert answer.stdout == b"bytes 1, claude-1; upper estimate\n"


def test_special_tokens_in_a_text_are_text():
    """A file that quotes a marker must not raise, nor cost one token for it."""
    assert count_text("<|endoftext|>", encoding("o200k_base")) == 7


def test_a_long_text_in_pieces_counts_as_in_one_go():
    """Pieces bound the memory; a cut costs a token at most."""
    ranks = encoding("o200k_base")
    text = "\n".join(path.read_text(errors="replace") for path in LIBRARY)
    assert len(text) > 1_000_000

    assert count_text(text, ranks) == pytest.approx(len(ranks.encode_ordinary(text)), abs=5)


def test_a_run_without_blanks_is_estimated():
    """Data of a megabyte on one line is no text; the byte model is near enough, and linear."""
    run = base64.b64encode(random.Random(1).randbytes(300_000)).decode()
    ranks = encoding("o200k_base")

    tokens = count_text(f"before {run} after", ranks)

    assert 1.0 <= tokens / len(ranks.encode_ordinary(run)) <= 1.5


@pytest.mark.parametrize("model", [O200K, CLAUDE_OLDER, CLAUDE_NEWER])
def test_the_upper_estimate_holds_on_program_text(model):
    """Who falls back on it must not overfill a window."""
    ranks = encoding("o200k_base")
    for path in LIBRARY:
        text = path.read_text(errors="replace")[:20_000]
        if text:
            assert upper_bound(text.encode(), model) >= len(ranks.encode_ordinary(text)), path


@pytest.mark.parametrize("model", [O200K, CLAUDE_OLDER, CLAUDE_NEWER])
def test_the_upper_estimate_is_at_most_the_bytes(model):
    """No vocabulary has a token of less than a byte."""
    rng = random.Random(1)
    for size in (0, 1, 2, 100, 1 << 14, (1 << 14) + 1):
        assert upper_bound(rng.randbytes(size), model) <= size


def test_claude_tokens_stay_within_the_ratios_seen():
    """An odd text must not run away with a linear model."""
    for text in ("A" * 3_000, "\n" * 3_000, "é" * 3_000, "漢" * 3_000, "0" * 3_000, "{" * 3_000):
        count = len(encoding("o200k_base").encode_ordinary(text))

        assert 0.95 * count <= claude_tokens(text, count, CLAUDE_OLDER) <= 2.2 * count
        assert 1.0 * count <= claude_tokens(text, count, CLAUDE_NEWER) <= 2.6 * count
