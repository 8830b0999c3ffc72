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
    telnet_tls_host: str = setting(
        "127.0.0.1", "Address at which telnet with TLS is served; read at the start.", per_agent=False
    )
    telnet_tls_file: str = setting(
        "",
        "PEM file with the certificates and the key for telnet with TLS, read at the start; empty for a self-signed "
        "certificate that the program makes in accounts/.",
        per_agent=False,
    )
    world_name: str = setting("Loci", "Name of this world in lists of MUDs.", per_agent=False)
    web_host: str = setting("127.0.0.1", "Address at which web pages are served; read at the start.", per_agent=False)
    web_names: tuple[str, ...] = setting(
        (),
        "Names of this world's web pages behind a proxy on this machine; with a name given, what the proxy says of "
        "browsers (X-Forwarded-For, X-Forwarded-Proto) is believed. Read at the start.",
        per_agent=False,
    )
    connections: int = setting(
        1000, "Connections that may be open at the same time.", low=1, high=100_000, per_agent=False
    )
    connections_per_address: int = setting(
        20, "Connections that one address may have open at the same time.", low=1, high=100_000, per_agent=False
    )
    sessions_per_account: int = setting(
        5, "Places from which one account may be in the world at the same time.", low=1, high=1000, per_agent=False
    )
    free_logins: int = setting(
        3, "Wrong passwords of one address or for one name before the next has to wait.", low=1, high=100,
        per_agent=False,
    )  # fmt: skip
    login_wait: float = setting(
        2.0, "Seconds that the first wait after wrong passwords takes; each one after it takes twice as long.",
        low=0.1, high=3600.0, per_agent=False,
    )  # fmt: skip
    longest_login_wait: float = setting(
        300.0, "Seconds that a wait after wrong passwords takes at most.", low=0.1, high=3600.0, per_agent=False
    )
    login_seconds: float = setting(
        120.0, "Seconds that a connection has for coming in, before it is closed.", low=5.0, high=3600.0,
        per_agent=False,
    )  # fmt: skip
    new_accounts_per_address: int = setting(
        5, "New accounts that one address may make in a day.", low=1, high=10_000, per_agent=False
    )
    new_accounts_per_day: int = setting(
        100, "New accounts that all addresses together may make in a day.", low=1, high=100_000, per_agent=False
    )
    guests_per_address: int = setting(
        20, "Guests that may come in from one address in a day.", low=1, high=10_000, per_agent=False
    )
    guests_per_day: int = setting(
        200, "Guests that may come in from all addresses together in a day.", low=1, high=100_000, per_agent=False
    )
    lines_per_second: float = setting(
        5.0, "Lines a second that one account may type for long; those that are too fast wait.",
        low=0.1, high=100_000.0, per_agent=False,
    )  # fmt: skip
    address_lines_per_second: float = setting(
        20.0, "Lines a second that may come from one address for long; those that are too fast wait.",
        low=0.1, high=100_000.0, per_agent=False,
    )  # fmt: skip
    line_burst: int = setting(
        30, "Lines that may come at once before they are slowed.", low=1, high=100_000, per_agent=False
    )
    line_kilobytes: int = setting(
        32, "Size of a line that a door reads; the rest of a longer one is dropped, and it is refused.", low=1,
        high=1024, per_agent=False,
    )  # fmt: skip
    pages: bool = setting(
        True,
        "Whether long answers stop after a screenful until Enter is pressed, at telnet and on a terminal's bare line; "
        "screen readers and MUD clients, which scroll back themselves, get all at once.",
        per_agent=False,
    )
    idle_minutes: float = setting(
        120.0, "Minutes after which somebody who typed nothing is let go.", low=0.1, high=100_000.0, per_agent=False
    )
    mcp: bool = setting(
        True, "Whether programs such as language models may come in over MCP, each with the token of an account.",
        per_agent=False,
    )  # fmt: skip
    mcp_wait_seconds: float = setting(
        30.0, "Seconds that a program over MCP may wait for something to happen, or for a slow answer.", low=0.0,
        high=600.0, per_agent=False,
    )  # fmt: skip
    mcp_stay_minutes: float = setting(
        10.0, "Minutes that a character stays awake after the last request of its program that keeps no connection.",
        low=0.1, high=100_000.0, per_agent=False,
    )  # fmt: skip
    waiting_kilobytes: int = setting(
        512, "What may wait for a slow reader before it is cut off.", low=16, high=65_536, per_agent=False
    )
