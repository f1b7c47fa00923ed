"""Unpacking what was sent packed, piece by piece: a small reply that unpacks to a huge one never fills the memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

__all__ = ["PACKINGS", "Unpacker"]

PACKINGS = ("gzip", "x-gzip", "deflate")
"""The content encodings that can be unpacked."""

_PIECE = 64 * 1024
_GZIP = b"\x1f\x8b"


class Unpacker:
    """Unpacks one stream in gzip or zlib form."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(zlib.MAX_WBITS | 32)

    def unpack(self, packed: bytes) -> Iterator[bytes]:
        """Give the plain bytes of the next packed ones, at most 64 KiB at once. Raises ``zlib.error`` if broken."""
        while not self._zlib.eof:
            plain = self._zlib.decompress(packed, _PIECE)
            packed = self._zlib.unconsumed_tail
            if plain:
                yield plain
            if not packed and len(plain) < _PIECE:
                return

    @property
    def is_whole(self) -> bool:
        """Whether the stream has come to its end, and no second one began behind it."""
        return self._zlib.eof and not self._zlib.unused_data.startswith(_GZIP)
