"""What tests of whole worlds can ask for."""

from __future__ import annotations

from tests.live_server import live_server
from tests.syscalls import TRACED, can_trace

__all__ = ["live_server"]

# Faults of system calls need a machine on which these can be traced: Linux, on one of two kinds of processor, and let.
# What is not run here is told at the end; see tests/conftest.py.
collect_ignore = [] if can_trace() else [*TRACED]
