"""Random evenings of several people and an agent at several doors: nobody is shown what is another's.

Every private thing that is typed holds a token of its own. Who may know it is known when it is typed: a whisper two, a
reason, a note, a thought or a search one. After each step what was shown is searched for tokens, and at the end what is
remembered, noted, mapped, and told on coming back.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mud.clock import VirtualClock
from mud.errors import LociError
from mud.portal.scene import scene_of
from mud.portal.session import Message
from mud.server.wiring import load_commands
from mud.world.events import Event
from mud.world.map import draw_map
from mud.world.roles import Role
from tests.examples import examples
from tests.unit.mud.server.lobby import Lobby, Seat, lobby

ROLES = {"Olive": Role.OWNER, "Bert": Role.BUILDER, "Ann": Role.PLAYER, "Cid": Role.PLAYER, "Guest": Role.GUEST}
DOORS = ("terminal", "telnet", "web")
"""The terminal is the owner's, whoever's character is played there."""
AGENT = "Eliza"
TOKEN = re.compile(r"zq\d+z")
COMMANDS = load_commands()
LOOKS = ("look", "who", "notes", "@memory-status", "@archive 1-99", "@memory-history", "@why", "@journal", "recall zq")
PRIES = ("@archive {} 1-99", "@memory-history {}", "@journal {}", "@why {}", "@show-profile {}", "@impersonate {}",
         "@memory-status {} full", "@undo-change {}", "@accounts", "@possess {}")  # fmt: skip
PRIED = (AGENT, AGENT, "Ann", "Guest 1")


class Evening:
    """People who do things at random, and what each of them may know."""

    def __init__(self, hall: Lobby) -> None:
        self.hall, self.world = hall, hall.home.engine.world
        self.seats: list[Seat] = []
        self.looked_at: dict[Seat, tuple[int, Role, str]] = {}
        """How many of its messages were looked at, and the seat's role and shown character then."""
        self.may: dict[str, set[str]] = {}
        self.been: dict[str, set[str]] = {}
        self.found = 0  # tokens that were shown to those who may know them

    @property
    def open(self) -> list[Seat]:
        return [seat for seat in self.seats if not seat.session.over]

    def token(self, *who: str) -> str:
        """Return a word that only the persons of these characters may ever be shown."""
        made = f"zq{len(self.may)}z"
        self.may[made] = set(who)
        return made

    def enter(self, name: str, door: str) -> None:
        try:
            local = door == "terminal" and name != "Guest"
            seat = self.hall.owner(name, news=True) if local else self.hall.enter(name, ROLES[name], door)
        except LociError:
            return  # that character is somebody else's, or there are too many sessions
        self.seats.append(seat)
        self.looked_at[seat] = (0, seat.session.role, seat.session.who)

    async def act(self, seat: Seat, what: str, number: int) -> None:
        if what != "pry":
            await self._type(seat, self._line(what, number, seat.session.own, seat.session.who))
            return
        for verb in PRIES:
            await self._type(seat, verb.format(PRIED[number % len(PRIED)]))
            if seat.session.who != seat.session.own:
                await self._type(seat, "@release")

    async def _type(self, seat: Seat, line: str) -> None:
        """Type a line at a seat, and check that its role sufficed if it was done."""
        if not line or seat.session.over:
            return
        role, begun, command = seat.session.role, len(seat.messages), COMMANDS.find(line.split()[0])
        await self.hall.type(seat, line)
        if command is not None and role < command.role and len(seat.messages) > begun:
            assert any("may use" in text for text in seat.shown[begun:]), f"{role.name} got {line!r} done"

    def _line(self, what: str, number: int, own: str, who: str) -> str:
        mine, reason = self.token(own, who), f" | {self.token(own, who)}"
        here = self.world.location_of(who)
        exits = here.exits if here is not None else ()
        others = [one for one in self.world.people(here.id) if one.id != who] if here is not None else []
        if what == "whisper" and others:
            other = others[number % len(others)]
            return f"whisper {other.name} {self.token(own, who, other.id)}{reason}"
        if what == "go" and exits:
            return f"go {exits[number % len(exits)].name}{reason}"
        lines = {
            "say": f"say {number} of us{reason}", "note": f"note {mine} -> {mine}{reason}",
            "think": f"think {mine}{reason}", "recall": f"recall {mine}{reason}", "quit": "quit",
            "look": LOOKS[number % len(LOOKS)],
            "possess": f"@possess {AGENT}", "release": "@release",
            "role": f"@role Bert {('player', 'builder', 'owner')[number % 3]}",
        }  # fmt: skip
        return lines.get(what, "")

    def agent_types(self, number: int) -> None:
        """Let the agent's model reply with a line: none reaches a command that agents are not offered."""
        own = self.hall.home.agent(AGENT).id
        here = self.world.location_of(own)
        others = [one for one in self.world.people(here.id) if one.id != own] if here is not None else []
        mine = self.token(own)
        lines = [f"think {mine}", f"say {number} and I | {mine}", f"note {mine} -> x | {mine}", "@possess Moss",
                 "@role Ann owner", "quit", "@archive Ann 1-99"]  # fmt: skip
        if others:
            other = others[number % len(others)]
            lines += [f"whisper {other.name} {self.token(own, other.id)} | {mine}"] * 7
        line = lines[number % len(lines)]
        step = self.hall.home.engine.step(own, line, Role.AGENT)
        assert step.failed or not line.startswith(("@", "quit"))
        assert not step.quit

    def look(self) -> None:
        """Search what was shown since the last time, and note who is where."""
        for seat in self.seats:
            session = seat.session
            done, role, who = self.looked_at[seat]
            ids = {session.own}
            if owner := Role.OWNER in (role, session.role):
                ids |= {who, session.who}  # of a possessed agent everything is shown
            for message in seat.messages[done:]:
                if not owner or isinstance(message.event, Event):  # an owner may look into any mind by asking
                    self._search(message, ids)
            self.looked_at[seat] = (len(seat.messages), session.role, session.who)
            if not session.over and (here := self.world.location_of(session.own)) is not None:
                self.been.setdefault(session.own, set()).add(here.id)

    def _search(self, message: Message, ids: set[str]) -> None:
        for token in TOKEN.findall(message.text):
            assert ids & self.may[token], f"{ids} were shown {message.text!r}"
            self.found += 1

    def end(self) -> None:
        """Search all memories, notes, maps and news."""
        for agent in self.hall.home.minds.opened():
            lived = "\n".join(f"{one.text} {one.reason}" for one in agent.memory.read(1, agent.memory.total))
            notes = "".join(path.read_text() for path in agent.folder.rglob("*.md"))
            held = TOKEN.findall(lived + notes + "".join(self.hall.people.news.lines(agent.id)))
            assert [one for one in held if agent.id not in self.may[one]] == [], agent.name
        for own, places in self.been.items():
            assert set(self.world.visited(own)) <= places
            assert {spot.id for spot in draw_map(self.world, self.world.visited(own)).spots} <= places
            scene = scene_of(self.world, own)
            assert scene is None or all(way.place is None or way.to in places for way in scene.ways)


