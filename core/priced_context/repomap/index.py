"""The tags of every file of a tree, and who refers to whom; kept between runs.

`<state>/maps/NAME` holds what a warm run needs: files with their definitions, and the edges.
`NAME.references` holds what only a change needs. Both are msgpack, replaced whole, so parallel
writers cannot mix; what cannot be read is made anew.
"""

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol, TypeVar

import msgspec
import xxhash

from priced_context.files import replace
from priced_context.folders import make_private, state_folder
from priced_context.outlines.languages import CODE, language_of
from priced_context.outlines.records import HOLD_METHODS, Entry
from priced_context.outlines.source import NotText, load
from priced_context.places import slug_of
from priced_context.prices import CLAUDE_NEWER, price_read
from priced_context.records import Read

T = TypeVar("T")

VERSION = 1
LARGEST_BYTES = 1 << 20
"""A larger source file is generated; it is listed without symbols."""
FEWEST_FOR_PROCESSES = 300
"""Starting a second process takes as long as reading so many files."""
MOST_PROCESSES = 4
RACY_NS = 2_000_000_000
"""A file changed so shortly before it was read may have changed again at the same time stamp."""
MOST_DEFINERS = 20
"""A name defined in more files says nothing about which one is meant."""
SHORTEST_NAME = 3

_SHARED = {"typescript": "javascript", "tsx": "javascript", "c": "cpp", "kotlin": "java"}
"""Languages whose files refer to each other's names."""


class Definition(msgspec.Struct, array_like=True):
    """One symbol of a file."""

    name: str
    fragment: str
    is_type: bool
    uses: float = 0.0
    """How much other files refer to it."""


class File(msgspec.Struct, array_like=True):
    """What is known of one file."""

    path: str
    """Relative to the root."""
    mtime_ns: int
    size_bytes: int
    digest: str
    """xxh3 of the content; "" where it could not be read."""
    read_ns: int
    tokens: int
    definitions: list[Definition]


class Index(msgspec.Struct, array_like=True):
    """A tree: files sorted by path, and weighted edges from the referring to the defining file."""

    version: int
    files: list[File]
    edges: list[tuple[int, int, float]]


class Progress(Protocol):
    """Told how many of the files that must be read are."""

    def show(self, done: int, total: int) -> None: ...


References = dict[str, tuple[dict[str, int], dict[str, int]]]
"""Content digest → how often a file of that content refers to each name: to anything, to a type."""


def index_of(root: str, below: list[str], paths: list[str], progress: Progress | None) -> Index:
    """Return the index of *paths* under *root*, reading only the files that changed."""
    place = _place(root, below)
    known = _load(place, Index)
    before = {file.path: file for file in known.files} if known and known.version == VERSION else {}
    stats = {path: found for path in paths if (found := _stat(os.path.join(root, path)))}
    fresh = [path for path, found in stats.items() if not _is_current(before.get(path), found)]
    if known and not fresh and stats.keys() == before.keys():
        return known
    references = (_load(place + ".references", References) or {}) if before else {}
    files = {path: before[path] for path in stats if path in before}
    changed: list[tuple[str, str]] = []
    for path in fresh:
        seen = _seen(root, path, stats[path])
        old = before.get(path)
        if old and old.digest == seen.digest and seen.digest in references:
            seen.definitions = old.definitions
        elif seen.digest:
            changed.append((path, os.path.join(root, path)))
        files[path] = seen
    for done, (path, tagged) in enumerate(_tagged(changed), 1):
        files[path].definitions = tagged.definitions
        references[files[path].digest] = (tagged.calls, tagged.types)
        if progress and (done % 64 == 0 or done == len(changed)):
            progress.show(done, len(changed))
    index = Index(VERSION, [files[path] for path in sorted(files)], [])
    index.edges = _edges(index.files, references)
    used = {file.digest for file in index.files}
    _save(place, index)
    _save(place + ".references", {d: names for d, names in references.items() if d in used})
    return index


def _place(root: str, below: list[str]) -> str:
    what = xxhash.xxh3_64_hexdigest("\0".join([root, *below]).encode("utf-8", "surrogateescape"))
    return f"{state_folder()}/maps/{slug_of(root)[-100:]}-{what}"


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def _is_current(file: File | None, found: os.stat_result) -> bool:
    return (
        file is not None
        and file.mtime_ns == found.st_mtime_ns
        and file.size_bytes == found.st_size
        and file.read_ns - file.mtime_ns > RACY_NS
    )


