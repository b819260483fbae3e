"""What the verbs `budget`, `dump` and `diff` share: their options, their counter, their input."""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from priced_context.budget.adapters import NAMES
from priced_context.budget.billed import BilledCounter
from priced_context.budget.cache import CountCache
from priced_context.budget.counters import ConservativeCounter, Counter, TiktokenCounter
from priced_context.budget.endpoint import EndpointCounter
from priced_context.budget.faults import BudgetError
from priced_context.budget.ledger import (
    OutboundRequestBudget,
    Policy,
    compile_outbound_request_budget,
)
from priced_context.budget.request import disassemble
from priced_context.budget.rules import Rule
from priced_context.budget.session import find_session, live
from priced_context.console import Trouble, say
from priced_context.folders import state_folder


def parser(verb: str, what: str) -> argparse.ArgumentParser:
    """Return the parser of one verb with the options that bear on the ledger itself."""
    options = argparse.ArgumentParser(prog=f"ctx {verb}", description=what)
    options.add_argument("--api", choices=NAMES, default="", help="default: told by the request")
    options.add_argument("--model", default="", help="counts instead of the request's own")
    options.add_argument("--model-context", type=int, metavar="N", help="the window in tokens")
    options.add_argument("--reserve", type=int, metavar="N", help="tokens kept for the answer")
    options.add_argument("--margin", type=int, metavar="N", help="safety margin in tokens")
    options.add_argument("--rules", type=Path, metavar="FILE", help="JSON array of kind rules")
    who = options.add_mutually_exclusive_group()
    who.add_argument("--conservative", action="store_true", help="the byte model, from above")
    who.add_argument("--endpoint", action="store_true", help="ask the API (network, key from env)")
    who.add_argument(
        "--billed",
        nargs=2,
        metavar=("PREVIOUS.json", "TOKENS"),
        help="the previous request and the input tokens billed for it",
    )
    return options


def add_sources(options: argparse.ArgumentParser) -> None:
    """Add what names the requests: files, or the session that runs."""
    options.add_argument("requests", nargs="*", metavar="REQUEST.json", help="- is stdin")
    options.add_argument(
        "--session",
        nargs="?",
        const="",
        metavar="ID",
        help="a live session's next request: its id, SESSION.AGENT for a subagent, or this one",
    )


def policy_of(options: argparse.Namespace) -> Policy:
    """Return the policy that the options spell; raises Trouble at a bad rules file."""
    return Policy(
        api=options.api,
        model=options.model,
        model_context_tokens=options.model_context,
        output_reservation_tokens=options.reserve,
        safety_margin_tokens=options.margin,
        rules=_rules(options.rules),
    )


def _rules(file: Path | None) -> tuple[Rule, ...]:
    if file is None:
        return ()
    try:
        return msgspec.json.decode(file.read_bytes(), type=tuple[Rule, ...])
    except (OSError, msgspec.MsgspecError) as error:
        raise Trouble(f"{file}: {error}") from error


def read_request(name: str) -> bytes:
    """Return the bytes of the file *name*, of standard input where it is `-`."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise Trouble(f"{name}: {os.strerror(error.errno or 0)}") from error


class Compiler:
    """Compiles the requests of one invocation; counts are kept in the state folder."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.policy = policy_of(options)
        self.cache = CountCache(counts_folder())
        self.counter = _counter(options, self.cache)

    def budgets(
        self, options: argparse.Namespace, troubles: list[Trouble]
    ) -> Iterator[OutboundRequestBudget]:
        """Yield the ledger of each request that the options name.

        A file that cannot be read goes to *troubles*; the others are compiled all the same.

        Raises:
            Trouble: they name none; or a session and what its log already says.
        """
        if bool(options.requests) == (options.session is not None):
            raise Trouble("name either REQUEST.json files (- is stdin) or --session")
        if options.session is not None:
            _check_session(options)
            yield live(find_session(options.session), str(state_folder())).budget
        for name in options.requests:
            try:
                yield self.budget(name)
            except Trouble as trouble:
                troubles.append(trouble)

    def budget(self, name: str) -> OutboundRequestBudget:
        """Return the ledger of the request in file *name*; raises Trouble that names the file."""
        body = read_request(name)
        try:
            budget = compile_outbound_request_budget(body, counter=self.counter, policy=self.policy)
        except BudgetError as error:
            raise Trouble(f"{name}: {error}") from error
        if isinstance(self.counter, EndpointCounter) and self.counter.silence:
            say(f"{name}: {self.counter.silence}; estimated instead")
        self.cache.save()
        return budget


def _check_session(options: argparse.Namespace) -> None:
    given = [
        f"--{name.replace('_', '-')}"
        for name in _OF_A_REQUEST
        if (value := getattr(options, name)) is not None and value is not False and value != ""
    ]
    if given:
        raise Trouble(
            f"--session goes without {', '.join(given)}: window, model, reservation and total are"
            " those of the session"
        )


_OF_A_REQUEST = (
    *("api", "model", "model_context", "reserve", "margin", "rules"),
    *("conservative", "endpoint", "billed"),
)


def _counter(options: argparse.Namespace, cache: CountCache) -> Counter:
    """Return who counts; raises Trouble where the billed request cannot be read."""
    if options.conservative:
        return ConservativeCounter(cache)
    if options.endpoint:
        return EndpointCounter(cache)
    if options.billed:
        name, tokens = options.billed
        if not tokens.isdecimal():
            raise Trouble(f"--billed {name} {tokens}: the tokens must be a whole number")
        policy = policy_of(options)
        try:
            previous = disassemble(read_request(name), api=policy.api, model=policy.model)
        except BudgetError as error:
            raise Trouble(f"{name}: {error}") from error
        return BilledCounter(previous, int(tokens), TiktokenCounter(cache))
    return TiktokenCounter(cache)


def counts_folder() -> Path:
    """Return where counts are kept between invocations."""
    return state_folder() / "counts"
