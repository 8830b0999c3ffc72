"""The two directions of a telnet connection: bytes cut into lines, and writes that are collected and compressed."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

HIGH = 64 * 1024  # bytes of complete lines after which no more is read
_CUT = b"\0"
"""Stands where the rest of a line was dropped; none that a client sends is kept."""
_WINDOW, _MEMORY = 12, 5  # of zlib: 32 KB a client


class TypedLine(NamedTuple):
    text: str
    cut: bool  # its rest was dropped


class LineBuffer:
    """What was read and not yet carried out. A line ends with CR, LF, CR LF or CR NUL.

    The bytes are cut into lines only when those are taken, so that many short lines take no more memory than they have
    bytes. Of an unfinished line only its beginning is kept.
    """

    def __init__(self) -> None:
        self._data = bytearray()
        self._tail = 0  # bytes of the unfinished line
        self._after_cr = False

    @property
    def full(self) -> bool:
        """Whether nothing more should be read until lines were taken."""
        return len(self._data) - self._tail > HIGH

    def feed(self, data: bytes, most: int) -> None:
        """Add what was read; of a line `most` bytes are kept."""
        if self._after_cr and data[:1] == b"\n":
            data = data[1:]
        if data:
            self._after_cr = data.endswith((b"\r", b"\r\0"))
        first, *rest = data.replace(b"\0", b"").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n", 1)
        self._extend(first, most)
        if rest:
            whole, newline, last = rest[0].rpartition(b"\n")
            self._data += b"\n" + whole + newline
            self._tail = 0
            self._extend(last, most)

    def _extend(self, piece: bytes, most: int) -> None:
        room = most - self._tail
        if len(piece) > room >= 0:
            piece = piece[:room] + _CUT
        elif room < 0:
            return
        self._data += piece
        self._tail += len(piece)

    def next(self, most: int) -> TypedLine | None:
        """Take the next line; None when there is no complete one."""
        end = self._data.find(b"\n")
        if end < 0:
            return None
        line = bytes(self._data[:end])
        del self._data[: end + 1]
        cut = len(line) > most or line.endswith(_CUT)
        return TypedLine(line[:most].removesuffix(_CUT).decode("utf-8", "replace"), cut)

    def clear(self) -> bool:
        """Drop all complete lines; return whether there were any."""
        end = self._data.rfind(b"\n") + 1
        del self._data[:end]
        return end > 0


class CollectedOutput(asyncio.Transport):
    """Collects what is written until `flush`, which writes it at once.

    Args:
        soon: called with the first write after a flush; has to see to the next one.
    """

    def __init__(self, transport: asyncio.Transport, soon: Callable[[], None]) -> None:
        super().__init__()
        self._transport, self._soon = transport, soon
        self._parts: list[bytes] = []
        self._compressor: Any = None

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self._parts:
            self._soon()
        self._parts.append(bytes(data))

    def flush(self) -> None:
        if not self._parts:
            return
        data = b"".join(self._parts)
        self._parts.clear()
        if self._transport.is_closing():
            return
        if self._compressor is not None:
            data = self._compressor.compress(data) + self._compressor.flush(zlib.Z_SYNC_FLUSH)
        self._transport.write(data)

    def compress(self) -> None:
        """Compress all that is written from now on (MCCP2)."""
        self.flush()
        self._compressor = zlib.compressobj(wbits=_WINDOW, memLevel=_MEMORY)

    def stop_compressing(self) -> None:
        self.flush()
        if self._compressor is not None and not self._transport.is_closing():
            self._transport.write(self._compressor.flush(zlib.Z_FINISH))
        self._compressor = None

    @property
    def waiting(self) -> int:
        """Bytes that the client has not read yet, without those that are collected; 0 once it is closing."""
        return 0 if self._transport.is_closing() else self._transport.get_write_buffer_size()

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._transport.get_extra_info(name, default)
