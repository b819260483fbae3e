"""What holds for every request: nothing lost, nothing counted twice, every fault named."""

import json
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outgoing import EVERY_API, anthropic
from priced_context.budget import (
    BudgetError,
    ConservativeCounter,
    Policy,
    assemble,
    compile_outbound_request_budget,
    disassemble,
)
from priced_context.budget.faults import locate
from priced_context.budget.slices import decode

WINDOW = Policy(model="claude-opus-4-6", model_context_tokens=200_000)
COUNTER = ConservativeCounter()

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**25), 10**25)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "text", "role", "content", "name", "input", "cache_control"])
            | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
styles = st.sampled_from(
    [
        {},
        {"ensure_ascii": False},
        {"separators": (",", ":")},
        {"indent": 2},
        {"indent": "\t", "ensure_ascii": False, "separators": (" ,", " : ")},
    ]
)


@st.composite
def requests(draw):
    """Draw a request of some API with unknown members and a value of any shape in one place."""
    request = json.loads(json.dumps(EVERY_API[draw(st.sampled_from(sorted(EVERY_API)))]()))
    request["x-" + draw(st.text('abc"\\é', max_size=3))] = draw(values)
    if draw(st.booleans()):
        spots = list(_spots(request))
        owner, key = spots[draw(st.integers(0, len(spots) - 1))]
        owner[key] = draw(values)
    return json.dumps(request, **draw(styles)).encode()


def _spots(value):
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in list(pairs):
        yield value, key
        yield from _spots(inner)


@given(requests())
def test_what_is_taken_apart_goes_together_again_byte_for_byte(body):
    """Key order, escapes, numbers, blanks and unknown members survive, or it is refused."""
    with suppress(BudgetError):
        assert assemble(disassemble(body)) == body


@given(requests())
def test_the_rows_add_up_and_cover_each_byte_once(body):
    """A byte in two segments is counted twice; a byte in none is not counted."""
    try:
        budget = compile_outbound_request_budget(body, counter=COUNTER, policy=WINDOW)
    except BudgetError:
        return

    kinds = (
        budget.stable_system_tokens
        + budget.tool_schema_tokens
        + budget.authority_tokens
        + budget.task_and_working_set_tokens
        + budget.evidence_tokens
        + budget.history_tokens
    )
    assert sum(row.tokens for row in budget.rows) == kinds == budget.total_input_tokens
    spans = [span for span in budget.account.spans() if span]
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert budget.free_tokens == 200_000 - budget.projected_total_tokens


@given(st.binary(max_size=200) | values.map(lambda value: json.dumps(value).encode()))
def test_anything_at_all_gets_a_ledger_or_a_named_fault(body):
    """A traceback in a controller is a request that nobody accounted for."""
    with suppress(BudgetError):
        compile_outbound_request_budget(body, counter=COUNTER, policy=WINDOW)


@given(requests(), st.data())
def test_a_request_cut_short_is_refused(body, data):
    """Half a request must never look like a small one."""
    cut = data.draw(st.integers(0, len(body.rstrip()) - 1))

    with pytest.raises(BudgetError) as refused:
        compile_outbound_request_budget(body[:cut], counter=COUNTER, policy=WINDOW)

    assert refused.value.path.startswith("$")


@given(values, styles)
def test_a_valid_document_has_no_fault(value, style):
    """The scan that explains a fault must not see one where there is none."""
    document = json.dumps(value, **style).encode()

    assert decode(document, "$") == json.loads(document)
    assert locate(document).what == "cannot be read"


@given(values, st.data())
def test_a_key_twice_is_found_wherever_it_stands(value, data):
    """Decoders keep the last of two; which one the API keeps nobody knows."""
    spot = data.draw(st.sampled_from(["system", "messages", "tools"]))
    twice = b'{"k": 1, "k": %s}' % json.dumps(value).encode()
    body = json.dumps(anthropic(**{spot: ["HERE"]})).encode().replace(b'"HERE"', twice)

    with pytest.raises(BudgetError, match="stands twice") as refused:
        compile_outbound_request_budget(body, counter=COUNTER)

    assert refused.value.path == f"$.{spot}[0].k"
