"""Standard input, output and errors, whatever whoever started the program made of them.

One that is closed becomes the null device: what was opened next would get its number, and a file of the vault with the
number of stderr would be written into. What cannot be told on stderr ends nothing. What stdout does not take is known
when the program ends.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any


def hold() -> None:
    """Make the three streams ones that can be used. To be called before any file is opened."""
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
    lossy: Any = _Lossy(2, "w", closefd=False)  # a raw stream is no buffer; Python makes its own stderr of one with -u
    sys.stderr = io.TextIOWrapper(lossy, told, "backslashreplace", write_through=True)


class _Noting(io.FileIO):
    """A file that keeps in mind why it could not be written."""

    trouble: OSError | None = None

    def write(self, data: Any) -> int:
        """Write bytes.

        Raises:
            OSError: when they cannot be written.
        """
        try:
            return super().write(data)
        except OSError as error:
            self.trouble = error
            raise


class _Lossy(io.FileIO):
    """A file that takes whatever it is given; what cannot be written is lost."""

    def write(self, data: Any) -> int:
        """Write bytes, or not, and return how many there were."""
        with suppress(OSError):
            super().write(data)
        return len(data)


def unwritten() -> OSError | None:
    """Return why stdout did not take all it was given; from then on it takes everything and keeps nothing of it."""
    trouble: OSError | None = None
    try:
        sys.stdout.flush()
    except OSError as error:
        trouble = error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw.trouble if isinstance(raw, _Noting) else trouble
