"""`ctx budget`: the ledger of each request, as the box on a terminal, as JSON in a pipe."""

import sys

import msgspec

from priced_context.budget.options import Compiler, parser


def main(arguments: list[str]) -> int:
    """Print one ledger a file; exit code 0 also where the request may be compacted."""
    options = parser("budget", "What a request costs, segment by segment, and what it leaves.")
    options.add_argument("requests", nargs="+", metavar="REQUEST.json", help="- is stdin")
    options.add_argument("--json", action="store_true", help="the contract's JSON, a line a file")
    chosen = options.parse_args(arguments)
    compiler = Compiler(chosen)
    for name in chosen.requests:
        budget = compiler.budget(name)
        if chosen.json:
            sys.stdout.buffer.write(msgspec.json.encode(budget) + b"\n")
    return 0
