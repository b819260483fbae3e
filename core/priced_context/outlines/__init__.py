"""Priced outlines: the symbols of code, the headings of prose, the keys and columns of data.

    outline_of(path) → Outline        every symbol, with its lines, its price and its handle
    menu(outline, budget) → str       what of it fits

Languages stand in `languages`, a module a family beside it; whatever has no grammar falls to
`patterns`.
"""

from priced_context.outlines.menu import menu
from priced_context.outlines.outline import outline_of, within, within_lines
from priced_context.outlines.records import Outline, Symbol, fine_label
from priced_context.outlines.source import NotText

__all__ = [
    "NotText",
    "Outline",
    "Symbol",
    "fine_label",
    "menu",
    "outline_of",
    "within",
    "within_lines",
]
