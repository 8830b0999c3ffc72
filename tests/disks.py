"""Disks that are full, for tests of what is written."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond some bytes, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, old)


@contextmanager
def open_files_left(count: int) -> Iterator[None]:
    """Let this process open so many more files, as a process that holds too many would."""
    free: list[int] = []
    while len(free) <= count:  # the lowest numbers that are free; what is opened gets these
        free.append(os.open(os.devnull, os.O_RDONLY))
    for one in free:
        os.close(one)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free[-1], before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
