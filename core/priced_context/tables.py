"""Tables with bars, for a terminal."""

from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from priced_context.wording import counted

BAR_CELLS = 20
LONGEST_PATH = 40


def print_replay(summary: dict[str, Any]) -> None:
    """Print what `ctx replay` found."""
    console = Console()
    sessions = summary["sessions"]
    windows = summary["windows"]
    read_tokens = windows["own"]["read_tokens"]
    reads = sum(session["reads"] for session in sessions)
    console.print(
        f"{counted(len(sessions), 'session')}, {counted(reads, 'priced read')},"
        f" {read_tokens:,} tokens read"
    )
    table = _table("window", "refused", "cut", "held back", "paid anyway", "our text", "net")
    table.add_column("of all read", no_wrap=True)
    for name, row in windows.items():
        counts = [row["refused"], row["rewritten"], row["refused_tokens"]]
        counts += [row["paid_anyway_tokens"], row["own_tokens"], row["kept_out_tokens"]]
        share = bar(row["kept_out_tokens"], read_tokens, cells=10)
        table.add_row(name, *(f"{count:,}" for count in counts), share)
    console.print(table)
    console.print("net: kept out at most; what the agent would have bought instead is not known")
    _print_errors(console, summary)
    files = summary["files"][:10]
    if files:
        table = _table("costliest files", "reads", "tokens")
        table.add_column("")
        for row in files:
            table.add_row(
                _end_of(row["path"]),
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


def _end_of(path: str) -> str:
    return path if len(path) <= LONGEST_PATH else "…" + path[1 - LONGEST_PATH :]


def bar(value: float, whole: float, cells: int = BAR_CELLS) -> str:
    """Return a bar of at most so many cells, with its share in words."""
    share = value / whole if whole else 0.0
    eighths = round(cells * 8 * min(max(share, 0.0), 1.0))
    blocks = "█" * (eighths // 8) + ("", *"▏▎▍▌▋▊▉")[eighths % 8]
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
        f" {summary['bounded']:,} bounded, {summary['observed']:,} observed,"
        f" by {counted(summary['sessions'], 'agent')}"
    )
    table = _table("what followed", "times")
    table.add_column("")
    table.add_column("net tokens", justify="right")
    times = sum(row["n"] for row in summary["outcomes"].values())
    for outcome, row in summary["outcomes"].items():
        if row["n"]:
            table.add_row(outcome, f"{row['n']:,}", bar(row["n"], times), f"{row['net_tokens']:,}")
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
