"""`ctx` while it is still starting."""

import subprocess
import sys

INTERRUPTED = """
import signal, sys

class CtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == "priced_context.console":
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, CtrlC())
from priced_context.entry import main
sys.exit(main())
"""


def test_an_early_ctrl_c_leaves_no_traceback():
    """While modules are loaded, as later."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
