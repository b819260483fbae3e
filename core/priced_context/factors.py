"""What the user's own bills say of our prices: `model<TAB>kind<TAB>factor`, a line each.

`ctx calibrate` writes the file; without it a hook pays one `stat`.
"""

from priced_context.files import kind_of, read_small

TYPE_CHECKING = False
if TYPE_CHECKING:
    Factors = dict[str, float]

ANY = "*"
"""The kind of a factor for all files."""
LOWEST, HIGHEST = 0.5, 2.5
"""A factor outside is a mistake, not a correction."""


def factors_of(state: str, model: str) -> "Factors":
    """Return the factors for *model* by kind of file; {} where it was never calibrated."""
    factors = {}
    name = base_model(model).encode("utf-8", "replace")
    for line in read_small(state + "/factors").split(b"\n"):
        fields = line.split(b"\t")
        if len(fields) != 3 or fields[0] != name:
            continue
        try:
            factor = float(fields[2])
        except ValueError:
            continue
        if LOWEST <= factor <= HIGHEST:
            factors[fields[1].decode("utf-8", "replace")] = factor
    return factors


def factor_for(path: str, factors: "Factors") -> float | None:
    """Return the factor for a file's kind, else the one for all kinds, else None."""
    return factors.get(kind_of(path)) or factors.get(ANY)


def base_model(model: str) -> str:
    """Return a model's id without what it says of the window: `claude-sonnet-4-5[1m]`."""
    return model.partition("[")[0]
