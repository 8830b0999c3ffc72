"""The settings of the doors: who may come in, and how much anybody may do."""

from __future__ import annotations

from dataclasses import dataclass

from mud.storage.settings import setting


@dataclass(frozen=True, slots=True)
class DoorSettings:
    """`config/doors.md`."""

    guests: bool = setting(
        False, "Whether people may come in over the network as guests, without a password.", per_agent=False
    )
    new_accounts: bool = setting(
        True, "Whether people may make an account for themselves over the network.", per_agent=False
    )
    telnet_host: str = setting("127.0.0.1", "Address at which telnet is served; read at the start.", per_agent=False)
    web_host: str = setting("127.0.0.1", "Address at which web pages are served; read at the start.", per_agent=False)
