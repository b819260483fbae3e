"""`ctx explain`: what the guard would answer to one tool call, and from which numbers."""

import argparse
import json
import os
import sys
import time
from typing import Any

from priced_context.console import Trouble
from priced_context.files import lines_from, resolve
from priced_context.folders import state_folder
from priced_context.gate import Case, is_silenced, verdict_on, weigh
from priced_context.places import project_of, session_folder
from priced_context.policy import BOUND, ENDLESS, budget_of
from priced_context.prices import LABELS, bucket_of, family_of
from priced_context.reads import intake_of_call, is_worth_a_price
from priced_context.records import (
    DUMP,
    FILTERED,
    PASS,
    READ,
    REWRITE,
    UNPRICED,
    Read,
    ToolCall,
    Verdict,
)
from priced_context.settings import OBSERVE, menu_command
from priced_context.wire import decode_call
from priced_context.wording import printable

USAGE = """\
Explain one tool call: a PreToolUse payload on stdin, JSON on stdout. Nothing is remembered.
"""


def main(arguments: list[str]) -> int:
    """Read a payload from stdin and print the explanation."""
    argparse.ArgumentParser("ctx explain", description=USAGE).parse_args(arguments)
    raw = sys.stdin.buffer.read()
    if not raw.strip():
        raise Trouble("stdin is empty: give it a PreToolUse payload (docs/flow.md shows one)")
    try:
        call = decode_call(raw)
    except (ValueError, RecursionError) as error:
        raise Trouble(f"stdin holds no PreToolUse payload: {error}") from error
    print(as_json(explain(call, str(state_folder()))))
    return 0


def as_json(explanation: dict[str, Any]) -> str:
    """Return a line a field, and one a read."""
    fields = []
    for name, value in explanation.items():
        text = json.dumps(value)
        if name == "reads" and value:
            rows = ",\n".join(f"    {json.dumps(read)}" for read in value)
            text = f"[\n{rows}\n  ]"
        fields.append(f'  "{name}": {text}')
    return "{\n" + ",\n".join(fields) + "\n}"


def explain(call: ToolCall, state: str) -> dict[str, Any]:
    """Return kind, priced reads, window, verdict and reason of a call.

    Files that `allow` exempts are named in the note and are no reads here, as for the judge.
    """
    intake = intake_of_call(call, state)
    project = project_of(call)
    case = weigh(call, intake, state, project, time.time_ns() // 1_000_000)
    verdict, silence = Verdict(), silence_on(case, state)
    if not silence:
        verdict = verdict_on(case, menu_command(call, case.settings, state))
        silence = "it fits after all, or has no safe bound" if verdict.action == PASS else ""
    notes = [exemption(intake.reads, case.intake.reads), silence]
    prices = [(price.tokens, price.basis) for price in case.bill.prices]
    if len(prices) == 1:  # the call's caps and its frame are the read's
        prices = [(case.bill.tokens, case.bill.basis)]
    return {
        "kind": intake.kind,
        "reads": [
            described(read, *price) for read, price in zip(case.intake.reads, prices, strict=True)
        ],
        "tokens": case.bill.tokens,
        "model": case.window.model,
        "priced_as": family_of(case.window.model),
        "window": {
            "tokens": case.window.tokens,
            "used": case.window.used_tokens,
            "free": case.window.free_tokens,
            "source": case.window.source,
        },
        "budget": budget_of(case.window, case.settings),
        "verdict": named(case, verdict),
        "reason": verdict.reason,
        "updated_input": verdict.updated_input,
        "note": "; ".join(note for note in notes if note),
    }


def named(case: Case, verdict: Verdict) -> str:
    """Return the verdict's name: a command that is bounded loses nothing that a cut would."""
    is_endless = case.objection is not None and case.objection.reason == ENDLESS
    return BOUND if is_endless and verdict.action == REWRITE else verdict.action


def exemption(asked: list[Read], judged: list[Read]) -> str:
    """Return which of the files asked for the user's settings let through, or ""."""
    exempt = [printable(read.path) for read in asked if read not in judged]
    return f"`allow` exempts {', '.join(exempt)}" if exempt else ""


def silence_on(case: Case, state: str) -> str:
    """Return why the hook would say nothing, for a person; "" where it comes to words.

    These are what `gate.answer` asks before its words.
    """
    if not session_folder(state, case.call.session_id, case.call.agent_id):
        return "no session_id: what cannot be remembered is never refused"
    if is_silenced(case, state):
        return "the guard is switched off"
    if not is_worth_a_price(case.intake):
        return worthless(case)
    if case.objection is None:
        told = any(read.path in case.memory.told_buckets for read in case.intake.reads)
        return "told of it before" if told else "within the budget of one read"
    return 'mode = "observe"' if case.settings.mode == OBSERVE else ""


def worthless(case: Case) -> str:
    """Return why there is nothing to price."""
    if case.intake.kind == FILTERED:
        return "a part of the file at most: never refused on that alone"
    if case.intake.kind == DUMP and not case.intake.reads:
        return "nothing else is read"
    path = case.call.tool_input.get("file_path")
    if case.call.tool == READ and isinstance(path, str):
        resolved = resolve(path, case.call.cwd)
        if not os.path.lexists(resolved):
            return f"no such file: {printable(resolved)}"
    return "nothing here is worth a price"


def described(read: Read, tokens: int, basis: str) -> dict[str, Any]:
    """Return one read as the explanation shows it, ranges from the end counted out."""
    first_line, line_count = read.first_line, read.line_count
    if first_line < 0:
        line_count = -first_line if line_count is None else line_count
        first_line = max(1, line_total(read.path) + 1 + first_line)
    if line_count is not None and line_count < 0:
        line_count = max(0, line_total(read.path) + 1 - first_line + line_count)
    return {
        "path": read.path,
        "first_line": first_line,
        "line_count": line_count,
        "tokens": tokens,
        "bucket": LABELS[bucket_of(tokens)] if basis != UNPRICED else None,
        "basis": basis,
    }


def line_total(path: str) -> int:
    """Return the number of lines as `wc` and a person count them."""
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        is_ended = file.read(1) == b"\n"
    return lines_from(path, 1, 0)[0] + (not is_ended)
