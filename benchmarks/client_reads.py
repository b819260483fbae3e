"""What each client version gives for the reads that the guard prices: line prefix and caps.

usage: python benchmarks/client_reads.py [--json FILE] [VERSION…]

Offline; clients come from npm into .cache/ (tests/e2e/real_client.py).
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "e2e"))

from real_client import CACHE, Client, binary_under, fetch
from scripted_api import ScriptedAPI, calls, says

VERSIONS = ("2.1.114", "2.1.145", "2.1.160", "2.1.220", "2.1.240", "2.1.332")


def reads_of(project: Path) -> dict[str, tuple[str, dict[str, object]]]:
    """Write the files and return what is asked of them, by a name for the table."""
    (project / "three.txt").write_text("alpha\nbeta\ngamma\n")
    (project / "page.txt").write_text("".join(f"line {i} of a page\n" for i in range(9000)))
    (project / "large.txt").write_text("".join(f"line {i} of a large file\n" for i in range(12000)))
    page, large = str(project / "page.txt"), str(project / "large.txt")
    return {
        "small, whole": ("Read", {"file_path": str(project / "three.txt")}),
        "170 KB, whole": ("Read", {"file_path": page}),
        "170 KB, limit 9000": ("Read", {"file_path": page, "limit": 9000}),
        "170 KB, limit 20": ("Read", {"file_path": page, "limit": 20}),
        "290 KB, whole": ("Read", {"file_path": large}),
        "170 KB, cat": ("Bash", {"command": f"cat {page}"}),
    }


def measure(client: Client, model: str) -> dict[str, object]:
    """Return what the model was shown for each read, and the words after the result."""
    client.environment()
    shown = {}
    for name, call in reads_of(client.project).items():
        session = client.run(ScriptedAPI([calls(call), says("done")]), model=model)
        result = session.results[0]
        shown[name] = {
            "is_error": result.is_error,
            "characters": len(result.text),
            "lines": result.text.count("\n") + 1,
            "head": result.text[:160],
            "tail": result.text[-160:],
            "news_tail": session.api.sent()[-1].news[-400:],
        }
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("versions", nargs="*", default=VERSIONS)
    arguments = parser.parse_args()

    table = {}
    for version in arguments.versions:
        binary = binary_under(CACHE / version) or fetch(version)
        for model in ("claude-opus-5-5", "claude-opus-4-6"):
            with tempfile.TemporaryDirectory() as folder:
                shown = measure(Client(binary, Path(folder)), model)
            table[f"{version} {model}"] = shown
            for name, seen in shown.items():
                words = "error" if seen["is_error"] else "text"
                print(
                    f"{version:<8} {model:<16} {name:<20} {words:<5} {seen['characters']:>7,} ch"
                    f" {seen['lines']:>6,} lines  {seen['head'][:60]!r}"
                )
    if arguments.json:
        arguments.json.write_text(json.dumps(table, indent=2))


if __name__ == "__main__":
    main()
