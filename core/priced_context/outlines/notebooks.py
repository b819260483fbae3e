"""Jupyter notebooks by cell."""

import json

from priced_context.outlines.data import json_values
from priced_context.outlines.records import Entry, printable

SUFFIXES = frozenset({"ipynb"})


def notebook_entries(data: bytes) -> list[Entry] | None:
    """Return an entry a cell, on the lines of the notebook's own JSON; None: not a notebook."""
    try:
        cells = json.loads(data)["cells"]
        count = len(cells)
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    spans = [
        value
        for value in json_values(data, 3, every_item=True)
        if len(value.path) == 3 and value.path[1] == "cells" and value.kind == "object"
    ]
    if len(spans) != count:
        return None
    entries = []
    line, at = 1, 0
    for number, (cell, span) in enumerate(zip(cells, spans, strict=True), 1):
        line += data.count(b"\n", at, span.start)
        at = span.start
        last_line = line + data.count(b"\n", span.start, span.end)
        kind = str(cell.get("cell_type", "cell"))
        entries.append(Entry(kind, f"cell-{number}", line, last_line, 0, _title(cell)))
    return entries


def _title(cell: dict[str, object]) -> str:
    source = cell.get("source", "")
    text = "".join(map(str, source)) if isinstance(source, list) else str(source)
    title = next((line.strip() for line in text.split("\n") if line.strip()), "")
    title = printable(title)[:48]
    outputs = cell.get("outputs")
    return f"{title}, {len(outputs)} out" if isinstance(outputs, list) and outputs else title
