"""Can this shell line read a file at all? Asked of every line, before the recogniser is imported.

A line is cut into words as generously as a shell could: at every operator, quote-free. So
`/bin/cat`, `\\cat`, `c"a"t`, `$(cat x)`, `x=cat` and `{cat,x}` all show the word `cat`, and so
do lines that only mention it. A word put together from variables or from `$'\\x63at'` is not
seen; the recogniser takes a word of its table only where `words_in` sees it.
"""

OPENING_WORDS = frozenset(
    """
    open io.open codecs.open .open .read_text .read_bytes json.tool
    readFileSync .readFileSync fs.readFileSync
    """.split()
)
"""What a one-line program opens a file with."""

READING_WORDS = OPENING_WORDS.union(
    """
    ack ag awk base32 base64 bat batcat bzcat cat column comm cut dd diff egrep expand fd fdfind
    fgrep find fmt fold gawk grep gunzip gzip hd head hexdump iconv join jq less ls mawk more nawk
    nl od paste pr rev rg rgrep sed shuf sort strings tac tail tree unexpand uniq xxd xzcat yq zcat
    zgrep zless zmore zstdcat
    annotate blame cat-file log ls-files reflog show whatchanged
    """.split()
)
"""Beside them the commands that print files, and git's verbs that do."""

_SPACED = str.maketrans(";|&()<>$`{}=,/\n\t!*?[]~:@%^+#", " " * 28, "\"'\\")


def words_in(command: str) -> "set[str]":
    """Return every word that *command* could run, and many that it only mentions."""
    words = set(command.translate(_SPACED).split())
    if "\\\n" in command:  # a line goes on, perhaps in the middle of a word
        words.update(command.replace("\\\n", "").translate(_SPACED).split())
    return words


def may_read(command: str) -> bool:
    """Return whether *command* is worth the recogniser: False only where nothing can be read.

    A `<` counts as a word: `$(<file)` and `while read` print a file without naming a command.
    """
    return "<" in command or not READING_WORDS.isdisjoint(words_in(command))
