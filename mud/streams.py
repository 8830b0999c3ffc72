"""Making standard input, output and errors usable, however the program was started.

A closed stream becomes the null device; otherwise the next file that is opened, perhaps of the vault, would get the
number of stderr. Errors on stderr are ignored, errors on stdout are reported at the end of the program.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any


def hold() -> None:
    """Set up the three streams; call this before any file is opened."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(null, number)
    if null > 2:
        os.close(null)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  (it stays open)
    shown, told = (stream.encoding if stream else "utf-8" for stream in (sys.stdout, sys.stderr))
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Noting(1, "w", closefd=False)), shown, line_buffering=os.isatty(1))
    lossy: Any = _Lossy(2, "w", closefd=False)  # unbuffered, as Python's own stderr with -u
    sys.stderr = io.TextIOWrapper(lossy, told, "backslashreplace", write_through=True)


class _Noting(io.FileIO):
    trouble: OSError | None = None

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            self.trouble = error
            raise


class _Lossy(io.FileIO):
    def write(self, data: Any) -> int:
        with suppress(OSError):
            super().write(data)
        return len(data)


def unwritten() -> OSError | None:
    """Return the error that stdout had, if any; from then on its output is discarded."""
    trouble: OSError | None = None
    try:
        sys.stdout.flush()
    except OSError as error:
        trouble = error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw.trouble if isinstance(raw, _Noting) else trouble
