"""Who is signed in at which browser: server-side sessions, found by the random id in a cookie."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from mud.portal.phrases import IDLE
from mud.portal.portal import Portal
from mud.portal.session import Message, Session
from mud.portal.web.play_session import PlaySession
from mud.storage.accounts import Account
from mud.world.roles import Role

DOOR = "web"
MOST = 2000
"""Browsers that may be signed in at a time; then the one that was silent longest is signed out."""
LASTS = 12 * 3600.0
"""Seconds without a request after which a browser is signed out."""


@dataclass(eq=False)
class Visitor:
    """A browser that is signed in.

    Args:
        account: the account; None for a guest, and for the owner who came by the address that the start told.
    """

    role: Role
    account: Account | None
    seen: float
    play: PlaySession

    @property
    def name(self) -> str:
        """What limits are counted by."""
        return self.account.name if self.account else ""


class Visitors:
    """The browsers that are signed in."""

    def __init__(self, portal: Portal) -> None:
        self._portal, self._accounts, self._clock = portal, portal.authenticator.accounts, portal.clock
        self._secret = secrets.token_bytes(32)
        self._visitors: dict[str, Visitor] = {}

    def token(self, cookie: str) -> str:
        """Return what forms of the browser with this cookie carry, so that no other page can send them."""
        return hmac.new(self._secret, cookie.encode(), hashlib.sha256).hexdigest()

    def sign_in(self, role: Role, account: Account | None) -> str:
        """Sign a browser in and return its cookie's value."""
        if len(self._visitors) >= MOST:
            oldest = min(self._visitors, key=lambda one: (self._visitors[one].play.taken, self._visitors[one].seen))
            self.sign_out(oldest)
        cookie = secrets.token_urlsafe(32)

        def enter(show: Callable[[Message], None], address: str) -> Session:
            if role is not Role.OWNER or account is not None:
                return self._portal.enter(self._visitors[cookie].account, show, DOOR, address)
            session = self._portal.enter_owner(show)
            session.door, session.address = DOOR, address
            return session

        def left() -> None:
            if role is Role.GUEST:  # whose character goes with the session
                self._visitors.pop(cookie, None)

        play = PlaySession(self._portal, enter, left)
        self._visitors[cookie] = Visitor(role, account, self._clock.monotonic(), play)
        return cookie

    def sign_out(self, cookie: str) -> None:
        """Sign a browser out, and end its session in the world."""
        gone = self._visitors.pop(cookie, None)
        if gone is not None:
            gone.play.leave()

    def find(self, cookie: str) -> Visitor | None:
        """Return who has this cookie, with the role of today; None when nobody has, or may have no longer."""
        found = self._visitors.get(cookie)
        if found is None:
            return None
        now = self._clock.monotonic()
        if not self._still_good(found) or (now - found.seen > LASTS and not found.play.taken):
            self.sign_out(cookie)
            return None
        found.seen = now
        return found

    def _still_good(self, visitor: Visitor) -> bool:
        """Return whether an account may still come in with the password it came with, and take over its role."""
        if visitor.account is None:
            return True
        today = self._accounts.find(visitor.account.name)
        if today is None or today.banned or today.hash != visitor.account.hash:
            return False
        visitor.account, visitor.role = today, today.role
        return True

    def sweep(self) -> None:
        """Sign out whose time is over, and let go who has typed nothing for too long."""
        for cookie, one in list(self._visitors.items()):
            one.play.leave_when_idle(self._portal.say(IDLE))
            if self._clock.monotonic() - one.seen > LASTS and not one.play.taken:
                self.sign_out(cookie)

    def close(self) -> None:
        """Sign everybody out."""
        for cookie in list(self._visitors):
            self.sign_out(cookie)
