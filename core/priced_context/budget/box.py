"""The ledger as a box for a terminal, wide or narrow, with colour or without."""

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from priced_context.budget.content import (
    AUTHORITY,
    EVIDENCE,
    HISTORY,
    KINDS,
    STABLE_SYSTEM,
    TOOL_SCHEMA,
    WORKING_SET,
)
from priced_context.budget.ledger import OutboundRequestBudget, Row
from priced_context.budget.words import decision, percent

_NAMES = {
    STABLE_SYSTEM: ("stable system", "cyan"),
    TOOL_SCHEMA: ("tool schema", "blue"),
    AUTHORITY: ("authority", "magenta"),
    WORKING_SET: ("task, working set", "green"),
    EVIDENCE: ("evidence", "yellow"),
    HISTORY: ("history", "white"),
}
_NARROW = 64
"""Below so many columns there is no room for bars."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def render(
    budget: OutboundRequestBudget,
    console: Console,
    segments: int = 3,
    rows: Sequence[tuple[str, int]] = (),
    notes: Sequence[str] = (),
) -> RenderableType:
    """Return the box for *console*; *segments* is how many of each kind stand under its row.

    *rows* are further names and tokens below the free ones, *notes* further lines at its foot.
    """
    account = budget.account
    is_wide = console.width >= _NARROW
    bar_columns = min(40, console.width - 52) if is_wide else 0
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(overflow="ellipsis", no_wrap=True, ratio=1)
    if bar_columns:
        table.add_column(width=bar_columns)
    table.add_column(justify="right")
    table.add_column(justify="right")

    def line(name: str, tokens: int, share: float, style: str = "", *, barred: bool = True) -> None:
        cells = [Text(name, style)]
        if bar_columns:
            drawn = _bar(share, bar_columns, console) if barred else ""
            cells.append(Text(drawn, style))
        table.add_row(*cells, Text(f"{tokens:,}", style), Text(percent(share), style))

    window = budget.model_context_tokens
    for kind in KINDS:
        of_kind = [row for row in budget.rows if row.kind == kind]
        tokens = sum(row.tokens for row in of_kind)
        name, style = _NAMES[kind]
        line(name, tokens, tokens / window, style)
        for row in _largest(of_kind, segments):
            line(
                f"  {row.origin} {row.label}", row.tokens, row.tokens / window, "dim", barred=False
            )
    for name, tokens in (
        ("total input", budget.total_input_tokens),
        ("output reservation", budget.output_reservation_tokens),
        ("safety margin", budget.safety_margin_tokens),
        ("projected total", budget.projected_total_tokens),
        ("free", budget.free_tokens),
    ):
        line(name, tokens, tokens / window, "bold" if name in ("total input", "free") else "")
    for name, tokens in rows:
        line(name, tokens, tokens / window)
    model = account.request.shape.model or "model not named"
    title = f"{model} · {account.request.shape.api} · window {window:,}"
    return Panel(Group(table, _footer(budget, notes)), title=Text(title), title_align="left")


def _largest(rows: list[Row], count: int) -> list[Row]:
    """Return the *count* largest of several rows; one row alone says no more than its kind."""
    if len(rows) < 2:
        return []
    return sorted((row for row in rows if row.tokens), key=lambda row: -row.tokens)[:count]


def _bar(share: float, columns: int, console: Console) -> str:
    eighths = round(max(0.0, min(1.0, share)) * columns * 8)
    if not console.encoding.startswith("utf"):
        return "#" * round(eighths / 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")


def _footer(budget: OutboundRequestBudget, notes: Sequence[str]) -> Text:
    account = budget.account
    style = "bold yellow" if budget.compaction_eligible else "bold green"
    lines = Text("\n")
    lines.append(decision(budget), style)
    for note in notes:
        lines.append(f"\n{note}")
    lines.append(f"\nfingerprint {budget.request_fingerprint}")
    lines.append(f"\ncounted by {account.count.counter}: {account.count.exactness}")
    for row in budget.rows:
        if row.note:
            lines.append(f"\n{row.origin}: {row.note}", "yellow")
    return lines
