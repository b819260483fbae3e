"""`ctx dump`: the ledger as one JSON document, every segment a row that adds up to the total."""

import sys

import msgspec

from priced_context.budget.ledger import OutboundRequestBudget, Row
from priced_context.budget.options import Compiler, add_sources, parser
from priced_context.budget.words import decision
from priced_context.console import Trouble, say_all

SCHEMA_VERSION = 1


class DumpRow(Row, frozen=True, rename="camel", omit_defaults=True):
    """A row with what the segment holds, where that was asked for."""

    content: str | None = None


class Dump(msgspec.Struct, frozen=True, rename="camel"):
    """The document; `sum(row.tokens for row in rows) == budget.total_input_tokens`."""

    schema_version: int
    api: str
    model: str
    counter: str
    """Name and version of what counted."""
    exactness: str
    request_bytes: int
    envelope_bytes: int
    """Bytes outside every row: punctuation, model, sampling; they cost nothing of their own."""
    compaction: str
    """Held or due, and why, in one sentence."""
    budget: OutboundRequestBudget
    rows: list[DumpRow]


def dump(budget: OutboundRequestBudget, *, with_content: bool = False) -> Dump:
    """Return the document of one ledger; contents of segments only *with_content*."""
    account = budget.account
    body = account.request.body
    rows = [DumpRow(*msgspec.structs.astuple(row)) for row in budget.rows]
    if with_content:
        spans = account.spans()
        rows = [
            msgspec.structs.replace(row, content=body[slice(*span)].decode()) if span else row
            for row, span in zip(rows, spans, strict=True)
        ]
    return Dump(
        schema_version=SCHEMA_VERSION,
        api=account.request.shape.api,
        model=account.request.shape.model,
        counter=account.count.counter,
        exactness=account.count.exactness,
        request_bytes=len(body),
        envelope_bytes=len(body) - sum(row.bytes for row in rows),
        compaction=decision(budget),
        budget=budget,
        rows=rows,
    )


def main(arguments: list[str]) -> int:
    """Print one document a file."""
    options = parser("dump", "The ledger of a request as JSON, a row for every segment.")
    add_sources(options)
    options.add_argument("--content", action="store_true", help="with what the segments hold")
    chosen = options.parse_args(arguments)
    troubles: list[Trouble] = []
    for budget in Compiler(chosen).budgets(chosen, troubles):
        document = dump(budget, with_content=chosen.content)
        sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(document)) + b"\n")
    return say_all(troubles)
