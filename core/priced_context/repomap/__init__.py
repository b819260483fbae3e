"""`ctx map`: the files and symbols of a repository that matter most, within a budget.

listing → index → rank → fit
which files may be shown · their tags, cached by content · PageRank over who refers to whom ·
the first of them that fit
"""

import argparse
import os
import sys

from priced_context.access import Access, access_from_here
from priced_context.console import Trouble
from priced_context.handles import PREFIX, parse
from priced_context.repomap.fit import map_text
from priced_context.repomap.index import index_of
from priced_context.repomap.listing import files_under
from priced_context.repomap.rank import ranked

DEFAULT_BUDGET = 1_000
USAGE = """\
Rank a repository: the files that the others refer to, each with its price and its top symbols.
"""


def main(arguments: list[str], *, outside: bool = False) -> int:
    """Print the map."""
    parser = argparse.ArgumentParser("ctx map", description=USAGE)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="folders or files (default: all)")
    parser.add_argument(
        "--near", action="append", default=[], metavar="PATH", help="rank from here"
    )
    parser.add_argument(
        "--mention", action="append", default=[], metavar="NAME", help="and from it"
    )
    parser.add_argument("--budget", type=int, default=DEFAULT_BUDGET, metavar="TOKENS")
    options = parser.parse_args(arguments)

    access = access_from_here(outside=outside)
    root, below = _root_of([parse(text, access).path for text in options.paths], access)
    near = {os.path.relpath(parse(text, access).path, root) for text in options.near}
    index = index_of(root, below, files_under(root, below, access), _progress())
    if not index.files:
        raise Trouble(f"no source file under {root} that may be shown")
    order = ranked(index, near, set(options.mention))
    prefix = PREFIX if root == os.path.realpath(access.project) else root.rstrip("/") + "/"
    text = map_text(index, order, options.budget, prefix)
    if not text:
        raise Trouble(f"no line of a map fits into {options.budget} tokens; give it a few hundred")
    sys.stdout.write(text)
    return 0


def _root_of(paths: list[str], access: Access) -> tuple[str, list[str]]:
    """Return the folder that is mapped and the paths below it that were asked for.

    The working directory, or where something outside it is asked for, what holds all of that.
    """
    project = os.path.realpath(access.project)
    inside = [path for path in paths if path == project or path.startswith(project + "/")]
    if len(inside) == len(paths):
        root = project
    else:
        root = os.path.commonpath(paths)
        root = root if os.path.isdir(root) else os.path.dirname(root)
    below = sorted({os.path.relpath(path, root) for path in paths})
    return root, [] if "." in below else below


def _progress() -> "Progress | None":
    return Progress() if sys.stderr.isatty() else None


class Progress:
    """A bar on a terminal while files are read for the first time."""

    WIDTH = 40

    def show(self, done: int, total: int) -> None:
        filled = self.WIDTH * done // max(1, total)
        bar = "#" * filled + "." * (self.WIDTH - filled)
        end = "\r\x1b[K" if done == total else ""
        sys.stderr.write(f"\r[{bar}] {done:,} of {total:,} files{end}")
        sys.stderr.flush()
