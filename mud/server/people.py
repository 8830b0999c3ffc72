"""People in the world: their characters come in, are led by sessions, and stay behind asleep or go away."""

from __future__ import annotations

import asyncio
import itertools
import logging
import re
from collections.abc import Awaitable, Callable, Container, Iterable
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from agents.agent import Agent
from agents.definition import check_free, check_name, check_unread, find_definition, find_location
from agents.directory import AGENT
from agents.population.pausing import PauseState
from mud.clock import iso
from mud.commands import Outcome, expand
from mud.engine.engine import Step, WorldSettings
from mud.errors import LociError, Refusal
from mud.portal.letters import OpenLetter
from mud.portal.limits import NOT_FROM_THERE, Limits
from mud.portal.phrases import CLOSING
from mud.portal.portal import OpenDoors
from mud.portal.session import Message, Session, Sessions, names_around, tells_password, without_key
from mud.portal.settings import DoorSettings
from mud.server.away import AwayNews
from mud.server.building.files import Building
from mud.server.bulk import newcomer
from mud.server.reloading import Reloading
from mud.server.wiring import Parts
from mud.storage.accounts import Account, holds
from mud.world.events import Request
from mud.world.names import misleading
from mud.world.roles import Role
from mud.world.things import Thing

if TYPE_CHECKING:
    from mud.portal.authentication import Authenticator

log = logging.getLogger(__name__)

GUEST = "Guest"
_GUESTS = re.compile(rf"{GUEST}\b", re.IGNORECASE)
STALE = "You have to come in anew, with your name and your password."
PASSWORD = "@password"


