"""A priced outline within a budget: what fits, what was folded, and how to open it.

First the top level, then level by level what lies inside. Where a level does not fit, its dearest
symbols stay, and the runs between them fold into a line each. `count(menu) <= budget`, always.
"""

import shlex

from priced_context.menus import MENU_CEILING, menu_budget, most_menu_tokens
from priced_context.outlines.held import count, weight
from priced_context.outlines.outline import GRAMMAR, SHAPES
from priced_context.outlines.records import Outline, fine_label
from priced_context.prices import CLAUDE_NEWER, LABELS, price_text
from priced_context.wording import counted, shown_name

MANY = 30
"""A file with at most so many top-level symbols shows them all, up to the ceiling."""
FEWEST_SHOWN = 3
"""Opening a symbol for less than this is not worth its line."""
TOP_SHARE = 0.5
"""What the top level may take of a menu that cannot show all of it."""
LONGEST_DETAIL = 60
LONG_LINE_TOKENS = 1_000
"""With so much on an average line, a line is no unit to buy."""


def menu(outline: Outline, budget: int | None = None) -> str:
    """Return the menu of *outline* in at most *budget* tokens, by the conservative count.

    Without a budget: `menu_budget`, raised where the few symbols of the top level would not all
    fit, at most to `most_menu_tokens`.
    """
    page = _Page(outline)
    if budget is None:
        budget = menu_budget(outline.tokens)
        if len(page.tops) <= MANY:
            ceiling = most_menu_tokens(outline.tokens)
            budget = max(budget, min(ceiling, page.cost_of_all_tops()))
    budget = min(budget, MENU_CEILING)
    page.fill(budget)
    text = page.text()
    if count(text) <= budget:
        return text
    brief = f"{shown_name(outline.name, '')} {fine_label(outline.tokens)} tok\n"
    return brief if count(brief) <= budget else ""