def _seen(root: str, path: str, found: os.stat_result) -> File:
    """Return a file's record without its definitions."""
    file = File(path, found.st_mtime_ns, found.st_size, "", time.time_ns(), 0, [])
    full = os.path.join(root, path)
    whole = Read(full, max(1, found.st_size), line_prefix="tab")
    try:
        source = load(full, LARGEST_BYTES)
        file.tokens = price_read(whole, CLAUDE_NEWER).tokens
    except (OSError, NotText):
        return file
    file.digest = xxhash.xxh3_64_hexdigest(source.data)
    return file


class Tagged(NamedTuple):
    """What one file defines, and what it refers to how often."""

    definitions: list[Definition]
    calls: dict[str, int]
    types: dict[str, int]


def _tagged(files: list[tuple[str, str]]) -> Iterator[tuple[str, Tagged]]:
    """Yield each file's path with its tags, from several processes where there are many."""
    if len(files) < FEWEST_FOR_PROCESSES:
        yield from map(_tag, files)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(min(MOST_PROCESSES, os.cpu_count() or 1)) as pool:
        yield from pool.map(_tag, files, chunksize=32)


def _tag(file: tuple[str, str]) -> tuple[str, Tagged]:
    from priced_context.outlines.code import tags_of

    path, full = file
    language = language_of(_suffix(path))
    try:
        source = load(full, LARGEST_BYTES)
    except (OSError, NotText):  # it went away meanwhile
        return path, Tagged([], {}, {})
    tags = tags_of(source.data, language) if language and source.is_whole else None
    if tags is None:
        return path, Tagged([], {}, {})
    return path, Tagged(list(_definitions(tags.entries)), _counts(tags.calls), _counts(tags.types))


def _counts(names: list[str]) -> dict[str, int]:
    return dict(Counter(name for name in names if len(name) >= SHORTEST_NAME))


def _suffix(path: str) -> str:
    return path.rpartition(".")[2].lower()


def _definitions(entries: Iterable[Entry]) -> Iterator[Definition]:
    """Yield the definitions that other files can mean: nothing from inside a function."""
    holders: list[str] = []
    hidden = 1 << 30
    for entry in entries:
        del holders[entry.depth :]
        holders.append(entry.name)
        if entry.depth <= hidden:
            hidden = 1 << 30
            is_type = entry.kind in HOLD_METHODS
            yield Definition(entry.name, ".".join(holders), is_type)
            if not is_type:
                hidden = entry.depth


def _edges(files: list[File], references: References) -> list[tuple[int, int, float]]:
    """Return who refers to whom, and note at each definition how much it is referred to.

    A name counts by the root of how often it is used, divided among the files that define it.
    """
    anything, types = _definers(files, types_only=False), _definers(files, types_only=True)
    nothing: tuple[dict[str, int], dict[str, int]] = ({}, {})
    edges: list[tuple[int, int, float]] = []
    for number, file in enumerate(files):
        group = _group(file.path)
        weights: dict[int, float] = {}
        calls, mentions = references.get(file.digest, nothing)
        for names, definers in ((calls, anything), (mentions, types)):
            for name, count in names.items():
                found = definers.get((group, name), ())
                if not 0 < len(found) <= MOST_DEFINERS:
                    continue
                weight = count**0.5 / len(found)
                for definer, definitions in found:
                    if definer != number:
                        weights[definer] = weights.get(definer, 0.0) + weight
                        for definition in definitions:
                            definition.uses += weight
        edges += [(number, definer, weight) for definer, weight in sorted(weights.items())]
    return edges


def _definers(
    files: list[File], *, types_only: bool
) -> dict[tuple[str, str], list[tuple[int, list[Definition]]]]:
    """Return (language, name) → the files that define it, each with its definitions of it."""
    definers: dict[tuple[str, str], list[tuple[int, list[Definition]]]] = {}
    for number, file in enumerate(files):
        group = _group(file.path)
        own: dict[str, list[Definition]] = {}
        for definition in file.definitions:
            definition.uses = 0.0
            if definition.is_type or not types_only:
                own.setdefault(definition.name.rpartition(".")[2], []).append(definition)
        for name, definitions in own.items():
            definers.setdefault((group, name), []).append((number, definitions))
    return definers


def _group(path: str) -> str:
    language = CODE[_suffix(path)][1]
    return _SHARED.get(language, language)


def _load(place: str, kind: type[T]) -> T | None:
    try:
        with open(place, "rb") as file:
            return msgspec.msgpack.decode(file.read(), type=kind)
    except (OSError, ValueError):  # none yet, or of another version: made anew
        return None


def _save(place: str, value: object) -> None:
    try:
        make_private(state_folder() / "maps")
        replace(place, msgspec.msgpack.encode(value))
    except OSError:  # a read-only state: the next run is cold again
        pass
