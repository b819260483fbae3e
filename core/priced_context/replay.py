"""`ctx replay`: what the guard would have done in past sessions, and how near its prices were."""

import argparse
import json
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from priced_context.accuracy import Accuracy, accuracy_of, is_over_smallest_bucket
from priced_context.console import NoSession, Trouble, progress, say_all
from priced_context.folders import client_folder, state_folder
from priced_context.page import page_of
from priced_context.records import REWRITE
from priced_context.replayer import WINDOWS, PricedTurn, Refusal, Replay, replay_session
from priced_context.transcript import subagent_logs
from priced_context.wording import shown_name

FILES_SHOWN = 20


def main(arguments: list[str]) -> int:
    """Replay sessions; 1 where one of the paths could not be."""
    parser = argparse.ArgumentParser(
        "ctx replay",
        description="Show what the guard would have done in past sessions, why, and how near its"
        " prices were to the bills.",
    )
    add_paths(parser)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write one self-contained page")
    options = parser.parse_args(arguments)

    troubles: list[Trouble] = []
    logs = session_logs(options.paths, troubles)
    replays = list(replayed(logs, str(state_folder()), troubles))
    if replays:
        summary = summary_of(replays)
        if options.html:
            write(options.html, page_of(replays, summary))
        if options.json:
            print(json.dumps(summary, indent=1))
        else:
            from priced_context.tables import print_replay

            print_replay(summary)
    return say_all(troubles)


