"""window.json, checked in full."""

import json
from pathlib import Path

import pytest

from priced_context.console import Trouble
from priced_context.windowfile import WindowFile, load_window_file

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "window.json.example"


def test_the_example_is_valid():
    assert load_window_file(EXAMPLE).version == 1


def test_every_field_is_explained():
    """JSON has no comments: the explanation stands in docs/files.md."""
    explained = (ROOT / "docs" / "files.md").read_text()

    assert [f for f in WindowFile.__struct_fields__ if f"`{f}`" not in explained] == []


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"version": 2}, "version"),
        ({"used_tokens": -1}, "used_tokens"),
        ({"window_tokens": "1M"}, "window_tokens"),
        ({"written_ms": 0}, "written_ms"),
    ],
)
def test_a_wrong_field_is_named(tmp_path, change, what):
    path = tmp_path / "window.json"
    path.write_text(json.dumps(json.loads(EXAMPLE.read_text()) | change))

    with pytest.raises(Trouble, match=what):
        load_window_file(path)


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"\xff", b"null"])
def test_what_is_no_window_file_is_trouble(tmp_path, raw):
    path = tmp_path / "window.json"
    path.write_bytes(raw)

    with pytest.raises(Trouble, match=r"window\.json"):
        load_window_file(path)
