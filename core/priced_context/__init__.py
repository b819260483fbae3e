"""Priced context: a token price on every file read, before a coding agent pays it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.budget import (
        BudgetError,
        OutboundRequestBudget,
        compile_outbound_request_budget,
    )

__all__ = ["BudgetError", "OutboundRequestBudget", "compile_outbound_request_budget"]


def __getattr__(name: str) -> object:
    """Load the Python API when it is first asked for: the hooks import this package too."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from priced_context import budget

    return getattr(budget, name)
