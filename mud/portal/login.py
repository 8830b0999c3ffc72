"""The dialogue at a line-based door: who comes in, or makes an account. It knows nothing of sockets.

Whether an account exists is never told: a new one is made by asking for it, not by typing a name that nobody has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from mud.engine.engine import REFUSED_HINT
from mud.errors import LociError, Refusal
from mud.portal.authentication import check_password
from mud.portal.phrases import (
    AGAIN,
    BYE,
    DIFFERENT,
    GREETING,
    NAME,
    NEW_NAME,
    NEW_PASSWORD,
    PASSWORD,
    RESERVED,
    TO_REGISTER,
    TO_VISIT,
    TOO_OFTEN,
    UNWRITTEN,
)
from mud.portal.portal import Portal
from mud.portal.session import Message, Session
from mud.sanitize import sanitize
from mud.storage.accounts import Account
from mud.world.matching import plain

TRIES = 10  # names and passwords that one connection may try, and new passwords
GUEST, NEW, QUIT = "guest", "new", "quit"


class _TooOften(Exception):
    """Somebody tried too often to choose a password."""


class Ask(Protocol):
    async def __call__(self, prompt: str, *, hidden: bool = False) -> str:
        """Show a prompt and return the line that is typed; what is `hidden` is not shown while it is typed."""
        ...


class Login:
    """One person who wants to come in.

    Args:
        door, address: the name of the door, and where the connection comes from.
        ask: asks the person for a line.
        tell: shows the person a text.
    """

    def __init__(self, portal: Portal, door: str, address: str, ask: Ask, tell: Callable[[str], None]) -> None:
        self._portal, self._door, self._address, self._ask, self._tell = portal, door, address, ask, tell

    async def run(self, show: Callable[[Message], None]) -> Session | None:
        """Talk until somebody is in, and return the session, which shows its messages with `show`.

        Returns None when the person quit or tried too often.
        """
        say = self._portal.say
        self._greet()
        for _ in range(TRIES):
            name = await self._named(say(NAME))
            if plain(name) == QUIT:
                self._tell(say(BYE))
                return None
            try:
                return self._portal.enter(await self._account(name), show, self._door, self._address)
            except _TooOften:
                break
            except Refusal as no:
                self._tell(say(REFUSED_HINT, why=no.text, hint=no.hint) if no.hint else no.text)
            except LociError as error:
                self._tell(str(error))
            except OSError as error:
                self._tell(say(UNWRITTEN, why=error.strerror or str(error)))
        self._tell(say(TOO_OFTEN))
        return None

    def _greet(self) -> None:
        say, settings = self._portal.say, self._portal.settings()
        lines = [say(GREETING, world=settings.world_name)]
        lines += [say(TO_REGISTER)] if settings.new_accounts else []
        lines += [say(TO_VISIT)] if settings.guests else []
        self._tell("\n".join(lines))

    async def _named(self, prompt: str) -> str:
        while not (name := sanitize(await self._ask(prompt)).strip()):
            pass
        return name

    async def _account(self, name: str) -> Account | None:
        say, authenticator = self._portal.say, self._portal.authenticator
        match plain(name):
            case word if word == GUEST:
                authenticator.guest(self._address)
                return None
            case word if word == NEW:
                return await self._register()
        password = await self._ask(say(PASSWORD), hidden=True)
        return await authenticator.login(self._address, name, password)

    async def _register(self) -> Account:
        say, authenticator = self._portal.say, self._portal.authenticator
        name = await self._named(say(NEW_NAME))
        if plain(name) in (GUEST, NEW, QUIT):
            raise Refusal(say(RESERVED, name=name))
        name = authenticator.new_name(self._address, name)
        return await authenticator.make_account(self._address, name, await self._new_password(name))

    async def _new_password(self, name: str) -> str:
        """Ask for a password until one is fit and was typed the same twice. Raises _TooOften.

        No other question comes in between: whoever types a password once more would show it there.
        """
        say = self._portal.say
        for _ in range(TRIES):
            password = await self._ask(say(NEW_PASSWORD, name=name), hidden=True)
            try:
                check_password(password)
            except Refusal as no:
                self._tell(no.text)
                continue
            if await self._ask(say(AGAIN), hidden=True) == password:
                return password
            self._tell(say(DIFFERENT))
        raise _TooOften
