"""Roles, compared by rank. A command names the lowest role that may use it."""

from __future__ import annotations

from enum import IntEnum


class Role(IntEnum):
    """The rank of a line's source; it belongs to the connection, not to the character."""

    AGENT = 1
    """Written by a model; it may only type the commands that it is offered."""
    GUEST = 2
    """A person connected over the network without an account."""
    PLAYER = 3
    """A person with an account."""
    BUILDER = 4
    """A person who may change the world."""
    OWNER = 5
    """The terminal or pipe of the person that started the program, and accounts that an owner gave this role."""
