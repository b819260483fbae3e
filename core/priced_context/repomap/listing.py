"""Which source files of a tree may be mapped: not ignored, not forbidden, in a known language."""

import os
from collections.abc import Iterator
from functools import cache

from priced_context.access import Access
from priced_context.git import files_of
from priced_context.outlines.languages import CODE


def files_under(root: str, below: list[str], access: Access) -> list[str]:
    """Return the paths, relative to *root* and sorted, under *below* (empty: all of it).

    Links are left out: what they lead to stands under its own name, or lies elsewhere.
    """
    names = files_of(root, below or ["."])
    if names is None:
        names = sorted({name for start in below or ["."] for name in _walked(root, start)})

    @cache
    def is_free(folder: str) -> bool:
        """Whether no rule covers a file there; all lie under a directory that was checked."""
        return not access.rules_over(folder)

    paths = {name: os.path.join(root, name) for name in names}
    return [
        name
        for name in names
        if name.rpartition(".")[2].lower() in CODE
        and not os.path.islink(paths[name])
        and (is_free(os.path.dirname(paths[name])) or not access.refusal(paths[name]))
    ]


def _walked(root: str, start: str) -> Iterator[str]:
    """Yield the files of a tree that is no repository, honouring its `.gitignore` files."""
    from pathspec import GitIgnoreSpec

    top = os.path.normpath(os.path.join(root, start))
    if os.path.isfile(top):
        yield os.path.relpath(top, root)
        return
    specs: dict[str, list[tuple[str, GitIgnoreSpec]]] = {}
    for folder, folders, files in os.walk(top):
        inherited = specs.get(os.path.dirname(folder), [])
        own = inherited
        if ".gitignore" in files:
            try:
                with open(os.path.join(folder, ".gitignore"), encoding="utf-8") as patterns:
                    own = [*inherited, (folder, GitIgnoreSpec.from_lines(patterns))]
            except (OSError, ValueError):  # unreadable: it ignores nothing
                pass
        specs[folder] = own

        def is_ignored(path: str, own: list[tuple[str, GitIgnoreSpec]] = own) -> bool:
            return any(spec.match_file(os.path.relpath(path, base)) for base, spec in own)

        folders[:] = sorted(
            name
            for name in folders
            if name != ".git" and not is_ignored(os.path.join(folder, name) + "/")
        )
        for name in files:
            path = os.path.join(folder, name)
            if not is_ignored(path):
                yield os.path.relpath(path, root)
