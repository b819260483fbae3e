"""The replay as one HTML page: no script, no network, light and dark, readable on a phone.

Lines are SVG stretched over the chart's box; dots and words are HTML on top of it, so that they
keep their size at any width.
"""

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import PurePosixPath
from typing import Any

from priced_context.prices import LABELS, bucket_of
from priced_context.records import REWRITE
from priced_context.replayer import Refusal, Replay
from priced_context.wording import counted

MOST_SESSIONS = 30
"""The page shows so many, those that read the most."""
LARGEST_DOT = 30
"""Pixels, for the largest read of a session."""


def page_of(replays: Sequence[Replay], summary: dict[str, Any]) -> str:
    """Return the whole page for `replay.summary_of` these sessions."""
    by_tokens = sorted(replays, key=lambda replay: -sum(read.tokens for read in replay.reads))
    shown = by_tokens[:MOST_SESSIONS]
    left_out = len(replays) - len(shown)
    return "\n".join(
        [
            HEAD,
            "<header><h1>What the guard would have done</h1>",
            f"<p>{_counted(replays, summary)}</p></header><main>",
            _windows(summary),
            _errors(summary),
            *(_session(replay) for replay in shown),
            f"<p class=note>Not shown: {counted(left_out, 'smaller session')}.</p>"
            if left_out
            else "",
            _files(summary["files"]),
            NOTES,
            "</main></body></html>",
            "",
        ]
    )


def _counted(replays: Sequence[Replay], summary: dict[str, Any]) -> str:
    reads = sum(len(replay.reads) for replay in replays)
    tokens = summary["windows"]["own"]["read_tokens"]
    sessions = counted(len(replays), "session")
    return f"{sessions}, {counted(reads, 'read')} of files, {counted(tokens, 'token')}."


def _windows(summary: dict[str, Any]) -> str:
    tiles = []
    for name, row in summary["windows"].items():
        title = "in the session's own window" if name == "own" else f"in a window of {name}"
        share = 100 * row["kept_out_tokens"] / row["read_tokens"] if row["read_tokens"] else 0
        tiles.append(
            f"<div class=tile><h3>{title}</h3><p class=big>{row['kept_out_tokens']:,}</p>"
            f"<p>tokens kept out at most, net: {share:.0f}% of all read</p>{_meter(share)}"
            "<dl>"
            f"<dt>refused once<dd>{row['refused']:,}<dt>cut<dd>{row['rewritten']:,}"
            f"<dt>held back<dd>{row['refused_tokens']:,}"
            f"<dt>paid anyway<dd>{-row['paid_anyway_tokens']:,}"
            f"<dt>shown all the same<dd>{-row['still_shown_tokens']:,}"
            f"<dt>our own text<dd>{-row['own_tokens']:,}</dl></div>"
        )
    return f"<section class=tiles>{''.join(tiles)}</section>"


def _errors(summary: dict[str, Any]) -> str:
    error = summary["price_error"]
    if not error["n"]:
        return "<p class=note>No turn was billed for reads alone, so no price can be checked.</p>"
    rows = {"all turns": error, "bills of 707 tokens or more": error["over_707"]}
    rows |= summary["by_model"]
    cells = "".join(
        f"<tr><th scope=row>{escape(name)}<td>{row['n']:,}<td>{row['exact_bucket']:.1%}"
        f"<td>{row['bytes4_exact_bucket']:.1%}<td>{row['median']:.1%}<td>{row['p95']:.1%}"
        for name, row in rows.items()
        if row["n"]
    )
    return (
        "<section><h2>Prices against the bill</h2><div class=wide><table><tr><th>"
        "<th>turns<th>right bucket<th>bytes/4<th>median<th>p95"
        f"{cells}</table></div></section>"
    )


def _session(replay: Replay) -> str:
    name = replay.session_id or PurePosixPath(replay.path).stem
    models = ", ".join(replay.models) or "no response"
    refusals = replay.refusals["own"]
    return (
        f"<section class=card><h2>{escape(name)}</h2>"
        f"<p class=note>{escape(models)}; {counted(len(replay.used_tokens), 'response')},"
        f" {counted(len(replay.reads), 'read')}, {len(refusals):,} held back</p>"
        f"{_chart(replay)}{_refusals(refusals)}</section>"
    )