class People:
    """Everybody at a keyboard.

    Args:
        submit: carries out a line of a character with a role, requests included.
        arrived: called with the agent of each character that came in.
    """

    def __init__(
        self,
        parts: Parts,
        reloading: Reloading,
        submit: Callable[[str, str, Role], Step],
        arrived: Callable[[Agent], None],
    ) -> None:
        self.sessions = Sessions(parts.engine.world)
        self.settings = partial(parts.configuration.get, DoorSettings)
        self.limits = Limits(self.settings, parts.clock)
        self.doors = OpenDoors()
        self.news = AwayNews(parts.engine.world, parts.ledger, parts.texts)
        self.accounts = parts.accounts
        self._left: dict[str, str] = {}  # when each character was left
        self.open_letter: OpenLetter = lambda what, sent, signature: None
        """Takes letters of other worlds; nobody's while this world has no neighbours."""
        self.travel: Callable[[Request], Awaitable[Outcome]] | None = None
        """Answers what is asked about other worlds; None where nobody could go there."""
        self.wrote, self.building = reloading.wrote, Building(parts, reloading)
        self.world, self.resting = parts.engine.world, parts.minds.resting
        self._parts, self._reloading, self._submit, self._arrived = parts, reloading, submit, arrived

    @cached_property
    def authenticator(self) -> Authenticator:
        """Checks passwords."""
        # Imported here because a world without a network needs no password hashes.
        from mud.portal.authentication import Authenticator

        return Authenticator(self.accounts, self.limits, self.settings, self._parts.clock, self.free_name)

    def enter_local(self, name: str, show: Callable[[Message], None], *, news: bool = False) -> Session:
        """Let the person in who started the program. Raises LociError.

        Args:
            news: whether to tell what happened while they were away.
        """
        return self._enter(self._character(name), self._session(Role.OWNER, show), news=news)

    def enter(
        self, account: Account | None, show: Callable[[Message], None], door: str = "", address: str = ""
    ) -> Session:
        """Let a person with an account in, or a guest.

        Args:
            account: as the person came in with it; refused when it was banned since, or has another password.
            door, address: by which and from where the person comes.

        Raises:
            LociError, OSError: the person cannot come in.
        """
        if self.accounts.is_banned(address):
            raise Refusal(NOT_FROM_THERE)
        session = self._session(Role.GUEST, show)
        session.door, session.address = door, address
        if account is None:
            return self._enter(self._newcomer(self._guest_name()), session)
        known = self.accounts.find(account.name)
        if known is None or known.banned or known.hash != account.hash:
            raise Refusal(STALE)
        agent = self._character_of(known)
        if len(self.sessions.of(agent.id)) >= self.settings().sessions_per_account:
            raise Refusal("You are here from too many places already.", "leave at one of them first")
        session.account, session.role = known.name, known.role
        if known.character != agent.id:
            self.accounts.write(replace(known, character=agent.id))
        self._enter(agent, session, news=True)
        self._note_seen(session)
        return session

    def _now(self) -> str:
        return iso(self._parts.clock.now())

    def _session(self, role: Role, show: Callable[[Message], None]) -> Session:
        """Return a session that leads no character yet."""

        def submit(line: str) -> Step:
            whole = self._without_password(self._expanded(session.own, line), session.role)
            return self._submit(session.own, whole, session.role)

        session = Session("", submit, show, role, partial(names_around, self._parts.engine.world))
        session.soon = lambda work: asyncio.get_running_loop().call_soon(work)
        return session

    def _expanded(self, who: str, line: str) -> str:
        """Return the line that one stands for which begins with an alias of the person who typed it."""
        agent, engine = self._parts.minds.by_id(who), self._parts.engine
        aliases = agent.aliases() if agent is not None else {}
        return expand(line, aliases, engine.commands, engine.world.location_of(who)) if aliases else line

    def _without_password(self, line: str, role: Role) -> str:
        """Return a line without the password or key that may stand in it; an owner may name an account there."""
        line = without_key(line)
        if not tells_password(line):
            return line
        name = " ".join(line.split()[1:])
        return f"{PASSWORD} {name}" if role is Role.OWNER and self.accounts.find(name) is not None else PASSWORD

    def _character_of(self, account: Account) -> Agent:
        """Return the character of an account, made when it never came in.

        A character that somebody else had before the account was made is not given away.
        """
        minds = self._parts.minds
        if not account.character:
            return self._unlived(account.name) or self._newcomer(account.name)
        found = next((one for one in minds.definitions.values() if one.id == account.character), None)
        if found is None and (slug := self._reloading.brought_back(account.name)):
            found = minds.definitions[slug]
        if found is None:
            return self._newcomer(account.name)
        if not found.person:
            raise LociError(f"{found.name} is played by a mind of the world now; the owner can help")
        return self._opened(found.slug)

    def _unlived(self, name: str) -> Agent | None:
        """Return the character that was made for an account just before the program was killed."""
        minds, world = self._parts.minds, self._parts.engine.world
        found = next((one for one in minds.definitions.values() if one.person and one.name == name), None)
        if found is None or found.id in world.where or found.id in world.away:
            return None
        agent = minds.open(found.slug)
        return agent if not agent.memory.total else None

    def _character(self, name: str) -> Agent:
        found = find_definition(name, self._parts.minds.definitions)
        if found is None:
            slug = self._reloading.brought_back(name)
            return self._parts.minds.open(slug) if slug else self._newcomer(name)
        if not found.person:
            raise LociError(f"{found.name} is played by a mind of the world; take another name with --as")
        return self._opened(found.slug)

    def _opened(self, slug: str) -> Agent:
        """Return a person's character, with the edits that its files had while nobody watched them."""
        minds = self._parts.minds
        if minds.by_slug(slug) is None:
            minds.load_definition(slug)
        return minds.open(slug)

    def _newcomer(self, name: str) -> Agent:
        """Return the character of somebody new; its file is our own, for which the vault need not be read again."""
        agent = newcomer(self._parts, name, person=True)
        file = agent.folder / AGENT
        self._reloading.watcher.wrote(file, file.read_text("utf-8"))
        return agent

    def _guest_name(self) -> str:
        """Return a name that no guest had before, as a character's memories are its own."""
        taken = {one.name for one in self._parts.minds.definitions.values()}
        return next(name for n in itertools.count(1) if (name := f"{GUEST} {n}") not in taken)

    def free_name(self, name: str) -> str:
        """Return a name for a new character, made clean. Raises Refusal when it cannot be given."""
        clean = check_name(name)
        parts = self._parts
        taken = Refusal(f"The name {clean} is taken, or looks like one that is.", "take another name")
        known = [one for definition in parts.minds.definitions.values() for one in definition.names]
        known += [one.name for one in self.accounts]
        if _GUESTS.match(clean) or self.accounts.find(clean) or misleading(clean, known):
            raise taken
        if find_definition(clean, parts.minds.definitions):
            raise taken
        try:
            check_free(clean, parts.engine.world)
            check_unread(clean, parts.vault / "agents", parts.minds.drafts)
        except LociError:
            raise taken from None
        return clean

    def _enter(self, agent: Agent, session: Session, *, news: bool = False) -> Session:
        parts, engine, character = self._parts, self._parts.engine, agent.definition.thing()
        parts.engine.witness(agent.id)
        self._reloading.watch_agent(agent.folder)
        session.own = session.who = agent.id
        led, since = bool(self.sessions.of(agent.id)), self._last_here(agent)
        if agent.id not in engine.world.where:
            step = engine.enter(character, self._start_of(agent.id).id)
        elif agent.id in engine.world.absent:
            step = engine.come_back(character)
        else:  # led at another door too
            step = engine.step(agent.id, "look", session.role)
        if step.failed:
            raise LociError(step.reply)
        session.show(Message(step.reply, names=names_around(engine.world, agent.id)))
        self.sessions.add(session)
        look_through(self.sessions, parts.minds.resting)
        self._arrived(agent)
        if news and not led:
            session.tell("\n".join(self.news.came_back(agent.id, since, self._now())), "news")
        return session

    def _last_here(self, agent: Agent) -> str:
        """Return until when a person was here, as far as is known: empty for somebody new."""
        account = self.accounts.of(agent.id)
        lived = agent.memory.tail[-1].at if agent.memory.tail else ""
        return max(lived, account.seen if account else "", self._left.get(agent.id, ""))

    def _start_of(self, who: str) -> Thing:
        """Return where a character enters: its last location, else `start_location` of `config/world.md`."""
        world = self._parts.engine.world
        if (left := world.get(world.away.get(who, ""))) is not None:
            return left
        wanted = self._parts.configuration.get(WorldSettings).start_location
        found = find_location(wanted, world.locations())
        if found is None:
            log.warning("config/world.md: start_location: there is no %r; starting elsewhere", wanted)
        return found or world.locations()[0]

    def leave(self, session: Session) -> None:
        """Take a session away.

        The character that nobody leads any more falls asleep, or goes away when it has no account. Its memory is closed
        by `close_left`.
        """
        if session not in self.sessions.of(session.own):
            return
        self.sessions.remove(session)
        session.end()
        look_through(self.sessions, self.resting)
        self._note_seen(session)
        engine = self._parts.engine
        character = engine.world.get(session.own)
        if session.role is not Role.GUEST:
            self._left[session.own] = self._now()
        if character is None or self.sessions.of(session.own) or character.id in engine.world.elsewhere:
            return
        if session.role is Role.GUEST:  # nobody has this character ever again
            engine.leave_for_good(character)
        elif self.accounts.of(session.own) is None:
            engine.leave(character)
        elif character.id in engine.world.where:
            engine.leave_asleep(character)

    def close_left(self, asking: Container[str] = ()) -> None:
        """Close the memory of each person whom nobody leads any more, unless something of it is unfinished.

        Args:
            asking: ids of the characters whose requests are not answered yet.
        """
        minds, led = self._parts.minds, {one.own for one in self.sessions} | {one.who for one in self.sessions}
        for agent in minds.in_use():
            if agent.definition.person and agent.id not in led and agent.id not in asking and minds.close(agent):
                self._parts.engine.witness(agent.id, keeps=False)
                self._reloading.unwatch_agent(agent.folder)

    def _note_seen(self, session: Session) -> None:
        account = self.accounts.find(session.account) if session.account else self.accounts.of(session.own)
        if account is None:
            return
        try:
            self.accounts.write(replace(account, seen=self._now()), synced=False)
        except OSError as error:
            log.warning("when %s was seen last cannot be written: %s", account.name, error)

    def send_away(self, sessions: Iterable[Session], why: str) -> None:
        """End sessions, and tell their people why."""
        for session in list(sessions):
            session.end(why)
            self.leave(session)

    def from_address(self, banned: str) -> list[Session]:
        """Return the sessions from an address or a network."""
        return [one for one in self.sessions if one.address and holds(banned, one.address)]

    def leave_all(self) -> None:
        """Tell everybody that the world closes, and take all sessions away."""
        self.send_away(self.sessions, self._parts.texts.render(CLOSING))

    def tell_owners(self, text: str, kind: str = "notice") -> bool:
        """Show a text to every owner; return whether there is one."""
        owners = [one for one in self.sessions if one.role is Role.OWNER]
        for session in owners:
            session.tell(text, kind)
        return bool(owners)


def look_through(sessions: Sessions, resting: PauseState) -> None:
    """Let each session show what the agent perceives that its owner possesses, or else its own character.

    An agent whose possessor has no session as an owner any more is free.
    """
    led = resting.possession
    if led is not None and all(one.role is not Role.OWNER for one in sessions.of(led.owner)):
        resting.possession = None
    for session in list(sessions):
        led = resting.leads(session.own) if session.role is Role.OWNER else None
        sessions.look_through(session, led.who if led is not None else session.own)