EVERYBODY = ("say", "whisper", "note", "think", "recall", "go", "look", "look", "pry", "quit")
STEP = st.one_of(
    st.tuples(st.just("enter"), st.sampled_from(sorted(ROLES)), st.sampled_from(DOORS)),
    st.tuples(st.sampled_from((*EVERYBODY, "possess", "release", "role")), st.integers(0, 20), st.integers(0, 99)),
    st.tuples(st.sampled_from(EVERYBODY), st.integers(0, 20), st.integers(0, 99)),
    st.tuples(st.just("agent"), st.just(0), st.integers(0, 99)),
)


async def evening_of(folder: Path, steps: list[tuple[str, str | int, str | int]]) -> int:
    """Live through an evening, and return how many tokens were shown to those who may know them."""
    clock = VirtualClock()
    async with lobby(folder, clock) as hall:
        evening = Evening(hall)
        for name, door in (("Ann", "telnet"), ("Guest", "web"), (("Ann", "Olive")[len(steps) % 2], "terminal")):
            evening.enter(name, door)
        for turn in range(7, 14):  # the agent whispers to each of them, and thinks
            evening.agent_types(turn)
        evening.agent_types(0)
        for what, one, number in steps:
            clock.advance(1)
            if isinstance(one, str):
                evening.enter(one, str(number))
            elif what == "agent":
                evening.agent_types(int(number))
            elif evening.open:
                await evening.act(evening.open[one % len(evening.open)], what, int(number))
            evening.look()
        hall.people.leave_all()
        evening.look()
        evening.end()
        return evening.found


@settings(max_examples=examples(25), report_multiple_bugs=False)
@given(st.lists(STEP, min_size=20, max_size=40))
def test_nobody_is_shown_what_is_anothers(steps: list[tuple[str, str | int, str | int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(evening_of(Path(folder), steps))


async def test_an_evening_shows_tokens_at_all(tmp_path: Path) -> None:
    steps = [("whisper", seat, number) for number in range(6) for seat in range(3)]
    assert await evening_of(tmp_path, [*steps, *(("think", seat, 0) for seat in range(3))]) > 20


@pytest.mark.parametrize("role", [Role.GUEST, Role.PLAYER, Role.BUILDER])
async def test_no_word_at_a_door_reaches_a_command_above_the_role(tmp_path: Path, role: Role) -> None:
    async with lobby(tmp_path) as hall:
        seat = hall.enter("Guest" if role is Role.GUEST else "Ann", role)
        for command in COMMANDS:
            if command.role <= role:
                continue
            words = (command.name, *command.aliases)
            cut = [part for word in words for part in (word[:-1], word[1:]) if COMMANDS.find(part) is None]
            for verb in (*words, *map(str.upper, words), *cut):
                for rest in ("", " Eliza", " Ann owner", " a -> b | c"):
                    seat.session.type(f"{verb}{rest}")
                    assert "may use" in seat.last or "There is no command" in seat.last, f"{verb}{rest}: {seat.last}"
        assert not hall.asked
        assert seat.session.role is role
