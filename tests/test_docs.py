"""What docs/menus.md shows is what the verbs print of this very checkout."""

import re
from pathlib import Path

from scene import Ctx

ROOT = Path(__file__).parent.parent
MENUS = ROOT / "docs" / "menus.md"
SAMPLE = re.compile(r"(?<=^```\n\$ ctx )(.+)\n([^`]*)(?=```)", re.MULTILINE)
"""The words of a command, and what stands under it to the end of its block."""


def test_the_samples_are_what_is_printed(home, request):
    """`--update-golden` writes them anew; the diff is what is reviewed."""
    ctx = Ctx(ROOT, home)
    text = MENUS.read_text("utf-8")

    def printed(sample: re.Match[str]) -> str:
        return f"{sample[1]}\n{ctx.out(*sample[1].split())}"

    anew = SAMPLE.sub(printed, text)

    if request.config.getoption("--update-golden"):
        MENUS.write_text(anew, "utf-8")
    assert len(SAMPLE.findall(text)) == text.count("\n$ ")
    assert MENUS.read_text("utf-8") == anew
