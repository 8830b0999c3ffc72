"""Channels: named circles whose members hear each other wherever they are.

A channel begins with its first member and ends with its last. Their changes are kept in the ledger like all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

KEPT = 100
"""Lines of a channel that can be read back."""


class ChannelLine(NamedTuple):
    """What somebody said on a channel, at a UTC time in ISO form."""

    at: str
    by: str
    words: str


class Channel(NamedTuple):
    """A channel with the ids of its members in the order of joining, and its newest lines, oldest first."""

    name: str
    members: tuple[str, ...] = ()
    lines: tuple[ChannelLine, ...] = ()


@dataclass(frozen=True, slots=True)
class JoinChannel:
    channel: str
    who: str


@dataclass(frozen=True, slots=True)
class LeaveChannel:
    channel: str
    who: str


@dataclass(frozen=True, slots=True)
class Post:
    """A line for a channel; `by` is a name, as the speaker may be forgotten."""

    channel: str
    at: str
    by: str
    words: str


ChannelChange = JoinChannel | LeaveChannel | Post


class Channels:
    """All channels of a world; only `World.apply` changes them."""

    def __init__(self) -> None:
        self._known: dict[str, Channel] = {}

    def __iter__(self) -> Iterator[Channel]:
        return iter(self._known.values())

    def __len__(self) -> int:
        return len(self._known)

    def find(self, name: str) -> Channel | None:
        """Return the channel with this name, in any case."""
        return self._known.get(name.casefold())

    def members(self, name: str) -> tuple[str, ...]:
        found = self.find(name)
        return found.members if found is not None else ()

    def apply(self, change: ChannelChange) -> None:
        """Apply a change; one that fits no channel is ignored."""
        channel = self.find(change.channel)
        match change:
            case JoinChannel(name, who):
                channel = channel or Channel(name)
                if who not in channel.members:
                    self._put(channel._replace(members=(*channel.members, who)))
            case LeaveChannel(_, who) if channel is not None:
                self._put(channel._replace(members=tuple(one for one in channel.members if one != who)))
            case Post(_, at, by, words) if channel is not None:
                self._put(channel._replace(lines=(*channel.lines, ChannelLine(at, by, words))[-KEPT:]))

    def _put(self, channel: Channel) -> None:
        if channel.members:
            self._known[channel.name.casefold()] = channel
        else:
            self._known.pop(channel.name.casefold(), None)

    def load(self, channels: Sequence[Channel]) -> None:
        """Set all channels, as they were saved."""
        self._known.clear()
        for one in channels:
            self._put(one)

    def forget(self, who: str) -> None:
        """Take somebody who is no more out of all channels."""
        for channel in [one for one in self._known.values() if who in one.members]:
            self.apply(LeaveChannel(channel.name, who))
