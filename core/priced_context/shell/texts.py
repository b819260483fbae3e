"""Commands that print their own words, or swallow what others print."""

from priced_context.records import UNKNOWN
from priced_context.shell.scope import (
    SUCCEEDED,
    known,
)
from priced_context.shell.streams import (
    ONE_LINE,
    Stream,
    edited,
    filtered,
    has_content,
    laid_out_anew,
    words_of_its_own,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.shell.evaluator import Builtins, Shell
    from priced_context.shell.scope import Given, Value


def echo(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    shell.status = SUCCEEDED
    start = 0
    while start < len(operands) and operands[start] in ("-n", "-e", "-E", "-ne", "-en"):
        start += 1
    flags = "".join(map(str, operands[:start]))
    words = operands[start:]
    content = [stream for word in words if isinstance(word, list) for stream in word]
    if content:
        return content
    texts = [word for word in words if isinstance(word, str)]
    text = " ".join(texts) + ("" if "n" in flags else "\n")
    is_told = len(texts) == len(words) and not ("e" in flags and "\\" in text)
    return [Stream(text=text)] if is_told else words_of_its_own()


def printf(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    shell.status = SUCCEEDED
    if operands[:1] == ["-v"]:
        shell.forget_names_in(" ".join(map(str, operands[1:2])))
        return []
    layout = operands[0] if operands else ""
    content = [stream for word in operands if isinstance(word, list) for stream in word]
    is_plain = isinstance(layout, str) and "%" not in layout.replace("%s", "").replace("%b", "")
    if content:
        return edited(content) if is_plain else filtered(content)
    texts = [word for word in operands[1:] if isinstance(word, str)]
    if not is_plain or len(texts) + 1 < len(operands):
        return words_of_its_own()
    text = str(layout).replace("\\n", "\n").replace("\\0", "\0")
    slots = text.count("%s")
    if "\\" in text or "%b" in text or (texts and not slots):
        return words_of_its_own()
    rounds = -(-len(texts) // slots) if texts else 1
    shell.step(len(text) * rounds // 16)
    pieces = (text * rounds).split("%s")
    texts += [""] * (len(pieces) - 1 - len(texts))
    filled = [word + piece for word, piece in zip(texts, pieces[1:], strict=True)]
    return [Stream(text=pieces[0] + "".join(filled))]


def tr(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    sets = [known(word) for word in operands]
    deleted = sets[0] if sets and "d" in given else ""
    if "c" in given or "C" in given or "-" in deleted or ":" in deleted:
        return filtered(shell.take_stdin())
    newlines = ("\n", "\\n", "\\0", "[:space:]", "[:cntrl:]")
    takes, gives = ([newline in text for newline in newlines] for text in (*sets, "", "")[:2])
    if True in takes:
        return laid_out_anew(shell.take_stdin(), order=ONE_LINE)
    return laid_out_anew(shell.take_stdin()) if True in gives else edited(shell.take_stdin())


def tee(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    streams = shell.take_stdin()
    for word in operands:
        shell.note_written(word)
        is_device = str(word).startswith("/dev/") and word not in shell.pipes
        if is_device and word != "/dev/null" and has_content(streams):
            shell.errors.append(Stream(UNKNOWN))
    return streams


def digest(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`wc`, `md5sum`: a short line a file."""
    shell.open_each(operands)  # for its status
    return words_of_its_own()


def sink(shell: "Shell", given: "Given", operands: "list[Value]") -> "list[Stream]":
    """`pbcopy`, `split`: read everything, print little."""
    return words_of_its_own()


COMMANDS: "Builtins" = {
    "echo": (echo, None),
    "printf": (printf, None),
    "tee": (tee, "a=append i=ignore-interrupts p output-error?"),
    "tr": (tr, "+ c=complement C d=delete s=squeeze-repeats t=truncate-set1"),
    **dict.fromkeys(
        "b2sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum sum wc".split(),
        (digest, "* a:algorithm"),
    ),
    **dict.fromkeys("csplit pbcopy split sponge wl-copy xclip xsel".split(), (sink, None)),
}  # fmt: skip
