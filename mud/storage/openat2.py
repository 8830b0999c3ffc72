"""Opening a path without following any link on it, by one call of the kernel.

Python has no function for `openat2` of Linux 5.6. Where it is missing or not allowed, callers open one folder after the
other, which costs a path in an agent's folder nine calls, each of which may let another thread go first.
See https://man7.org/linux/man-pages/man2/openat2.2.html.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

_NUMBER = 437  # of the call, on all of Linux's architectures but Alpha
_HOW = struct.Struct("QQQ")  # flags, mode, and how the path is resolved
_NO_SYMLINKS = 0x04
_CURRENT_FOLDER = -100  # AT_FDCWD


def open_without_links(path: str, flags: int, mode: int = 0o666, root: int | None = None) -> int | None:
    """Open a path as `os.open` does, with no link in any part of it.

    Returns None when that fails for any reason, or cannot be asked for here; the caller finds out why.

    Args:
        path: relative to `root`, if it does not begin with a slash.
        flags: as of `os.open`; `mode` counts only with `O_CREAT`.
        root: descriptor of a folder; None for the current one.
    """
    name = os.fsencode(path)
    if _syscall is None or b"\0" in name:  # C would take what is before it for the path
        return None
    how = _HOW.pack(flags, mode if flags & os.O_CREAT else 0, _NO_SYMLINKS)
    at = _syscall(_NUMBER, _CURRENT_FOLDER if root is None else root, name, how, _HOW.size)
    return at if at >= 0 else None


def _found() -> ctypes._NamedFuncPointer | None:
    if not sys.platform.startswith("linux"):
        return None
    call = ctypes.CDLL(None).syscall
    call.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t)
    call.restype = ctypes.c_long
    return call


_syscall = _found()