def add_paths(parser: argparse.ArgumentParser) -> None:
    """Add what names the sessions, for `session_logs`."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        type=Path,
        help="a session's log, or a folder of logs (default: the client's own)",
    )


def session_logs(paths: Sequence[Path], troubles: list[Trouble]) -> list[Path]:
    """Return the main logs at or under *paths*, each once; what is wrong goes to *troubles*.

    Without paths, those of the client.
    """
    logs: dict[Path, None] = {}
    projects = client_folder() / "projects"
    if not paths and next(projects.rglob("*.jsonl"), None) is None:
        troubles.append(NoSession(projects))
        return []
    for path in paths or [projects]:
        try:
            logs |= dict.fromkeys(log.resolve() for log in _logs_at(path))
        except OSError as error:
            troubles.append(Trouble(f"{shown_name(str(path), '')}: {error.strerror}"))
        except Trouble as trouble:
            troubles.append(trouble)
    parts = {part for log in logs for part in subagent_logs(log)}
    return [log for log in logs if log not in parts]


def _logs_at(path: Path) -> list[Path]:
    """Return the log that *path* is, or the main logs of a folder; no pipe, which never ends.

    Raises:
        OSError: it cannot be looked at.
        Trouble: there is none.
    """
    name = shown_name(str(path), "")
    mode = path.stat().st_mode
    if stat.S_ISREG(mode):
        return [path]
    if not stat.S_ISDIR(mode):
        raise Trouble(f"{name}: neither a file nor a folder")
    logs = [log for log in sorted(path.rglob("*.jsonl")) if log.is_file()]
    logs = [log for log in logs if log.parent.name != "subagents"]
    if not logs:
        raise Trouble(f"{name}: no session log (*.jsonl) is in this folder")
    return logs


def replayed(logs: Sequence[Path], state: str, troubles: list[Trouble]) -> Iterator[Replay]:
    """Replay every log, with a bar on long work; one that cannot be goes to *troubles*."""
    for log in progress(logs, "replaying"):
        try:
            yield replay_session(log, state)
        except Trouble as trouble:
            troubles.append(trouble)
        except OSError as error:
            troubles.append(Trouble(f"{log}: {error.strerror}"))


def summary_of(replays: Sequence[Replay]) -> dict[str, Any]:
    """Return everything that `--json` prints."""
    turns = once_each(replays)
    return {
        "price_error": price_error(turns),
        "by_model": {
            model: price_error([turn for turn in turns if turn.model == model])
            for model in sorted({turn.model for turn in turns})
        },
        "by_kind": {
            kind: price_error([turn for turn in turns if set(turn.kinds) == {kind}])
            for kind in sorted({kind for turn in turns for kind in turn.kinds})
        },
        "windows": {name: account(replays, name) for name in WINDOWS},
        "files": costliest(replays),
        "sessions": [session_summary(replay) for replay in replays],
    }


def once_each(replays: Iterable[Replay]) -> list[PricedTurn]:
    """Return the priced turns; a resumed session repeats those of the one before."""
    turns = {turn.message_id: turn for replay in replays for turn in replay.priced_turns}
    return list(turns.values())


def price_error(turns: Sequence[PricedTurn]) -> dict[str, Any]:
    """Return the accuracy of our prices and of bytes/4, over all turns and over larger bills."""
    larger = [turn for turn in turns if is_over_smallest_bucket(turn.bill_tokens)]
    return both_errors(turns) | {"over_707": both_errors(larger)}


def both_errors(turns: Sequence[PricedTurn]) -> dict[str, Any]:
    ours: Accuracy = accuracy_of([(turn.price_tokens, turn.bill_tokens) for turn in turns])
    bytes4 = accuracy_of([(turn.bytes4_tokens, turn.bill_tokens) for turn in turns])
    return {**ours, "bytes4_exact_bucket": bytes4["exact_bucket"]}


def account(replays: Sequence[Replay], window: str) -> dict[str, int]:
    """Return what the guard would have kept out of this window, and what it would have cost."""
    refusals = [refusal for replay in replays for refusal in replay.refusals[window]]
    return {
        "sessions": sum(1 for replay in replays if replay.refusals[window]),
        "refused": sum(1 for refusal in refusals if refusal.action != REWRITE),
        "rewritten": sum(1 for refusal in refusals if refusal.action == REWRITE),
        "read_tokens": sum(read.tokens for replay in replays for read in replay.reads),
        "refused_tokens": sum(refusal.read_tokens for refusal in refusals),
        "paid_anyway_tokens": sum(
            refusal.read_tokens - refusal.shown_tokens
            for refusal in refusals
            if refusal.paid_anyway
        ),
        "still_shown_tokens": sum(refusal.shown_tokens for refusal in refusals),
        "own_tokens": sum(refusal.own_tokens for refusal in refusals),
        "kept_out_tokens": sum(refusal.kept_out_tokens for refusal in refusals),
    }


def costliest(replays: Sequence[Replay]) -> list[dict[str, Any]]:
    """Return the files that took the most tokens, at most FILES_SHOWN, the first ones first."""
    files: dict[str, list[int]] = {}
    for replay in replays:
        for read in replay.reads:
            files.setdefault(read.path, []).append(read.tokens)
    largest = sorted(files, key=lambda path: -sum(files[path]))[:FILES_SHOWN]
    return [
        {"path": path, "reads": len(files[path]), "tokens": sum(files[path])} for path in largest
    ]


def session_summary(replay: Replay) -> dict[str, Any]:
    return {
        "path": replay.path,
        "session_id": replay.session_id,
        "models": replay.models,
        "window_tokens": replay.window_tokens,
        "responses": len(replay.used_tokens),
        "compactions": len(replay.compacted_responses),
        "reads": len(replay.reads),
        "read_tokens": sum(read.tokens for read in replay.reads),
        "skipped_lines": replay.skipped_lines,
        "windows": {name: account([replay], name) for name in WINDOWS},
        "refusals": [refusal_summary(refusal) for refusal in replay.refusals["own"]],
    }


def refusal_summary(refusal: Refusal) -> dict[str, Any]:
    return {
        "path": refusal.path,
        "agent_id": refusal.agent_id,
        "response": refusal.response,
        "action": refusal.action,
        "read_tokens": refusal.read_tokens,
        "own_tokens": refusal.own_tokens,
        "paid_anyway": refusal.paid_anyway,
        "kept_out_tokens": refusal.kept_out_tokens,
        "reason": refusal.reason,
    }


def write(path: Path, text: str) -> None:
    """Put *text* in the file at once.

    Raises:
        Trouble: it cannot be written.
    """
    scratch = path.with_name(f".{path.name}.new")
    try:
        scratch.write_text(text, "utf-8", "replace")  # a path may hold any bytes
        scratch.replace(path)
    except OSError as error:
        raise Trouble(f"{path}: cannot write the page: {error.strerror}") from error