def _chart(replay: Replay) -> str:
    used = replay.used_tokens
    if len(used) < 2:
        return "<p class=note>Too short for a picture.</p>"
    ceiling = max(replay.window_tokens or 0, *used)
    points = [
        (1000 * n / (len(used) - 1), 1000 - 1000 * tokens / ceiling)
        for n, tokens in enumerate(used)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    compactions = "".join(
        f'<path class=compaction d="M{points[n][0]:.1f} 0V1000"/>'
        for n in replay.compacted_responses
    )
    levels = "".join(
        f'<span class=level style="top:{100 - percent}%">{_short(ceiling * percent // 100)}</span>'
        for percent in (25, 50, 75, 100)
    )
    return (
        '<figure><div class=chart role=img aria-label="The window filling over the session">'
        '<svg viewBox="0 0 1000 1000" preserveAspectRatio=none aria-hidden=true>'
        '<path class=grid d="M0 0H1000M0 250H1000M0 500H1000M0 750H1000"/>'
        f'<polygon class=fill points="0,1000 {line} 1000,1000"/>'
        f'<polyline class=used points="{line}"/>{compactions}</svg>{levels}'
        f"{''.join(_dots(replay, points))}</div>"
        "<figcaption><span class=key><i class=read></i>read</span>"
        "<span class=key><i class=refused></i>refused or cut</span>"
        "<span class=key><i class=mark></i>compaction</span>"
        f"<span>{counted(len(used), 'response')} →</span></figcaption></figure>"
    )


def _dots(replay: Replay, points: Sequence[tuple[float, float]]) -> Iterable[str]:
    refused = {
        (refusal.response, refusal.path)
        for refusal in replay.refusals["own"]
        if not refusal.agent_id
    }
    reads = [read for read in replay.reads if not read.agent_id and read.tokens]
    largest = max((read.tokens for read in reads), default=1)
    for read in sorted(reads, key=lambda read: -read.tokens):  # small ones on top
        x, y = points[read.response]
        size = max(6, LARGEST_DOT * (read.tokens / largest) ** 0.5)
        kind = "refused" if (read.response, read.path) in refused else "read"
        yield (
            f'<i class="dot {kind}" title="{escape(read.path)}: {read.tokens:,} tokens"'
            f' style="left:{x / 10:.2f}%;top:{y / 10:.2f}%;width:{size:.0f}px"></i>'
        )


def _refusals(refusals: Sequence[Refusal]) -> str:
    if not refusals:
        return "<p class=note>Nothing to refuse: every read was within its budget.</p>"
    rows = "".join(
        f"<tr><th scope=row>{escape(refusal.path)}<td>{LABELS[bucket_of(refusal.read_tokens)]}"
        f"<td>{'cut' if refusal.action == REWRITE else 'refused'}"
        f"<td>{'paid anyway' if refusal.paid_anyway else 'kept out'}"
        f"<td>{refusal.kept_out_tokens:,}"
        for refusal in refusals
    )
    return (
        "<details><summary>What was held back</summary><div class=wide><table>"
        "<tr><th>file<th>tokens<th>answer<th>then<th>net</tr>"
        f"{rows}</table></div></details>"
    )


def _files(files: Sequence[dict[str, Any]]) -> str:
    if not files:
        return ""
    most = files[0]["tokens"] or 1
    rows = "".join(
        f"<li><span class=path>{escape(row['path'])}</span>"
        f"<span class=number>{row['tokens']:,} tokens in {counted(row['reads'], 'read')}</span>"
        f"{_meter(100 * row['tokens'] / most)}</li>"
        for row in files
    )
    return f"<section><h2>The costliest files</h2><ol class=files>{rows}</ol></section>"


def _meter(percent: float) -> str:
    return f'<div class=meter><b style="width:{min(max(percent, 0), 100):.1f}%"></b></div>'


def _short(tokens: int) -> str:
    return f"{tokens / 1e6:g}M" if tokens >= 1_000_000 else f"{tokens / 1000:.0f}k"


HEAD = """\
<!doctype html>
<html lang=en><head><meta charset=utf-8>
<meta name=viewport content="width=device-width,initial-scale=1">
<meta http-equiv=Content-Security-Policy content="default-src 'none'; style-src 'unsafe-inline'">
<title>Priced context: replay</title>
<style>
:root{color-scheme:light dark;--paper:#fbfaf7;--card:#fff;--ink:#1d2126;--soft:#5d6670;
--line:#dcdfe3;--blue:#2f6fb0;--wash:#2f6fb022;--red:#c3412f}
@media(prefers-color-scheme:dark){:root{--paper:#14171b;--card:#1c2026;--ink:#e8eaed;
--soft:#9aa3ad;--line:#343a42;--blue:#74aee8;--wash:#74aee826;--red:#f0796a}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
header,main{max-width:60rem;margin:auto;padding:0 1rem}
h1{font-size:1.6rem;line-height:1.2;margin:2rem 0 .25rem}
h2{font-size:1.15rem;margin:0 0 .25rem;overflow-wrap:anywhere}
h3{font-size:.9rem;font-weight:600;color:var(--soft);margin:0}
p{margin:.25rem 0}
section{margin:2rem 0}
.note{color:var(--soft);font-size:.9rem;overflow-wrap:anywhere}
.tiles{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr))}
.tile,.card{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:1rem}
.big{font-size:2rem;font-weight:650;line-height:1.2;font-variant-numeric:tabular-nums}
dl{display:grid;grid-template-columns:1fr auto;gap:.1rem 1rem;margin:.75rem 0 0;font-size:.9rem}
dt{color:var(--soft)}dd{margin:0;text-align:right;font-variant-numeric:tabular-nums}
.meter{height:.45rem;border-radius:.25rem;background:var(--line);overflow:hidden;margin:.3rem 0}
.meter b{display:block;height:100%;background:var(--blue)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .6rem .3rem 0;text-align:right;border-bottom:1px solid var(--line)}
th{font-weight:600}
tr>:first-child{text-align:left;overflow-wrap:anywhere;min-width:9rem;font-weight:400}
figure{margin:1rem 0 .5rem}
.chart{position:relative;height:15rem;margin:1rem 0 .5rem}
.chart svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.chart path,.chart polyline{fill:none;vector-effect:non-scaling-stroke}
.grid{stroke:var(--line)}.fill{fill:var(--wash)}
.used{stroke:var(--blue);stroke-width:2}
.compaction{stroke:var(--soft);stroke-dasharray:4 4}
.level{position:absolute;right:0;padding-left:.3rem;background:var(--card);font-size:.75rem;color:var(--soft);line-height:1.2}
.dot{position:absolute;aspect-ratio:1;border-radius:50%;transform:translate(-50%,-50%)}
.read{background:var(--blue);opacity:.65}.refused{background:var(--red);opacity:.85}
@media(max-width:30rem){th,td{padding-right:.3rem;font-size:.8rem}
tr>:first-child{min-width:6rem}}
figcaption{display:flex;flex-wrap:wrap;gap:.25rem 1rem;font-size:.8rem;color:var(--soft)}
.key i{display:inline-block;width:.7rem;height:.7rem;border-radius:50%;margin-right:.35rem}
.key .mark{border-radius:0;width:0;border-left:2px dashed var(--soft);vertical-align:-.1rem}
summary{cursor:pointer;padding:.5rem 0}
.files{padding:0;list-style:none}
.files li{margin:.6rem 0}.path{overflow-wrap:anywhere}
.number{color:var(--soft);font-size:.9rem;margin-left:.6rem;white-space:nowrap}
</style></head><body>"""

NOTES = """\
<section class=note><h2>How to read this</h2>
<p>A file is refused once for each price; the same call again would have passed. “Paid anyway”
counts every held-back read whose file was read again or edited before the next compaction, so it
is debited in full. “Kept out” is what is left, less our own text; the menus and ranges that the
agent would have bought instead are not known, so it is an upper bound.</p>
<p>“Right bucket” is the share of turns whose bill lay in the price's quoted bucket. A bill is the
growth of the next request, less what the model itself said.</p></section>"""
