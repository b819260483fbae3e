"""tiktoken encodings from ranks that ship with the package: no download, no cache, no socket.

`tiktoken.get_encoding` on an empty cache asks the network: 0.3 s where name resolution fails,
over two minutes where packets are dropped, for ever where a peer accepts and stays silent.
Here the ranks are package data, checked against the SHA-256 that tiktoken itself pins.
"""

import base64
import gzip
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tiktoken

DATA = Path(__file__).parent.parent / "data"

# `expected_hash` of the same name in tiktoken_ext/openai_public.py (tiktoken 0.14.0).
SHA256 = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}


class RanksUnavailable(Exception):  # noqa: N818 - a state of the installation, met by falling back
    """The encoding cannot be built here: count with the byte model instead."""


def load_ranks(name: str, folder: Path = DATA) -> dict[bytes, int]:
    """Return token bytes → rank of one encoding.

    Raises:
        RanksUnavailable: the file is missing, damaged, or not the one that tiktoken pins.
    """
    try:
        packed = (folder / f"{name}.tiktoken.gz").read_bytes()
        lines = gzip.decompress(packed)
    except (OSError, EOFError, ValueError) as error:
        raise RanksUnavailable(f"ranks of {name}: {error}") from error
    if hashlib.sha256(lines).hexdigest() != SHA256[name]:
        raise RanksUnavailable(f"ranks of {name}: not the bytes that tiktoken pins")
    decode = base64.b64decode
    return {decode(token): int(rank) for token, rank in map(bytes.split, lines.splitlines())}


@cache
def encoding(name: str) -> "tiktoken.Encoding":
    """Return tiktoken's encoding *name*, `o200k_base` or `cl100k_base`; about 0.4 s the first time.

    Raises:
        RanksUnavailable: see `load_ranks`; also where tiktoken itself is missing or has changed.
    """
    ranks = load_ranks(name)
    try:
        import tiktoken
        from tiktoken_ext import openai_public
    except ImportError as error:
        raise RanksUnavailable(f"tiktoken: {error}") from error
    # The constructor knows pattern and special tokens; only its loader would reach the network.
    loader = openai_public.load_tiktoken_bpe
    openai_public.load_tiktoken_bpe = lambda *_, **__: ranks
    try:
        return tiktoken.Encoding(**openai_public.ENCODING_CONSTRUCTORS[name]())
    except (KeyError, TypeError, ValueError) as error:
        raise RanksUnavailable(f"tiktoken {name}: {error}") from error
    finally:
        openai_public.load_tiktoken_bpe = loader
