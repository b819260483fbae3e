"""One exact account of the request that is really sent: see `compile_outbound_request_budget`."""

from priced_context.budget.billed import BilledCounter
from priced_context.budget.cache import CountCache
from priced_context.budget.counters import ConservativeCounter, Counter, TiktokenCounter
from priced_context.budget.endpoint import EndpointCounter
from priced_context.budget.faults import BudgetError
from priced_context.budget.ledger import (
    OutboundRequestBudget,
    Policy,
    Row,
    compile_outbound_request_budget,
)
from priced_context.budget.request import Request, Segment, assemble, disassemble
from priced_context.budget.rules import Rule

__all__ = [
    "BilledCounter",
    "BudgetError",
    "ConservativeCounter",
    "CountCache",
    "Counter",
    "EndpointCounter",
    "OutboundRequestBudget",
    "Policy",
    "Request",
    "Row",
    "Rule",
    "Segment",
    "TiktokenCounter",
    "assemble",
    "compile_outbound_request_budget",
    "disassemble",
]
