"""Accounts of people who come in over the network, and banned addresses: `accounts/` in the vault.

The folder holds password hashes. It is readable by its owner only, kept out of git, and shown to nobody.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mud.errors import Problem, VaultProblem
from mud.storage.files import free_stem, read_if_there, slugify, write_private
from mud.storage.paths import make_folder, matching
from mud.world.matching import plain
from mud.world.roles import Role

FOLDER = "accounts"
BANS = ".bans.json"
_LONGEST = 64 * 1024  # bytes of a file that are read
_ROLES = {role.name.lower(): role for role in (Role.PLAYER, Role.BUILDER, Role.OWNER)}


@dataclass(frozen=True, slots=True)
class Account:
    """Who may come in with a password.

    Args:
        name: of the account and of its character.
        role: what its lines may do.
        hash: of the password, in argon2's own form.
        character: id of its character; empty until it first comes in.
        created: UTC time, ISO 8601.
        banned: it may not come in.
    """

    name: str
    role: Role
    hash: str
    character: str = ""
    created: str = ""
    banned: bool = False


class AccountFiles:
    """The accounts of a vault, a JSON file each. All of them are held in RAM."""

    def __init__(self, vault: Path) -> None:
        self.folder = vault / FOLDER
        self._accounts: dict[str, tuple[str, Account]] = {}
        """Each account and the stem of its file, by its plain name."""
        self.banned_addresses: frozenset[str] = frozenset()

    def __iter__(self) -> Iterator[Account]:
        return iter(sorted((account for _, account in self._accounts.values()), key=lambda one: one.name.lower()))

    def load(self) -> list[Problem]:
        """Read all accounts; a file that cannot be read is reported, and its account cannot come in."""
        problems: list[Problem] = []
        self._accounts.clear()
        for path in matching(self.folder, "[!.]*.json"):
            try:
                account = _account(self._read(path.name))
            except VaultProblem as wrong:
                problems += wrong.problems
            else:
                self._accounts[plain(account.name)] = (path.stem, account)
        try:
            banned = self._read(BANS).get("addresses")
            self.banned_addresses = frozenset(map(str, banned if isinstance(banned, list) else ()))
        except VaultProblem as wrong:
            problems += wrong.problems
        return problems

    def _read(self, name: str) -> dict[str, object]:
        file = f"{FOLDER}/{name}"
        text = read_if_there(self.folder / name, _LONGEST, file)
        try:
            value = json.loads(text or "{}")
        except ValueError:
            value = None
        if not isinstance(value, dict) or (name != BANS and not _is_account(value)):
            raise VaultProblem([Problem(file, 1, "", "this is not as the program writes it")])
        return value

    def find(self, name: str) -> Account | None:
        """Return the account with this name, in any case."""
        found = self._accounts.get(plain(name))
        return found[1] if found else None

    def write(self, account: Account) -> None:
        """Write a new or changed account. Raises OSError."""
        make_folder(self.folder)
        key = plain(account.name)
        taken = {stem for stem, _ in self._accounts.values()}
        stem = self._accounts[key][0] if key in self._accounts else free_stem(taken, slugify(account.name))
        value = dataclasses.asdict(account) | {"role": account.role.name.lower()}
        write_private(self.folder / f"{stem}.json", json.dumps(value, ensure_ascii=False, indent=1) + "\n")
        self._accounts[key] = (stem, account)

    def ban_addresses(self, addresses: frozenset[str]) -> None:
        """Replace the banned addresses. Raises OSError."""
        make_folder(self.folder)
        write_private(self.folder / BANS, json.dumps({"addresses": sorted(addresses)}) + "\n")
        self.banned_addresses = addresses


def _is_account(value: dict[str, object]) -> bool:
    texts = [value.get(key) for key in ("name", "role", "hash", "character", "created")]
    return (
        all(isinstance(text, str) for text in texts)
        and value["role"] in _ROLES
        and isinstance(value.get("banned"), bool)
    )


def _account(value: dict[str, object]) -> Account:
    texts = {key: str(value[key]) for key in ("name", "hash", "character", "created")}
    return Account(role=_ROLES[str(value["role"])], banned=value["banned"] is True, **texts)
