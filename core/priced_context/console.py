"""What every verb shares when it talks to a person."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from priced_context.wording import printable

Item = TypeVar("Item")

FEWEST_FOR_A_BAR = 4


class Trouble(Exception):  # noqa: N818 - it is trouble, not an error in the program
    """Something a person can repair: one sentence with what, where and what to do.

    `cli.main` prints it on stderr and exits 1.
    """


class NoSession(Trouble):
    """The client has logged none at all, so there is nothing to look at."""

    def __init__(self, projects: Path) -> None:
        super().__init__(f"no session is logged in {projects} yet")


def say(words: object) -> None:
    """Say one sentence on stderr; a name in it moves no cursor and breaks no line."""
    print(f"ctx: {printable(str(words))}", file=sys.stderr)


def say_all(troubles: Iterable[Trouble]) -> int:
    """Say each, after all that went well; return the exit code."""
    code = 0
    for trouble in troubles:
        say(trouble)
        code = 1
    return code


def progress(items: Sequence[Item], what: str) -> Iterable[Item]:
    """Return *items*; where a person waits for many of them, a bar on stderr runs along."""
    if len(items) < FEWEST_FOR_A_BAR or not sys.stderr.isatty():
        return items
    from rich.console import Console
    from rich.progress import track

    return track(items, what, console=Console(stderr=True), transient=True)
