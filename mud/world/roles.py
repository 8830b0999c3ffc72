"""Who may do what: three roles, compared by rank. A command names its least role; an unknown role may do nothing."""

from __future__ import annotations

from enum import IntEnum


class Role(IntEnum):
    """The rank of whoever submitted a line. It belongs to the way in, never to the character."""

    AGENT = 1
    """A mind of the program: what a model wrote. It can type what it is offered, and nothing else."""
    GUEST = 2
    """A person who came over the network."""
    OWNER = 3
    """Whoever started the program: its terminal or its pipe."""
