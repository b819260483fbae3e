"""`ctx diff`: what changed between two requests, in tokens, by segment."""

import sys
from collections import Counter

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from priced_context.budget.content import KINDS
from priced_context.budget.ledger import OutboundRequestBudget, Row
from priced_context.budget.options import Compiler, parser


class Change(msgspec.Struct, frozen=True, rename="camel"):
    """One segment that only one of the two requests has, or that weighs differently in them."""

    kind: str
    origin: str
    label: str
    tokens_before: int
    tokens_after: int


class Diff(msgspec.Struct, frozen=True, rename="camel"):
    """Two ledgers side by side; the changes add up to the difference of the totals."""

    fingerprint_before: str
    fingerprint_after: str
    total_before: int
    total_after: int
    free_before: int
    free_after: int
    eligible_before: bool
    eligible_after: bool
    by_kind: dict[str, int]
    """Tokens more (or, negative, fewer) of each kind."""
    changes: list[Change]


def diff(before: OutboundRequestBudget, after: OutboundRequestBudget) -> Diff:
    """Compare two ledgers. Segments with the same hash are the same, wherever they stand."""
    removed, added = _only_in(before, after), _only_in(after, before)
    changes = _paired(removed, added)
    by_kind = {kind: _of_kind(after, kind) - _of_kind(before, kind) for kind in KINDS}
    return Diff(
        before.request_fingerprint,
        after.request_fingerprint,
        before.total_input_tokens,
        after.total_input_tokens,
        before.free_tokens,
        after.free_tokens,
        before.compaction_eligible,
        after.compaction_eligible,
        by_kind,
        changes,
    )


def _of_kind(budget: OutboundRequestBudget, kind: str) -> int:
    return sum(row.tokens for row in budget.rows if row.kind == kind)


def _identity(row: Row) -> tuple[str, str, int]:
    """What makes two rows the same; frames have no hash and go by their name and tokens."""
    return row.hash or row.label, row.kind, row.tokens


def _only_in(one: OutboundRequestBudget, other: OutboundRequestBudget) -> list[Row]:
    theirs = Counter(map(_identity, other.rows))
    rows = []
    for row in one.rows:
        identity = _identity(row)
        if theirs[identity]:
            theirs[identity] -= 1
        else:
            rows.append(row)
    return rows


def _paired(removed: list[Row], added: list[Row]) -> list[Change]:
    """Pair what stands at the same path in both; the rest came or went."""
    gone = {(row.origin, row.label): row for row in removed}
    changes = []
    for row in added:
        was = gone.pop((row.origin, row.label), None)
        if was is not None and was.kind != row.kind:  # moved between kinds: both sides count
            gone[row.origin, row.label] = was
            was = None
        before = was.tokens if was else 0
        changes.append(Change(row.kind, row.origin, row.label, before, row.tokens))
    changes += [Change(r.kind, r.origin, r.label, r.tokens, 0) for r in gone.values()]
    return changes


def main(arguments: list[str]) -> int:
    """Print what changed from the first request to the second."""
    options = parser("diff", "What changed between two requests, in tokens, by segment.")
    options.add_argument("before", metavar="A.json")
    options.add_argument("after", metavar="B.json")
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args(arguments)
    compiler = Compiler(chosen)
    found = diff(compiler.budget(chosen.before), compiler.budget(chosen.after))
    if chosen.json:
        sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
    else:
        _show(found, Console())
    return 0


def _show(found: Diff, console: Console) -> None:
    table = Table.grid(padding=(0, 2))
    for change in found.changes:
        delta = change.tokens_after - change.tokens_before
        style = "red" if delta > 0 else "green"
        segment = f"{change.origin} {change.label}"
        table.add_row(Text(f"{delta:+,}", style, justify="right"), change.kind, Text(segment))
    console.print(table)
    total = found.total_after - found.total_before
    console.print(
        f"total {found.total_before:,} to {found.total_after:,} ({total:+,}) · "
        f"free {found.free_before:,} to {found.free_after:,} · "
        f"compaction eligible {_yes(found.eligible_before)} to {_yes(found.eligible_after)}",
        highlight=False,
    )


def _yes(value: bool) -> str:  # noqa: FBT001 - a word for a value
    return "yes" if value else "no"
