"""The long run, shortened: benchmarks/soak.py makes a hundred thousand calls."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOAK = Path(__file__).parent.parent.parent / "benchmarks" / "soak.py"


@pytest.mark.skipif(not os.environ.get("CTX_E2E"), reason="takes a minute: CTX_E2E=1 runs it")
def test_five_thousand_calls_fail_nowhere(tmp_path):
    """Whatever comes in, the exit is 0, the answer one that the client can use, and state small."""
    table = tmp_path / "table.json"

    subprocess.run([sys.executable, SOAK, "--calls", "5000", "--json", table], check=True)

    left = json.loads(table.read_text())
    assert left["failed"] == 0
    assert left["deny"] + left["rewrite"] > 50
    assert left["scratch files left"] == 0
    assert left["files left"] < 300
    assert left["bytes left"] < 4_000_000
