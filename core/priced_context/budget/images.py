"""Width and height of an image from the first bytes of its base64 text."""

import base64
import binascii
import struct

_HEAD_CHARACTERS = 1 << 16  # a JPEG's frame header stands behind its metadata


def size_of_base64(data: str) -> tuple[int, int]:
    """Return width and height in pixels of a PNG, GIF, WebP or JPEG; (0, 0) of anything else."""
    head = data[: min(_HEAD_CHARACTERS, len(data) // 4 * 4)]
    try:
        return _size_of(base64.b64decode(head))
    except (binascii.Error, ValueError, struct.error, IndexError):
        return 0, 0


def size_of_url(url: str) -> tuple[int, int]:
    """Return the size of a `data:` image; (0, 0) of an address that only the API can fetch."""
    head, comma, data = url.partition(",")
    if comma and head.startswith("data:image/") and head.endswith(";base64"):
        return size_of_base64(data)
    return 0, 0


def _size_of(head: bytes) -> tuple[int, int]:
    if head.startswith(b"\x89PNG"):
        return struct.unpack(">II", head[16:24])
    if head.startswith(b"GIF8"):
        return struct.unpack("<HH", head[6:10])
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return _size_of_webp(head)
    if head.startswith(b"\xff\xd8"):
        return _size_of_jpeg(head)
    return 0, 0


def _size_of_webp(head: bytes) -> tuple[int, int]:
    if head[12:16] == b"VP8X":
        width = int.from_bytes(head[24:27], "little") + 1
        return width, int.from_bytes(head[27:30], "little") + 1
    if head[12:16] == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack("<HH", head[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _size_of_jpeg(head: bytes) -> tuple[int, int]:
    position = 2
    while True:
        marker, length = struct.unpack(">xBH", head[position : position + 4])
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", head[position + 5 : position + 9])
            return width, height
        position += 2 + length
