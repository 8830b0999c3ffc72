"""Spans of what takes time; `mud.server.traces` sends them to OpenTelemetry when asked to, else they cost nothing.

A span names commands and characters, never what they said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

Attribute = str | int | float | bool


class Annotate(Protocol):
    def __call__(self, **attributes: Attribute) -> None:
        """Add what is known only later to a span."""


Begin = Callable[[str, Mapping[str, Attribute]], AbstractContextManager[Annotate]]


def _ignore(**attributes: Attribute) -> None:
    pass


_NO_SPAN: AbstractContextManager[Annotate] = nullcontext(_ignore)
_begin: Begin | None = None


def span(name: str, **attributes: Attribute) -> AbstractContextManager[Annotate]:
    """Return a context that is timed as a span with these attributes, inside of the span that is current."""
    return _NO_SPAN if _begin is None else _begin(name, attributes)


@contextmanager
def spans_begun_by(begin: Begin) -> Iterator[None]:
    """Let all spans of the block be begun by a function."""
    global _begin
    _begin = begin
    try:
        yield
    finally:
        _begin = None
