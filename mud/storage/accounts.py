"""Accounts of people who come in over the network, and banned addresses: `accounts/` in the vault.

The folder holds password hashes. It is readable by its owner only, kept out of git, and shown to nobody.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path

from mud.errors import Problem, VaultProblem
from mud.storage.files import free_stem, read_if_there, slugify, write_private
from mud.storage.paths import make_folder, matching
from mud.world.matching import plain
from mud.world.roles import Role

FOLDER = "accounts"
BANS = ".bans.json"
_LONGEST = 1024 * 1024  # bytes of a file that are read
EVERYWHERE = frozenset({"0.0.0.0/0", "::/0"})
"""What is banned while the file with the banned addresses cannot be read."""
ROLES = {role.name.lower(): role for role in (Role.PLAYER, Role.BUILDER, Role.OWNER)}
"""What an account may be, by name."""


@dataclass(frozen=True, slots=True)
class Account:
    """Who may come in with a password.

    Args:
        name: of the account and of its character.
        role: what its lines may do.
        hash: of the password, in argon2's own form.
        character: id of its character; empty until it first comes in.
        created, seen: UTC times, ISO 8601; `seen` is when it last came in or left, empty if never.
        banned: it may not come in.
        networks: from where it came in last, as the limits of the doors count addresses; the newest is the last.
        token: SHA-256, in hexadecimal, of the token with which a program comes in; empty without one.
    """

    name: str
    role: Role
    hash: str
    character: str = ""
    created: str = ""
    banned: bool = False
    seen: str = ""
    networks: tuple[str, ...] = ()
    token: str = ""


class AccountFiles:
    """The accounts of a vault, a JSON file each. All of them are held in RAM."""

    def __init__(self, vault: Path) -> None:
        self.folder = vault / FOLDER
        self._accounts: dict[str, tuple[str, Account]] = {}
        """Each account and the stem of its file, by its plain name."""
        self.banned_addresses: frozenset[str] = frozenset()
        """Addresses and networks, such as 10.0.0.0/8."""

    def __iter__(self) -> Iterator[Account]:
        return iter(sorted((account for _, account in self._accounts.values()), key=lambda one: one.name.lower()))

    def load(self) -> list[Problem]:
        """Read all accounts; return what is wrong.

        Nobody comes in with a file that cannot be read, nor from anywhere while that of the bans cannot.
        """
        problems: list[Problem] = []
        self._accounts.clear()
        for path in sorted(matching(self.folder, "[!.]*.json")):
            try:
                account = _account(self._read(path.name))
            except VaultProblem as wrong:
                problems += wrong.problems
                continue
            if plain(account.name) in self._accounts:
                problems.append(Problem(f"{FOLDER}/{path.name}", 0, "name", "another account has this name already"))
            else:
                self._accounts[plain(account.name)] = (path.stem, account)
        try:
            self.banned_addresses = frozenset(_addresses(self._read(BANS)))
        except VaultProblem as wrong:
            self.banned_addresses = EVERYWHERE
            problems += wrong.problems
        return problems

    def _read(self, name: str) -> dict[str, object]:
        file = f"{FOLDER}/{name}"
        text = read_if_there(self.folder / name, _LONGEST, file)
        try:
            value = json.loads(text or "{}")
        except ValueError:
            value = None
        if not isinstance(value, dict) or not (_is_bans(value) if name == BANS else _is_account(value)):
            raise VaultProblem([Problem(file, 1, "", "this is not as the program writes it")])
        return value

    def find(self, name: str) -> Account | None:
        """Return the account with this name, in any case."""
        found = self._accounts.get(plain(name))
        return found[1] if found else None

    def with_token(self, digest: str) -> Account | None:
        """Return the account whose token has this hash."""
        return next((account for _, account in self._accounts.values() if digest and account.token == digest), None)

    def of(self, character: str) -> Account | None:
        """Return the account of the character with this id."""
        return next((account for _, account in self._accounts.values() if account.character == character), None)

    def write(self, account: Account, *, synced: bool = True) -> None:
        """Write a new or changed account. Raises OSError.

        Args:
            synced: whether it has to outlast a power cut.
        """
        make_folder(self.folder)
        key = plain(account.name)
        # A file that could not be read is nobody's to overwrite.
        taken = {path.stem for path in matching(self.folder, "[!.]*.json")}
        stem = self._accounts[key][0] if key in self._accounts else free_stem(taken, slugify(account.name))
        value = dataclasses.asdict(account) | {"role": account.role.name.lower()}
        text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
        write_private(self.folder / f"{stem}.json", text, synced=synced)
        self._accounts[key] = (stem, account)

    def ban_addresses(self, addresses: frozenset[str]) -> None:
        """Replace the banned addresses. Raises OSError."""
        make_folder(self.folder)
        write_private(self.folder / BANS, json.dumps({"addresses": sorted(addresses)}) + "\n")
        self.banned_addresses = addresses

    def is_banned(self, address: str) -> bool:
        """Return whether an address is banned, or in a banned network."""
        return any(holds(banned, address) for banned in self.banned_addresses)


def holds(banned: str, address: str) -> bool:
    """Return whether an address is this banned one, or in this banned network."""
    network = network_or_none(banned)
    if network is None or (found := network_or_none(address)) is None:
        return banned == address
    return found.version == network.version and found.network_address in network


def network_or_none(text: str) -> IPv4Network | IPv6Network | None:
    """Return the network, or the single address, that a text names; None for another text."""
    try:
        found = ip_address(text)
        return ip_network(getattr(found, "ipv4_mapped", None) or found)
    except ValueError:
        pass  # it may be a network
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def _addresses(value: dict[str, object]) -> list[str]:
    found = value.get("addresses", [])
    return [str(one) for one in found] if isinstance(found, list) else []


def _is_bans(value: dict[str, object]) -> bool:
    found = value.get("addresses", [])
    return isinstance(found, list) and all(isinstance(one, str) for one in found)


def _is_account(value: dict[str, object]) -> bool:
    texts = [value.get(key) for key in ("name", "role", "hash", "character", "created")]
    return (
        all(isinstance(text, str) for text in [*texts, value.get("seen", ""), value.get("token", "")])
        and value["role"] in ROLES
        and isinstance(value.get("banned"), bool)
        and isinstance(networks := value.get("networks", []), list)
        and all(isinstance(one, str) for one in networks)
    )


def _account(value: dict[str, object]) -> Account:
    texts = {key: str(value.get(key, "")) for key in ("name", "hash", "character", "created", "seen", "token")}
    networks = value.get("networks", [])
    assert isinstance(networks, list)
    return Account(
        role=ROLES[str(value["role"])], banned=value["banned"] is True, networks=tuple(map(str, networks)), **texts
    )