class _Page:
    """A menu in the making: which symbols stand on it."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        symbols = outline.symbols
        self.children: dict[int, list[int]] = {}
        """Position of a symbol → those directly inside it; -1: the top."""
        holders: list[int] = []
        base = min((symbol.depth for symbol in symbols), default=0)
        for position, symbol in enumerate(symbols):
            del holders[symbol.depth - base :]
            self.children.setdefault(holders[-1] if holders else -1, []).append(position)
            holders.append(position)
        self.base = base
        self.shown: set[int] = set()
        self.opened: set[int] = set()

    @property
    def tops(self) -> list[int]:
        return self.children.get(-1, [])

    def cost_of_all_tops(self) -> int:
        return int(self._frame() + sum(map(self._cost, self.tops))) + 2

    def _frame(self) -> float:
        return weight(self._head(LABELS[-1]) + self._foot(is_folded=True))

    def fill(self, budget: int) -> None:
        """Open the top, then level by level what lies inside, as far as *budget* goes."""
        left = budget - 1 - self._frame()
        level = [-1] if self.tops else []
        while level:
            costs = [sum(map(self._cost, self.children[holder])) for holder in level]
            is_tight = sum(costs) > left
            unshared = sum(map(self._tokens, level))
            inside: list[int] = []
            for holder, cost in zip(level, costs, strict=True):
                allowed = self._share(holder, unshared) * left if is_tight else left
                unshared -= self._tokens(holder)
                spent, chosen = self._opening(holder, allowed, cost)
                if chosen:
                    left -= spent
                    self.opened.add(holder)
                    self.shown.update(chosen)
                    inside += [child for child in chosen if child in self.children]
            if is_tight and level != [-1]:
                return
            level = sorted(inside, key=lambda child: -self._tokens(child))

    def _share(self, holder: int, unshared: int) -> float:
        """Return a holder's part of a tight level: by its price; half for the top over more."""
        if holder != -1:
            return self._tokens(holder) / unshared
        has_more = len(self.children) > 1
        return TOP_SHARE if has_more and len(self.tops) > MANY else 1.0

    def _tokens(self, position: int) -> int:
        return self.outline.symbols[position].tokens if position >= 0 else 1

    def _cost(self, position: int) -> float:
        return weight(self._line(position))

    def _opening(self, holder: int, allowed: float, total: float) -> tuple[float, list[int]]:
        """Return the cost of showing what lies in *holder*, and which of it fits."""
        children = self.children[holder]
        if total <= allowed:
            return total, children
        depth = self.outline.symbols[children[0]].depth - self.base
        gap = weight(self._gap_line(len(children), 9_999_999, 9_999_999, 10**6, depth))
        spent, chosen = gap, []
        for child in sorted(children, key=lambda child: -self._tokens(child)):
            cost = self._cost(child) + gap
            if spent + cost > allowed:
                break
            spent += cost
            chosen.append(child)
        if len(chosen) < FEWEST_SHOWN and holder != -1:
            return 0.0, []
        return spent, self._without_small_gaps(children, set(chosen))

    def _without_small_gaps(self, children: list[int], chosen: set[int]) -> list[int]:
        """Show what alone stands between two shown: its line costs what the gap's would."""
        kept = [child in chosen for child in children]
        return [
            child
            for place, child in enumerate(children)
            if kept[place]
            or (all(kept[max(0, place - 1) : place]) and all(kept[place + 1 : place + 2]))
        ]

    def text(self) -> str:
        rows, foot = "".join(self._rows(-1)), self._foot(is_folded=self._is_folded())
        tokens = price_text((self._head("") + rows + foot).encode(), CLAUDE_NEWER, "", 0)
        return self._head(fine_label(tokens)) + rows + foot

    def _rows(self, holder: int) -> list[str]:
        rows: list[str] = []
        folded: list[int] = []
        for child in self.children.get(holder, []):
            if child not in self.shown:
                folded.append(child)
                continue
            rows += self._fold(folded)
            folded = []
            rows.append(self._line(child))
            if child in self.opened:
                rows += self._rows(child)
        return rows + self._fold(folded)

    def _fold(self, positions: list[int]) -> list[str]:
        if not positions or not self.shown:
            return []
        run = [self.outline.symbols[position] for position in positions]
        tokens = sum(symbol.tokens for symbol in run)
        depth = run[0].depth - self.base
        return [self._gap_line(len(run), run[0].first_line, run[-1].last_line, tokens, depth)]

    def _gap_line(self, symbols: int, first: int, last: int, tokens: int, depth: int) -> str:
        where = f" {_range(first, last)}" if first else ""
        return f"{' ' * depth}… {symbols} more{where} {fine_label(tokens)}\n"

    def _line(self, position: int) -> str:
        symbol = self.outline.symbols[position]
        words = [symbol.kind, symbol.name]
        if symbol.first_line:
            words.append(_range(symbol.first_line, symbol.last_line))
        words.append(fine_label(symbol.tokens))
        if symbol.detail:
            words.append(f"({_clipped(symbol.detail)})")
        if position not in self.opened and position in self.children:
            words.append(f"+{self._inside(position)}")
        return " " * (symbol.depth - self.base) + " ".join(words) + "\n"

    def _inside(self, position: int) -> int:
        children = self.children.get(position, [])
        return len(children) + sum(self._inside(child) for child in children)

    def _head(self, own_label: str) -> str:
        outline = self.outline
        marked = "" if outline.basis == GRAMMAR else f" (by {outline.basis})"
        lines = counted(outline.lines, "line")
        note = f"{outline.note}\n" if outline.note else ""
        name = shown_name(f"{outline.name}{outline.part}", "")
        price = fine_label(outline.tokens)
        return f"{name} {price} tok, {lines}{marked}; this menu {own_label}\n{note}"

    def _foot(self, *, is_folded: bool) -> str:
        """Return how to buy a line of the menu, and how to open what is folded."""
        outline = self.outline
        name = shown_name(outline.name, "")
        if not outline.symbols and outline.part:
            return f"Nothing inside; ctx get {_word(name + outline.part)} prints it.\n"
        if not outline.symbols:
            return "Nothing to list: Read it with offset/limit, or grep -n first.\n"
        if not any(symbol.first_line for symbol in outline.symbols):
            return f"ctx get {_word(name + ':1-20')} prints rows.\n"
        if outline.basis == SHAPES:
            return f"ctx get {_word(name + ':FIRST-LAST')} prints lines; grep -n finds a shape's.\n"
        if outline.tokens > LONG_LINE_TOKENS * max(1, outline.lines):
            return f"Its lines are long: take a key with jq from {_word(name)}.\n"
        nested = "" if all(s.depth == 0 for s in outline.symbols) else "#Outer.inner or "
        opens = " ctx stats opens +N and …;" if is_folded else ""
        return (
            f"ctx get {_word(f'{name}#NAME')} (or {nested}:FIRST-LAST) prints one;{opens}"
            " to edit, Read with offset/limit.\n"
        )

    def _is_folded(self) -> bool:
        return len(self.shown) < len(self.outline.symbols)


def _range(first_line: int, last_line: int) -> str:
    """Return `10-20`, `10` for one line, `10-` where the end is not known."""
    if first_line == last_line:
        return str(first_line)
    return f"{first_line}-{last_line or ''}"


def _word(handle: str) -> str:
    """Return a handle as a shell word; `#` inside one needs no quotes."""
    return (
        handle
        if shlex.quote(handle.replace("#", "")) == handle.replace("#", "")
        else shlex.quote(handle)
    )


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST_DETAIL else text[: LONGEST_DETAIL - 1] + "…"
