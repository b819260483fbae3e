"""Which language a file is in, and which module of this package knows it.

A family module has `LANGUAGES: dict[str, Language]`; it and the one grammar that a file needs are
imported when the file is read.
"""

from importlib import import_module

import msgspec


class Language(msgspec.Struct, frozen=True):
    """How to find the definitions and references of one language."""

    grammar: str
    """The module that the grammar's wheel installs."""
    entry: str = "language"
    """Its function that returns the language."""
    tags: tuple[str, ...] = ()
    """The wheels whose shipped `tags.scm` is used."""
    query: str = ""
    """Patterns of our own, for what those leave out."""


# suffix → (family, language). The first block is installed by default, the second by the extra
# `languages`; without its grammar a file is outlined by line patterns.
CODE: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("py", "pyi", "pyw"), ("scripts", "python")),
    **dict.fromkeys(("rb", "rake", "gemspec"), ("scripts", "ruby")),
    **dict.fromkeys(("php", "phtml"), ("scripts", "php")),
    **dict.fromkeys(("sh", "bash"), ("scripts", "bash")),
    **dict.fromkeys(("js", "mjs", "cjs", "jsx"), ("ecmascript", "javascript")),
    **dict.fromkeys(("ts", "mts", "cts"), ("ecmascript", "typescript")),
    "tsx": ("ecmascript", "tsx"),
    "go": ("systems", "go"),
    "rs": ("systems", "rust"),
    "c": ("systems", "c"),
    **dict.fromkeys(("h", "cc", "cpp", "cxx", "hh", "hpp", "hxx"), ("systems", "cpp")),
    "java": ("managed", "java"),
    "cs": ("managed", "csharp"),
    # the extra
    **dict.fromkeys(("kt", "kts"), ("managed", "kotlin")),
    "swift": ("managed", "swift"),
    **dict.fromkeys(("scala", "sc"), ("managed", "scala")),
    "lua": ("scripts", "lua"),
    **dict.fromkeys(("ex", "exs"), ("scripts", "elixir")),
}

_INTERPRETERS = {"python": "py", "bash": "sh", "sh": "sh", "ruby": "rb", "node": "js", "php": "php"}


def suffix_of(path: str, head: bytes) -> str:
    """Return the lower-case suffix that tells a file's language; a script's by its first line."""
    name = path[path.rfind("/") + 1 :]
    stem, dot, suffix = name.rpartition(".")
    if dot and stem:
        return suffix.lower()
    if head.startswith(b"#!"):
        words = head.split(b"\n", 1)[0].decode("utf-8", "replace").replace("/", " ").split()
        for word in words[1:]:
            known = _INTERPRETERS.get(word.rstrip("0123456789."))
            if known:
                return known
    return name.lower()


def language_of(suffix: str) -> Language | None:
    """Return the language of a suffix, or None where no grammar is known for it."""
    if suffix not in CODE:
        return None
    family, name = CODE[suffix]
    languages: dict[str, Language] = import_module(f"priced_context.outlines.{family}").LANGUAGES
    return languages[name]
