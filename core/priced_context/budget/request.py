"""A request taken apart without loss, and put together again.

`disassemble` finds the parts (system blocks, tools, messages, items) and, in parts with several
blocks, the blocks; what lies between them is envelope. Nothing is copied or rewritten, so
`assemble(disassemble(body)) == body` for every body it accepts.
"""

from collections.abc import Iterator, Sequence

import msgspec
import xxhash

from priced_context.budget import adapters
from priced_context.budget.content import ENVELOPE, Draft, Part, Shape
from priced_context.budget.faults import BudgetError, child
from priced_context.budget.rules import Rule, kind_of
from priced_context.budget.slices import Slice, elements, members

_encode = msgspec.json.Encoder().encode


class Place(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One block within its part: where it stands, what it is, what of it is material."""

    start: int
    end: int
    kind: str
    label: str
    material: bytes
    """xxh3-128 of the block as the model sees it: cache marks, blanks and escapes left out."""


class Piece(msgspec.Struct, frozen=True, gc=False):
    """One part of a request, not yet looked into."""

    section: str
    array: str
    """The path of the array that holds the part, or of the part itself."""
    index: int
    """Its place in that array; -1: it is not in one."""
    start: int
    """Its offset in the body."""
    raw: msgspec.Raw

    @property
    def path(self) -> str:
        return self.array if self.index < 0 else child(self.array, self.index)


class Segment(msgspec.Struct, frozen=True):
    """One stretch of the body; the segments of a request cover it without gap or overlap."""

    kind: str
    origin: str
    """JSON path of the value it holds; of an envelope segment, `$`."""
    data: bytes
    hash: str
    """xxh3-128 of what is material, hexadecimal."""


class Request:
    """One request body, its API, and its parts in the order of the body."""

    def __init__(
        self,
        body: bytes,
        adapter: adapters.Adapter,
        shape: Shape,
        fields: dict[str, Slice],
        pieces: list[Piece],
    ) -> None:
        self.body = body
        self.adapter = adapter
        self.shape = shape
        self.fields = fields
        """The top-level members, still raw."""
        self.pieces = pieces

    def part(self, piece: Piece) -> Part:
        """Return what *piece* says.

        Raises:
            BudgetError: it is not what the API takes there.
        """
        value = Slice(piece.path, piece.start, piece.raw).decode()
        if piece.section == "format":
            return adapters.answer_format(value)
        part = self.adapter.read(piece.section, value, piece.path)
        if not part.drafts:  # an array of no blocks: the part stands for itself
            return Part(part.section, part.role, [Draft("other", [], value)], name=part.name)
        return part

    def places(self, piece: Piece, part: Part, own: Sequence[Rule] = ()) -> list[Place]:
        """Return the blocks of *part*, one a draft; offsets are relative to the part's start."""
        spans = self._spans(piece, part)
        return [
            Place(
                start,
                end,
                kind_of(self.adapter.NAME, part, draft, own),
                " ".join(filter(None, (part.role, draft.type, draft.tool))),
                self._material(part, draft.value),
            )
            for draft, (start, end) in zip(part.drafts, spans, strict=True)
        ]

    def _spans(self, piece: Piece, part: Part) -> list[tuple[int, int]]:
        raw = bytes(piece.raw)
        if not part.blocks_key or not part.drafts:
            return [(0, len(raw))]
        array = members(raw)[part.blocks_key]
        return [(start, start + len(item)) for start, item in elements(array, raw)]

    def _material(self, part: Part, value: object) -> bytes:
        try:
            seen = _encode(self.adapter.material(value))
        except (OverflowError, msgspec.MsgspecError):  # a number beyond 64 bits
            seen = repr(value).encode()
        return xxhash.xxh3_128_digest(f"{part.section} {part.role} ".encode() + seen)

    def segments(self, own: Sequence[Rule] = ()) -> Iterator[Segment]:
        """Yield every stretch of the body once, envelope included.

        The kinds are those of the rules; `compile_outbound_request_budget` resolves the ones that
        hang on the place in the conversation.
        """
        position = 0
        for piece in self.pieces:
            part = self.part(piece)
            for number, place in enumerate(self.places(piece, part, own)):
                start = piece.start + place.start
                if position < start:
                    yield self._envelope(position, start)
                position = piece.start + place.end
                yield Segment(
                    place.kind,
                    block_path(piece.path, part.blocks_key, number),
                    self.body[start:position],
                    place.material.hex(),
                )
        if position < len(self.body):
            yield self._envelope(position, len(self.body))

    def _envelope(self, start: int, end: int) -> Segment:
        data = self.body[start:end]
        return Segment(ENVELOPE, "$", data, xxhash.xxh3_128_hexdigest(data))


def block_path(path: str, blocks_key: str, number: int) -> str:
    """Return the JSON path of block *number* of the part at *path*."""
    return child(child(path, blocks_key), number) if blocks_key else path


def disassemble(body: bytes, *, api: str = "", model: str = "") -> Request:
    """Take a request body apart.

    Args:
        body: the payload as it is sent, UTF-8 JSON.
        api: `anthropic`, `openai-chat`, `openai-responses` or `gemini`; empty: by its members.
        model: counts instead of the body's own (Gemini's stands in the address).

    Raises:
        BudgetError: not one JSON object, no known API, or a part that its API does not take.
    """
    fields = members(body)
    adapter = adapters.of_api(api) if api else adapters.of_fields(fields)
    shape = adapter.shape(fields)
    if model:
        shape = msgspec.structs.replace(shape, model=model)
    pieces: list[Piece] = []
    for key, field in fields.items():  # in the order of the body, so the pieces are too
        section = adapter.SECTIONS.get(key)
        if section:
            pieces += _parts(section, field, adapter.WHOLE[section], body)
        else:
            field.decode()  # a fault in the envelope is a fault too
            pieces += _answer_formats(key, field, adapter)
    return Request(body, adapter, shape, fields, pieces)


def _parts(section: str, field: Slice, whole: bytes, body: bytes) -> list[Piece]:
    """Return the parts in one member: the elements of an array, or the member itself."""
    first = field.first_byte
    if first == b"[":
        return [
            Piece(section, field.path, index, start, raw)
            for index, (start, raw) in enumerate(elements(field, body))
        ]
    if first in whole:
        return [Piece(section, field.path, -1, field.start, field.raw)]
    if first == b"n":  # null: as good as missing
        return []
    raise BudgetError("expected a JSON array", field.path)


def _answer_formats(key: str, field: Slice, adapter: adapters.Adapter) -> Iterator[Piece]:
    """Yield the schema of the answer where *field* is, or holds, one."""
    for outer, *inner in adapter.FORMATS:
        found = field if outer == key else None
        for name in inner:
            if found is not None and found.first_byte == b"{":
                found = members(bytes(found.raw), found.path, found.start).get(name)
        if found is not None and found.first_byte == b"{" and adapter.is_schema(found.decode()):
            yield Piece("format", found.path, -1, found.start, found.raw)


def assemble(request: Request) -> bytes:
    """Put the segments of a request together again: the body, byte for byte."""
    return b"".join(segment.data for segment in request.segments())
