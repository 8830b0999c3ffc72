"""Who comes in: accounts checked by name and password, new accounts, guests."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from threading import BoundedSemaphore
from typing import TypeVar
from unicodedata import normalize

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from mud.clock import Clock, iso
from mud.errors import Refusal
from mud.portal.limits import NOT_FROM_THERE, Limits, network_of
from mud.portal.settings import DoorSettings
from mud.sanitize import visible
from mud.storage.accounts import Account, AccountFiles
from mud.world.roles import Role

log = logging.getLogger(__name__)

SHORTEST, LONGEST = 8, 128
"""Characters that a password may have."""
NETWORKS = 8
"""Networks from which an account came in last that are kept."""
LONGEST_NAME = 60  # characters of a name that are looked at
AT_ONCE = 2  # hashes computed at the same time; each takes 64 MB
WAITING = 32  # passwords that may wait for that, those being checked included
WRONG = "That name and that password do not belong together."
"""The same for a name that nobody has and for a banned one, so that neither can be found out."""
WRONG_TOKEN = "That token is not known here; @token in the world makes a new one."
Result = TypeVar("Result")


class Authenticator:
    """Checks who comes in. A password is in no error, no log and no file, only its hash is in that of the account.

    Args:
        free: returns a name for a new character, made clean; raises LociError when it cannot be given.
    """

    def __init__(
        self,
        accounts: AccountFiles,
        limits: Limits,
        settings: Callable[[], DoorSettings],
        clock: Clock,
        free: Callable[[str], str],
        hasher: PasswordHasher | None = None,
    ) -> None:
        self.accounts, self.limits = accounts, limits
        self._settings, self._clock, self._free = settings, clock, free
        self._hasher = hasher or PasswordHasher()
        # A pool of its own: what a cancelled caller began still counts until it is done.
        self._pool = ThreadPoolExecutor(AT_ONCE, "passwords")
        self._room = BoundedSemaphore(WAITING)
        self._nobody = ""  # a hash that is checked for unknown names, so that they take as long

    async def login(self, address: str, name: str, password: str) -> Account:
        """Return the account with this name and password. Raises Refusal."""
        self.check_address(address)
        name = name[:LONGEST_NAME]
        account = self.accounts.find(name)
        self.limits.login(address, name, account.networks if account else ())
        self._nobody = self._nobody or await self._in_pool(self._hasher.hash, b"")
        checked = account.hash if account and account.hash else self._nobody
        right = await self._in_pool(self._verified, checked, _bytes(password))
        account = self.accounts.find(name)  # it may have changed meanwhile
        if not right or account is None or account.banned or account.hash != checked:
            raise Refusal(WRONG)
        self.limits.login_succeeded(address, account.name, account.networks)
        return self._came_in(account, address)

    async def register(self, address: str, name: str, password: str) -> Account:
        """Make an account with the name that somebody asks for; see `new_name` and `make_account`."""
        self.check_address(address)
        check_password(password)
        return await self.make_account(address, self.new_name(address, name), password)

    async def make_account(self, address: str, name: str, password: str) -> Account:
        """Make an account with a name that `new_name` returned. Raises LociError and OSError."""
        self.check_address(address)
        self.limits.new_account(address)
        account = await self.create(name, Role.PLAYER, password)
        self.limits.name_given(address)
        return self._came_in(account, address)

    def _came_in(self, account: Account, address: str) -> Account:
        """Keep from where an account came in, so that strangers cannot shut it out there, and return it."""
        network = network_of(address)
        if account.networks[-1:] == (network,):
            return account
        others = [one for one in account.networks if one != network]
        account = replace(account, networks=(*others, network)[-NETWORKS:])
        try:
            self.accounts.write(account, synced=False)
        except OSError as error:
            log.warning("from where %s came in cannot be written: %s", account.name, error)
        return account

    async def create(self, name: str, role: Role, password: str, character: str = "") -> Account:
        """Make an account with a role, and return it. Raises LociError for an unfit name or password, and OSError.

        Args:
            character: id of the character that it leads from now on; empty for a new one.
        """
        check_password(password)
        hash = await self._in_pool(self._hasher.hash, _bytes(password))
        clean = name if character else self._check_new(name)  # not before: it may be taken by now
        account = Account(clean, role, hash, character, created=iso(self._clock.now()))
        self.accounts.write(account)
        return account

    def new_name(self, address: str, name: str) -> str:
        """Return the name of an account that somebody may make over the network, made clean. Raises LociError.

        Many names from one address have to wait, as who asks for them finds out which are taken.
        """
        self.limits.name_asked(address)
        if not self._settings().new_accounts:
            raise Refusal("This world takes no new accounts.", "its owner can make one for you")
        return self._check_new(name)

    def _check_new(self, name: str) -> str:
        clean = self._free(name)
        if self.accounts.find(clean) is not None:
            raise Refusal(f"The name {clean} is taken.", "take another name")
        return clean

    def guest(self, address: str) -> None:
        """Check that a guest may come in, and count it. Raises Refusal."""
        self.check_address(address)
        if not self._settings().guests:
            raise Refusal("This world takes no guests.", "come in with a name and a password")
        self.limits.guest(address)

    def check_address(self, address: str) -> None:
        """Raise Refusal when an address is banned."""
        if self.accounts.is_banned(address):
            raise Refusal(NOT_FROM_THERE)

    async def set_password(self, name: str, password: str) -> None:
        """Give an account another password. Raises Refusal and OSError."""
        check_password(password)
        hash = await self._in_pool(self._hasher.hash, _bytes(password))
        account = self.accounts.find(name)  # its role may have changed meanwhile
        if account is None:
            raise Refusal(f"There is no account {visible(name[:LONGEST_NAME])}.")
        self.accounts.write(replace(account, hash=hash, token=""))  # whoever had the old password may have made one

    def by_token(self, token: str) -> Account:
        """Return the account with this token. Raises Refusal.

        Wrong ones are not counted: nobody guesses 256 random bits.
        """
        account = self.accounts.with_token(_digest(token))
        if account is None or account.banned:
            raise Refusal(WRONG_TOKEN)
        return account

    def new_token(self, account: Account) -> str:
        """Make a token for an account, in place of the one that it has, and return it. Raises OSError."""
        token = f"loci-{secrets.token_urlsafe(32)}"
        self.accounts.write(replace(account, token=_digest(token)))
        return token

    async def _in_pool(self, work: Callable[..., Result], *args: str | bytes) -> Result:
        """Run work with passwords in a thread. Raises Refusal when too many wait for that."""
        if not self._room.acquire(blocking=False):
            raise Refusal("Many people are coming in just now.", "try again in a few seconds")
        future: Future[Result] = self._pool.submit(work, *args)
        future.add_done_callback(lambda done: self._room.release())
        return await asyncio.wrap_future(future)

    def _verified(self, hash: str, password: bytes) -> bool:
        try:
            return self._hasher.verify(hash, password)
        except (Argon2Error, InvalidHashError):
            return False


def check_password(password: str) -> None:
    """Raise Refusal for a password that is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise Refusal(f"A password has {SHORTEST} to {LONGEST} characters.")


def _digest(token: str) -> str:
    """Return the hash of a token; unlike a password it is random, so that a quick one will do."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _bytes(password: str) -> bytes:
    """Return what is hashed, the same from every keyboard; what is too long for a password is cut to be too long."""
    return normalize("NFC", password[: LONGEST + 1]).encode("utf-8", "surrogatepass")
