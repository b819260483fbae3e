"""PageRank over who refers to whom, from the files and names that the reader cares about."""

from priced_context.repomap.index import Index

DAMPING = 0.85
DIGITS = 12
"""Of a rank; what is equal so far is ordered by path."""


def ranked(index: Index, near: set[str], mentioned: set[str]) -> list[int]:
    """Return the positions of the files, the most important first.

    *near*: paths relative to the root, a folder for all below it. *mentioned*: names of symbols;
    the files that define one count, and so does a file of that name.
    """
    import rustworkx

    graph: rustworkx.PyDiGraph[int, float] = rustworkx.PyDiGraph(multigraph=False)
    graph.add_nodes_from(range(len(index.files)))
    graph.add_edges_from(index.edges)
    start = _start(index, near, mentioned)
    ranks = rustworkx.pagerank(
        graph, alpha=DAMPING, weight_fn=float, personalization=start or None, max_iter=200
    )
    return sorted(
        range(len(index.files)),
        key=lambda place: (-round(ranks[place], DIGITS), index.files[place].path),
    )


def _start(index: Index, near: set[str], mentioned: set[str]) -> dict[int, float]:
    start: dict[int, float] = {}
    folders = tuple(f"{path}/" for path in near)
    for place, file in enumerate(index.files):
        if "." in near or file.path in near or file.path.startswith(folders):
            start[place] = 1.0
        names = {definition.name for definition in file.definitions} if mentioned else set()
        stem = file.path.rpartition("/")[2].partition(".")[0]
        hits = len(mentioned & (names | {stem}))
        if hits:
            start[place] = start.get(place, 0.0) + hits
    return start
