"""Who comes in: accounts checked by name and password, new accounts, guests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from mud.clock import Clock, iso
from mud.errors import Refusal
from mud.portal.limits import Limits
from mud.portal.settings import DoorSettings
from mud.storage.accounts import Account, AccountFiles
from mud.world.roles import Role

SHORTEST, LONGEST = 8, 128
"""Characters that a password may have."""
AT_ONCE = 2  # hashes computed at the same time; each takes 64 MB
WRONG = "That name and that password do not belong together."
"""The same for a name that nobody has, so that names cannot be found out."""


class Authenticator:
    """Checks who comes in.

    Args:
        free: raises LociError when a name cannot be given to a new character.
    """

    def __init__(
        self,
        accounts: AccountFiles,
        limits: Limits,
        settings: Callable[[], DoorSettings],
        clock: Clock,
        free: Callable[[str], str],
    ) -> None:
        self.accounts, self.limits = accounts, limits
        self._settings, self._clock, self._free = settings, clock, free
        self._hasher = PasswordHasher()
        self._few = asyncio.Semaphore(AT_ONCE)
        self._nobody = ""  # a hash that is checked for unknown names, so that they take as long

    async def login(self, address: str, name: str, password: str) -> Account:
        """Return the account with this name and password. Raises Refusal."""
        self.check_address(address)
        self.limits.login(address, name)
        account = self.accounts.find(name)
        self._nobody = self._nobody or await self._hashed("")
        right = await self._verified(account.hash if account else self._nobody, password)
        account = self.accounts.find(name)  # it may have changed meanwhile
        if not right or account is None or account.banned:
            self.limits.login_failed(address, name)
            raise Refusal(WRONG)
        return account

    async def register(self, address: str, name: str, password: str) -> Account:
        """Make an account and return it. Raises Refusal, also for an unfit name (as LociError), and OSError."""
        self.check_address(address)
        if not self._settings().new_accounts:
            raise Refusal("This world takes no new accounts.", "its owner can make one for you")
        clean = self._free(name)
        if self.accounts.find(clean) is not None:
            raise Refusal(f"The name {clean} is taken.", "take another name")
        check_password(password)
        self.limits.new_account(address)
        return await self.set_password(Account(clean, Role.PLAYER, "", created=iso(self._clock.now())), password)

    def guest(self, address: str) -> None:
        """Check that a guest may come in. Raises Refusal."""
        self.check_address(address)
        if not self._settings().guests:
            raise Refusal("This world takes no guests.", "come in with a name and a password")

    def check_address(self, address: str) -> None:
        """Raise Refusal when an address is banned."""
        if address in self.accounts.banned_addresses:
            raise Refusal("You cannot come in from there.")

    async def set_password(self, account: Account, password: str) -> Account:
        """Give an account, which may be a new one, a password, and write it. Raises Refusal and OSError."""
        check_password(password)
        changed = replace(account, hash=await self._hashed(password))
        self.accounts.write(changed)
        return changed

    async def _hashed(self, password: str) -> str:
        async with self._few:
            return await asyncio.to_thread(self._hasher.hash, password)

    async def _verified(self, hash: str, password: str) -> bool:
        async with self._few:
            try:
                return await asyncio.to_thread(self._hasher.verify, hash, password)
            except (Argon2Error, InvalidHashError):
                return False


def check_password(password: str) -> None:
    """Raise Refusal for a password that is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise Refusal(f"A password has {SHORTEST} to {LONGEST} characters.")
