"""`ctx calibrate`: what the user's own bills say of our prices, written for the hook to use."""

import argparse
import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from priced_context.accuracy import Accuracy, accuracy_of
from priced_context.console import Trouble, say_all
from priced_context.factors import ANY, HIGHEST, LOWEST, base_model
from priced_context.files import read_small, replace
from priced_context.folders import make_private, state_folder
from priced_context.replay import add_paths, once_each, replayed, session_logs
from priced_context.replayer import PricedTurn

FEWEST_READS = 20
"""Bills of reads that a factor rests on."""
SMALLEST_BILL = 300
"""Tokens; below it what the log does not show weighs more than the text."""
HELD_OUT = 3
"""Every third turn checks the factor that the other two made."""


class Calibration(msgspec.Struct, frozen=True):
    """What the bills of one model and kind of file say."""

    model: str
    kind: str
    """A suffix, or `factors.ANY`."""
    factor: float
    reads: int
    before: Accuracy
    """Of the held-out turns without it; a kind's are compared under the factor for all kinds."""
    after: Accuracy

    @property
    def is_better(self) -> bool:
        """The held-out median fell, and nothing else got worse."""
        before, after = self.before, self.after
        return (
            (after["median"] or 0) < (before["median"] or 0)
            and (after["p95"] or 0) <= (before["p95"] or 0)
            and (after["exact_bucket"] or 0) >= (before["exact_bucket"] or 0)
            and (after["off_by_two"] or 0) <= (before["off_by_two"] or 0)
        )


def main(arguments: list[str]) -> int:
    """Calibrate from past sessions; 1 where one of the paths could not be read."""
    parser = argparse.ArgumentParser(
        "ctx calibrate",
        description="Correct prices by the bills in past sessions: a factor for each model, and for"
        " each kind of file with bills enough. A factor that makes held-out prices worse is not"
        " written.",
    )
    add_paths(parser)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--dry-run", action="store_true", help="show the factors, write nothing")
    parser.add_argument("--forget", action="store_true", help="remove every factor")
    options = parser.parse_args(arguments)

    place = state_folder() / "factors"
    if options.forget:
        place.unlink(missing_ok=True)
        print("prices are no longer calibrated")
        return 0
    troubles: list[Trouble] = []
    turns = turns_under(options.paths, troubles)
    found = calibrations(turns)
    if found and not options.dry_run:
        make_private(place.parent)
        replace(str(place), merged(read_small(str(place)), found))
    if options.json:
        print(json.dumps([summary(calibration) for calibration in found], indent=1))
    elif found:
        from priced_context.tables import print_calibrations

        print_calibrations([summary(calibration) for calibration in found])
    elif turns or not troubles:
        print(f"no model has the bills of {FEWEST_READS} reads yet, so nothing is calibrated")
    return say_all(troubles)


def turns_under(paths: Sequence[Path], troubles: list[Trouble]) -> list[PricedTurn]:
    """Return the billed turns of the sessions, priced as if nothing had been calibrated."""
    logs = session_logs(paths, troubles)
    with tempfile.TemporaryDirectory(prefix="ctx-calibrate-") as no_factors:
        return once_each(list(replayed(logs, no_factors, troubles)))


def calibrations(turns: Iterable[PricedTurn]) -> list[Calibration]:
    """Return what the bills of every model, and every kind of its files, say."""
    groups: dict[tuple[str, str], list[PricedTurn]] = {}
    for turn in turns:
        if turn.bill_tokens < SMALLEST_BILL or turn.content_tokens <= 0:
            continue
        model = base_model(turn.model)
        groups.setdefault((model, ANY), []).append(turn)
        if len(set(turn.kinds)) == 1:
            groups.setdefault((model, turn.kinds[0]), []).append(turn)
    found: list[Calibration] = []
    base: dict[str, float] = {}  # by model: what prices its files without a factor of their own
    for model, kind in sorted(groups, key=lambda group: (group[0], group[1] != ANY, group[1])):
        entry = calibration(model, kind, groups[model, kind], base.get(model, 1.0))
        if entry is not None:
            found.append(entry)
            if kind == ANY and entry.is_better:
                base[model] = entry.factor
    return found


def calibration(
    model: str, kind: str, turns: Sequence[PricedTurn], base: float
) -> Calibration | None:
    """Return the factor of these turns and its effect on those held out; None: too few bills.

    *base* is the factor that they would be priced with instead.
    """
    fitted = [turn for n, turn in enumerate(turns) if n % HELD_OUT]
    held_out = turns[::HELD_OUT]
    reads = sum(len(turn.kinds) for turn in fitted)
    if reads < FEWEST_READS:
        return None
    factor = round(min(max(median(wanted(turn) for turn in fitted), LOWEST), HIGHEST), 4)
    return Calibration(
        model,
        kind,
        factor,
        reads,
        accuracy_of([(corrected(turn, base), turn.bill_tokens) for turn in held_out]),
        accuracy_of([(corrected(turn, factor), turn.bill_tokens) for turn in held_out]),
    )


def wanted(turn: PricedTurn) -> float:
    """Return the factor that would have priced this turn right."""
    return 1 + (turn.bill_tokens - turn.price_tokens) / turn.content_tokens


def corrected(turn: PricedTurn, factor: float) -> float:
    return turn.price_tokens + (factor - 1) * turn.content_tokens


def merged(present: bytes, found: Sequence[Calibration]) -> bytes:
    """Return the state file with what was found in the place of older factors."""
    rows = {}
    for line in present.decode("utf-8", "replace").splitlines():
        model, _, rest = line.partition("\t")
        kind, _, factor = rest.partition("\t")
        rows[model, kind] = factor
    for entry in found:
        rows.pop((entry.model, entry.kind), None)
        if entry.is_better:
            rows[entry.model, entry.kind] = f"{entry.factor:g}"
    return "".join(
        f"{model}\t{kind}\t{factor}\n" for (model, kind), factor in rows.items()
    ).encode()


def summary(entry: Calibration) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(entry)
    return fields | {"is_better": entry.is_better}
