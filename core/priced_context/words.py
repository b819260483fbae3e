"""Can this shell line read a file at all? Asked of every line, before the recogniser is imported.

A line is cut into words as generously as a shell could: at every operator, quote-free. So
`/bin/cat`, `\\cat`, `c"a"t`, `$(cat x)`, `x=cat` and `{cat,x}` all show the word `cat`, and so
do lines that only mention it. A word put together from variables or from `$'\\x63at'` is not
seen; the recogniser takes a word of its table only where `words_in` sees it.
"""

OPENING_WORDS = frozenset(
    """
    open io.open codecs.open .open .read_text .read_bytes json.tool Path pathlib.Path fileinput
    readFileSync .readFileSync fs.readFileSync readFile .readFile fs.readFile JSON.stringify
    createReadStream .createReadStream fs.createReadStream
    """.split()
)
"""What a one-line program opens a file with."""

FAMILIES = {
    "copies": frozenset("bat batcat cat dd head less more nl tac tail".split()),
    "filters": frozenset(
        """
        base32 base64 bzcat column comm cut diff expand fmt fold gunzip gzip hd hexdump iconv join
        od paste pr rev shuf sort strings unexpand uniq xxd xzcat zcat zgrep zless zmore zstdcat
        """.split()
    ),
    "searches": frozenset("ack ag egrep fd fdfind fgrep find grep ls rg rgrep tree".split()),
    "languages": frozenset("awk gawk jq mawk nawk node nodejs python sed yq".split()),
    "git": frozenset({"git"}),
}
"""The commands that print files, by the module of `shell` that knows them."""

FRONT_ENDS = frozenset({"git", "node", "nodejs", "python"})
"""Those that do so only by a word behind them: `git status` is not worth the recogniser."""

GIT_VERBS = frozenset(
    "annotate blame cat-file diff grep log ls-files reflog show stash whatchanged".split()
)

READING_WORDS = OPENING_WORDS.union(GIT_VERBS, *FAMILIES.values()) - FRONT_ENDS
"""One of these stands in every line that prints a file by naming a command."""

DECLARING = ("declare", "typeset", "local", "export", "readonly")
"""What takes assignments behind its name."""

_SPACED = str.maketrans(";|&()<>$`{}=,/\n\t!*?[]~:@%^+#", " " * 28, "\"'\\")


def words_in(command: str) -> "set[str]":
    """Return every word that *command* could run, and many that it only mentions."""
    words = set(command.translate(_SPACED).split())
    if "\\\n" in command:  # a line goes on, perhaps in the middle of a word
        words.update(command.replace("\\\n", "").translate(_SPACED).split())
    return words


def may_read(command: str) -> bool:
    """Return whether *command* is worth the recogniser: False where no word of its tables stands.

    A `<` counts as a word: `$(<file)` and `while read` print a file without naming a command.
    """
    return "<" in command or not READING_WORDS.isdisjoint(words_in(command))
