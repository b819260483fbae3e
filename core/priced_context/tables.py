"""Tables with bars, for a terminal."""

from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

BAR_CELLS = 20


def print_replay(summary: dict[str, Any]) -> None:
    """Print what `ctx replay` found."""
    console = Console()
    sessions = summary["sessions"]
    windows = summary["windows"]
    read_tokens = windows["own"]["read_tokens"]
    console.print(
        f"{len(sessions)} sessions, {sum(session['reads'] for session in sessions)} priced reads,"
        f" {read_tokens:,} tokens read"
    )
    table = _table("window", "refused", "cut", "sessions", "held back", "paid anyway", "our text")
    table.add_column("kept out, net", justify="right")
    table.add_column("of all read")
    for name, row in windows.items():
        table.add_row(
            {"own": "the session's"}.get(name, name),
            *(f"{row[key]:,}" for key in ("refused", "rewritten", "sessions", "refused_tokens")),
            *(f"{row[key]:,}" for key in ("paid_anyway_tokens", "own_tokens", "kept_out_tokens")),
            bar(row["kept_out_tokens"], read_tokens),
        )
    console.print(table)
    _print_errors(console, summary)
    files = summary["files"][:10]
    if files:
        table = _table("costliest files", "reads", "tokens")
        table.add_column("")
        for row in files:
            table.add_row(
                row["path"],
                f"{row['reads']:,}",
                f"{row['tokens']:,}",
                bar(row["tokens"], files[0]["tokens"]),
            )
        console.print(table)


def _print_errors(console: Console, summary: dict[str, Any]) -> None:
    if not summary["price_error"]["n"]:
        console.print("no turn of this log was billed for reads alone, so no price can be checked")
        return
    table = _table("price against the bill", "turns", "right bucket", "bytes/4", "median", "p95")
    rows = {
        "all": summary["price_error"],
        "bills of 707 tokens or more": summary["price_error"]["over_707"],
        **summary["by_model"],
    }
    for name, row in rows.items():
        if row["n"]:
            keys = ("exact_bucket", "bytes4_exact_bucket", "median", "p95")
            table.add_row(name, f"{row['n']:,}", *(f"{row[key]:.1%}" for key in keys))
    console.print(table)


def _table(first: str, *columns: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, overflow="fold")
    for column in columns:
        table.add_column(column, justify="right")
    return table


def bar(value: float, whole: float) -> str:
    """Return a bar of at most `BAR_CELLS` cells, with its share in words."""
    share = value / whole if whole else 0.0
    cells = round(BAR_CELLS * min(max(share, 0.0), 1.0) * 8)
    blocks = "█" * (cells // 8) + ("", *"▏▎▍▌▋▊▉")[cells % 8]
    return f"{blocks} {share:.0%}".strip()


def print_calibrations(rows: list[dict[str, Any]]) -> None:
    """Print what `ctx calibrate` found."""
    console = Console()
    table = _table("model", "files", "factor", "reads", "before", "after")
    table.add_column("")
    for row in rows:
        table.add_row(
            row["model"],
            "all" if row["kind"] == "*" else row["kind"] or "no suffix",
            f"{row['factor']:.3f}",
            f"{row['reads']:,}",
            *(
                f"{row[when]['median']:.1%} / {row[when]['p95']:.1%}"
                for when in ("before", "after")
            ),
            "in use" if row["is_better"] else "not better",
        )
    console.print(table)
    console.print("errors are median / p95 of turns held out; `ctx calibrate --forget` undoes it")


def print_report(summary: dict[str, Any]) -> None:
    """Print what `ctx report` found."""
    console = Console()
    console.print(
        f"{summary['refused']:,} refused, {summary['rewritten']:,} cut,"
        f" {summary['observed']:,} observed, by {summary['sessions']:,} agents"
    )
    table = _table("what followed", "times", "net tokens")
    table.add_column("")
    times = sum(row["n"] for row in summary["outcomes"].values())
    for outcome, row in summary["outcomes"].items():
        if row["n"]:
            table.add_row(outcome, f"{row['n']:,}", f"{row['net_tokens']:,}", bar(row["n"], times))
    console.print(table)
    account = _table("tokens", "")
    account.add_row("quoted", f"{summary['quoted_tokens']:,}")
    account.add_row("shown by cut reads", f"{-summary['shown_tokens']:,}")
    account.add_row("menus and ranges bought", f"{-summary['bought_tokens']:,}")
    account.add_row("paid anyway, or not in a log", f"{-summary['forfeited_tokens']:,}")
    account.add_row("our own text", f"{-summary['own_tokens']:,}")
    account.add_row("kept out, net", f"{summary['net_tokens']:,}")
    console.print(account)
    times = summary["hook_ms"]
    if times["n"]:
        console.print(
            f"our own calls: median {times['median']:.0f} ms, p95 {times['p95']:.0f} ms"
            f" ({times['n']:,} logged by the client)"
        )
