"""What must hold of every request that a real client sends."""

from itertools import pairwise

from priced_context.budget import (
    OutboundRequestBudget,
    assemble,
    compile_outbound_request_budget,
    disassemble,
)


def accounts_for(body: bytes) -> OutboundRequestBudget:
    """Compile *body* and return its ledger, after checking that nothing of it got lost."""
    request = disassemble(body)
    budget = compile_outbound_request_budget(request)

    assert assemble(request) == body
    spans = [span for span in budget.account.spans() if span]
    assert all(first < end for first, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert sum(row.tokens for row in budget.rows) == budget.total_input_tokens
    assert budget.tool_schema_tokens > 0
    assert budget.stable_system_tokens > 0
    for row in budget.rows:
        if row.label.startswith(("tool ", "system ")) and row.bytes:
            assert row.tokens > 0, row.origin
    return budget
