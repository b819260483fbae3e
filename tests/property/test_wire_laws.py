"""The accelerator reads and writes JSON exactly as `json` does."""

import json
import math

from hypothesis import example, given
from hypothesis import strategies as st

from priced_context.wire import encode, parse

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def outcome(read, raw: bytes):
    """Return what *read* makes of *raw*, or that it refuses."""
    try:
        return repr(read(raw))
    except (ValueError, RecursionError):
        return "refused"


@given(VALUES)
def test_every_value_reads_as_json_reads_it(value):
    """`_json` is private to CPython; this is what we lean on."""
    raw = json.dumps(value).encode()

    assert repr(parse(raw)) == repr(json.loads(raw))


@given(st.text(alphabet='{}[]",:0123456789.eE+-truefalsn \t\n\\u"') | st.text())
@example("")
@example('{"a": 1} x')
@example('"\\ud800"')
@example("1" * 5000)
@example("[" * 100_000)
@example('{"a": 1, "a": 2}')
@example("\ufeff{}")
@example('"\x01"')
def test_every_text_is_read_or_refused_alike(text):
    """Also what is broken."""
    raw = text.encode("utf-8", "surrogatepass")

    assert outcome(parse, raw) == outcome(lambda data: json.loads(data.decode()), raw)


@given(st.binary())
def test_every_byte_string_is_read_or_refused(raw):
    """Never another error than these."""
    outcome(parse, raw)


@given(VALUES)
def test_what_is_written_reads_back(value):
    """A rewrite echoes every field of the call."""
    again = json.loads(encode(value))

    assert repr(again) == repr(value) or any_nan(value)


def any_nan(value) -> bool:
    """NaN's sign is not JSON's to keep."""
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, dict):
        return any(any_nan(item) for item in value.values())
    return isinstance(value, list) and any(any_nan(item) for item in value)
