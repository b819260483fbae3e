"""What a small program does that a shell can see."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.selections import Selection
    from priced_context.shell.values import Path

OPENS, MAY_OPEN, WRITES, PRINTS, RUNS, FAILS, MAY_FAIL = (
    "opens", "may open", "writes", "prints", "runs", "fails", "may fail",
)  # fmt: skip


class Act:
    """What a program does that a shell can see."""

    __slots__ = ("path", "selection", "what")

    what: str
    """OPENS a file to read it, MAY_OPEN it, WRITES one, PRINTS, RUNS a command, FAILS, MAY_FAIL."""
    path: "Path"
    """Of RUNS: the text of the command, None if it is not told."""
    selection: "Selection | None"
    """What it prints of the file; None: words of its own."""

    def __init__(self, what: str, path: "Path", selection: "Selection | None" = None) -> None:
        self.what = what
        self.path = path
        self.selection = selection
