"""`ctx budget`: the ledger of each request, as a box or as the contract's JSON."""

import sys

import msgspec

from priced_context.budget.ledger import OutboundRequestBudget
from priced_context.budget.options import Compiler, add_sources, parser
from priced_context.console import Trouble, say_all


def main(arguments: list[str]) -> int:
    """Print one ledger a file; 0 also where the request may be compacted, 1 where one is broken."""
    options = parser("budget", "What a request costs, segment by segment, and what it leaves.")
    add_sources(options)
    options.add_argument("--json", action="store_true", help="the contract's JSON, a line a file")
    options.add_argument(
        "--segments", type=int, default=3, metavar="N", help="the N largest of each kind (3)"
    )
    chosen = options.parse_args(arguments)
    troubles: list[Trouble] = []
    for budget in Compiler(chosen).budgets(chosen, troubles):
        if chosen.json:
            sys.stdout.buffer.write(msgspec.json.encode(budget) + b"\n")
        else:
            show(budget, chosen.segments)
    return say_all(troubles)


def show(budget: OutboundRequestBudget, segments: int) -> None:
    """Print the box; rich takes 60 ms to import, so `--json` goes without."""
    from rich.console import Console

    from priced_context.budget.box import render

    console = Console()
    console.print(render(budget, console, segments))
