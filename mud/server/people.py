"""People in the world: their characters come in, are led by sessions, and stay behind asleep or go away."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from agents.agent import Agent
from agents.definition import check_free, check_name, find_definition, find_location
from mud.engine.engine import Step, WorldSettings
from mud.errors import LociError, Refusal
from mud.portal.session import Message, Session, Sessions, names_around
from mud.server.bulk import newcomer
from mud.server.reloading import Reloading
from mud.server.wiring import Parts
from mud.storage.accounts import Account, AccountFiles
from mud.world.roles import Role
from mud.world.things import Thing

log = logging.getLogger(__name__)

GUEST = "Guest"


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
        self.accounts = AccountFiles(parts.vault)
        self.wrote = reloading.wrote
        self._parts, self._reloading, self._submit, self._arrived = parts, reloading, submit, arrived
        self._passing: set[str] = set()
        """Ids of characters that go away when nobody leads them any more: those of guests and of the local player."""

    def enter_local(self, name: str, show: Callable[[Message], None]) -> Session:
        """Let the person in who started the program. Raises LociError."""
        session = self._enter(self._character(name), Role.OWNER, show)
        self._passing.add(session.own)
        return session

    def enter(self, account: Account | None, show: Callable[[Message], None]) -> Session:
        """Let a person with an account in, or a guest. Raises LociError and OSError."""
        if account is None:
            session = self._enter(newcomer(self._parts, self._guest_name(), person=True), Role.GUEST, show)
            self._passing.add(session.own)
            return session
        agent = self._character_of(account)
        if account.character != agent.id:
            self.accounts.write(replace(account, character=agent.id))
        return self._enter(agent, account.role, show)

    def _character_of(self, account: Account) -> Agent:
        """Return the character of an account, made when it never came in.

        A character that somebody else had before the account was made is not given away.
        """
        found = find_definition(account.character or account.name, self._parts.minds.definitions)
        if found is None or not found.person:
            return newcomer(self._parts, account.name, person=True)
        if not account.character:
            raise LociError(f"{found.name} is somebody else's; the owner can give this account another name")
        return self._parts.minds.open(found.slug)

    def _character(self, name: str) -> Agent:
        found = find_definition(name, self._parts.minds.definitions)
        if found is None:
            slug = self._reloading.brought_back(name)
            return self._parts.minds.open(slug) if slug else newcomer(self._parts, name, person=True)
        if not found.person:
            raise LociError(f"{found.name} is played by a mind of the world; take another name with --as")
        return self._parts.minds.open(found.slug)

    def _guest_name(self) -> str:
        """Return a name that no guest had before, as a character's memories are its own."""
        taken = {one.name for one in self._parts.minds.definitions.values()}
        return next(name for n in itertools.count(1) if (name := f"{GUEST} {n}") not in taken)

    def free_name(self, name: str) -> str:
        """Return a name for a new character, made clean. Raises LociError when it cannot be given."""
        clean = check_name(name)
        check_free(clean, self._parts.engine.world)
        if find_definition(clean, self._parts.minds.definitions) is not None:
            raise Refusal(f"The name {clean} is taken.", "take another name")
        return clean

    def _enter(self, agent: Agent, role: Role, show: Callable[[Message], None]) -> Session:
        parts, engine, character = self._parts, self._parts.engine, agent.definition.thing()
        parts.engine.witnesses.add(agent.id)
        self._reloading.watch_agent(agent.folder)
        names = partial(names_around, engine.world)
        session = Session(agent.id, lambda line: self._submit(agent.id, line, session.role), show, role, names)
        if agent.id not in engine.world.where:
            step = engine.enter(character, self._start_of(agent.id).id)
        elif agent.id in engine.world.absent:
            step = engine.come_back(character)
        else:  # led at another door too
            step = engine.step(agent.id, "look", role)
        if step.failed:
            raise LociError(step.reply)
        session.show(Message(step.reply, names=names(agent.id)))
        self.sessions.add(session)
        self._arrived(agent)
        return session

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
        """Take a session away. The character that nobody leads any more falls asleep, or goes away with its guest."""
        if session not in self.sessions.of(session.own):
            return
        self.sessions.remove(session)
        session.end()
        character = self._parts.engine.world.get(session.own)
        if character is None or self.sessions.of(session.own):
            return
        engine, resting = self._parts.engine, self._parts.minds.resting
        if resting.leads(session.own) is not None:
            resting.possession = None
        if session.own in self._passing:
            self._passing.discard(session.own)
            engine.leave(character)
        elif character.id in engine.world.where:
            engine.leave_asleep(character)

    def leave_all(self) -> None:
        for session in list(self.sessions):
            self.leave(session)

    def tell_owners(self, text: str) -> bool:
        """Show a text to every owner; return whether there is one."""
        owners = [one for one in self.sessions if one.role is Role.OWNER]
        for session in owners:
            session.tell(text)
        return bool(owners)
