"""Brains written elsewhere, over real sockets: whose line counts, and what a late or wrong one costs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Self, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from agents.agent import Agent
from agents.hosts import HostPlace, HostSettings
from agents.hosts._wire import Hello, Wrong, read_hello, read_lines
from agents.hosts.websocket import Connection, WebsocketHost
from agents.life.scheduler import Scheduler
from mud.engine.engine import Step
from mud.server.hosting import MAKER
from mud.storage.documents import replace_key
from mud.world.roles import Role
from tests.houses import PATIENCE, House, house, soon
from tests.unit.agents.llm.stage import settle
from tests.vaults import copy_vault, without_vectors

PATIENT = HostSettings(brains_port=0, brains_token="sesame", brains_patience=30.0)
HASTY = HostSettings(brains_port=0, brains_token="sesame", brains_patience=0.1)


class Hall:
    """A house in which Eliza and Moss are thought for by whoever connects; `settings` may be replaced."""

    def __init__(self, home: House, settings: HostSettings) -> None:
        self.home, self.settings = home, settings
        self.living: Scheduler = home.living()
        here = HostPlace(home.parts.vault, "", MAKER, self.living.here, lambda: self.settings)
        self.host = WebsocketHost(here)
        self.living.host = self.host
        self.eliza, self.moss = home.agent("Eliza"), home.agent("Moss")
        for agent in (self.eliza, self.moss):
            self.living.begin(agent)

    async def turn(self, agent: Agent) -> Step | None:
        """Have an agent take a turn; return the step of its line."""
        return await self.living.act(agent, waiting=False)

    def brain_of(self, agent: Agent) -> str:
        """Return which brain had the last thought."""
        assert agent.thinker is not None
        assert agent.thinker.last is not None
        return agent.thinker.last.brain

    @asynccontextmanager
    async def brain(self, *agents: str, **hello: object) -> AsyncIterator[Brain]:
        """Connect as a brain for these agents, and be welcomed."""
        async with connect(self.host.address) as socket:
            brain = Brain(socket)
            await brain.send("hello", **{"version": 1, "token": "sesame", "agents": agents or ["*"], **hello})
            brain.welcome = await brain.receive("welcome")
            yield brain


class Brain:
    """A program that thinks for agents, by hand."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.welcome: dict[str, Any] = {}

    async def send(self, kind: str, **fields: object) -> None:
        await self.socket.send(json.dumps({"type": kind, **fields}))

    async def receive(self, kind: str) -> dict[str, Any]:
        """Return the next message, which must be of this kind."""
        message: dict[str, Any] = json.loads(await self.socket.recv())
        assert message["type"] == kind, message
        return message

    async def asked(self) -> dict[str, Any]:
        """Return the one turn of the next tick."""
        (turn,) = (await self.receive("tick"))["turns"]
        found: dict[str, Any] = turn
        return found

    async def answer(self, turn: dict[str, Any], line: str | None, **more: object) -> None:
        same = {key: turn[key] for key in ("id", "epoch", "turn")}
        await self.send("lines", lines=[{**same, "line": line, **more}])


@asynccontextmanager
async def hall(folder: Path, settings: HostSettings = PATIENT) -> AsyncIterator[Hall]:
    vault = without_vectors(copy_vault(folder))
    for slug in ("eliza", "moss"):
        path = vault / "agents" / slug / "agent.md"
        path.write_text(replace_key(path.read_text("utf-8"), "brain", "remote", str(path)), "utf-8")
    async with house(folder) as home:
        found = Hall(home, settings)
        await found.host.open(())
        try:
            yield found
        finally:
            await found.host.end()


class Taking:
    """A turn under way while a test answers it."""

    def __init__(self, hall: Hall, agent: Agent) -> None:
        self._task = asyncio.ensure_future(hall.turn(agent))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *failed: object) -> None:
        self.step = await self._task


async def test_a_brain_that_connects_speaks_for_its_agent(tmp_path: Path) -> None:
    async with hall(tmp_path) as here, here.brain("Eliza") as brain:
        (who,) = brain.welcome["agents"]
        assert (who["id"], who["name"], who["epoch"]) == (here.eliza.id, "Eliza", 1)
        assert who["profile"] == here.eliza.definition.profile
        async with Taking(here, here.eliza) as taking:
            turn = await brain.asked()
            assert (turn["id"], turn["epoch"], turn["waiting"]) == (here.eliza.id, 1, False)
            assert turn["situation"]["location"] == "The Garden"
            assert "sundial" in turn["situation"]["items"]
            await brain.answer(turn, "say The pears are ripe. | I like pears", why="pears")
        assert taking.step is not None
        assert (taking.step.who, taking.step.line) == (here.eliza.id, "say The pears are ripe. | I like pears")
        assert here.brain_of(here.eliza) == "remote"
        last = here.eliza.memory.newest(1)[0]
        assert (last.text, last.reason) == ('You say, "The pears are ripe."', "I like pears")


async def test_a_line_has_the_rank_of_an_agent_and_is_one_line(tmp_path: Path) -> None:
    async with hall(tmp_path) as here, here.brain("Eliza") as brain:
        async with Taking(here, here.eliza) as taking:
            await brain.answer(await brain.asked(), "@save")
        assert taking.step is not None
        assert taking.step.failed
        async with Taking(here, here.eliza) as taking:
            await brain.answer(await brain.asked(), "say one\nsay \x1b[31mtwo")
        assert taking.step is not None
        assert (taking.step.line or "").startswith("say one say ")
        assert "\x1b" not in (taking.step.line or "")


async def test_each_memory_is_told_once_and_in_order(tmp_path: Path) -> None:
    async with hall(tmp_path) as here, here.brain("Eliza") as brain:
        ann = here.home.enter("Ann")
        told: list[int] = []
        for words in ("one", "two", "three"):
            here.home.type(ann, f"say Eliza, {words}", Role.PLAYER)
            async with Taking(here, here.eliza):
                turn = await brain.asked()
                assert turn["memories"][-1]["text"] == f'Ann says, "Eliza, {words}"'
                told += [memory["seq"] for memory in turn["memories"]]
                await brain.answer(turn, None)
        assert told == list(range(1, here.eliza.memory.total + 1))


async def test_without_a_line_the_turn_passes_and_the_instinct_does_not_take_it(tmp_path: Path) -> None:
    async with hall(tmp_path) as here, here.brain("Eliza") as brain:
        async with Taking(here, here.eliza) as taking:
            await brain.answer(await brain.asked(), None, why="thinks about pears")
        assert taking.step is None
        assert here.brain_of(here.eliza) == "remote"


async def test_a_brain_may_come_for_a_mind_that_nobody_opened_yet(tmp_path: Path) -> None:
    async with hall(tmp_path) as before:
        before.home.engine.number = 9
        assert before.home.parts.save() == ""
    async with house(tmp_path) as home:
        living = home.living()
        living.host = host = WebsocketHost(HostPlace(home.parts.vault, "", MAKER, living.here, lambda: PATIENT))
        await living.begin_all()
        await host.open(())
        async with connect(host.address) as socket:
            brain = Brain(socket)
            await brain.send("hello", version=1, token="sesame", agents=["*"])
            assert {who["name"] for who in (await brain.receive("welcome"))["agents"]} == {"Eliza", "Moss"}
            assert home.minds.in_use() == []
        await host.end()


async def test_where_nobody_connected_the_instinct_takes_the_turn(tmp_path: Path) -> None:
    async with hall(tmp_path) as here, here.brain("Moss"):
        await here.turn(here.eliza)
        assert here.brain_of(here.eliza) == "instinct"


async def test_a_line_that_comes_late_is_reported_and_not_carried_out(tmp_path: Path) -> None:
    async with hall(tmp_path, HASTY) as here, here.brain("Eliza") as brain:
        await here.turn(here.eliza)
        assert here.brain_of(here.eliza) == "instinct"
        turn, number = await brain.asked(), here.home.engine.number
        await brain.answer(turn, "say too late")
        late = await brain.receive("late")
        assert (late["id"], late["epoch"], late["turn"]) == (turn["id"], turn["epoch"], turn["turn"])
        assert here.home.engine.number == number


async def test_when_a_connection_ends_in_a_turn_the_instinct_takes_it_at_once(tmp_path: Path) -> None:
    async with hall(tmp_path) as here:
        async with here.brain("Eliza") as brain, Taking(here, here.eliza):
            await brain.asked()
            await brain.socket.close()
        assert here.brain_of(here.eliza) == "instinct"
        await here.turn(here.eliza)
        assert here.brain_of(here.eliza) == "instinct"


async def test_after_another_took_over_an_answer_of_the_old_brain_counts_nowhere(tmp_path: Path) -> None:
    async with hall(tmp_path) as here, here.brain("Eliza", "Moss") as old:
        async with Taking(here, here.eliza) as taking:
            before = await old.asked()
            async with here.brain("Eliza") as new:
                assert new.welcome["agents"][0]["epoch"] == 2
                assert (await old.receive("gone"))["id"] == here.eliza.id
                await old.answer(before, "say I am the old one")
                await old.receive("late")
                async with Taking(here, here.eliza) as second:
                    turn = await new.asked()
                    await old.answer({**turn, "epoch": 1}, "say I am the old one")
                    await old.receive("late")
                    await old.answer(turn, "say I am the new one, says the old one")
                    await old.receive("late")
                    await new.answer(turn, "say I am the new one")
        assert second.step is not None
        assert second.step.line == "say I am the new one"
        assert taking.step is None or "the old one" not in (taking.step.line or "")
        assert not any("old one" in entry.text for entry in here.eliza.memory.tail)
        async with Taking(here, here.moss) as other:  # whom it did not lose
            await old.answer(await old.asked(), "say Good morning.")
        assert other.step is not None
        assert other.step.line == "say Good morning."


class SlowSocket:
    """A connection that takes messages only while its gate is open."""

    def __init__(self) -> None:
        self.gate, self.told = asyncio.Event(), list[dict[str, Any]]()
        self.gate.set()

    async def send(self, message: str) -> None:
        await self.gate.wait()
        self.told.append(json.loads(message))


def slow_brain() -> tuple[SlowSocket, Connection]:
    socket = SlowSocket()
    return socket, Connection(cast(ServerConnection, socket), Hello("", ("*",), "slow", prompts=False))


async def test_a_turn_that_expires_before_it_is_sent_has_told_nothing() -> None:
    socket, brain = slow_brain()
    brain.epochs["#1"] = 1
    assert await brain.ask("#1", 1, {"epoch": 1}, 0.0, 7) is None
    assert brain.seen == {}
    sending = asyncio.create_task(brain.send_turns())
    asking = asyncio.create_task(brain.ask("#1", 2, {"epoch": 1}, 30.0, 8))
    await soon(lambda: bool(socket.told), settle)
    assert brain.seen == {"#1": 8}
    brain.drop("#1")
    assert await asking is None
    sending.cancel()


async def test_a_turn_for_a_connection_that_has_just_ended_is_no_error() -> None:
    met: asyncio.Future[ServerConnection] = asyncio.get_running_loop().create_future()

    async def meet(socket: ServerConnection) -> None:
        await socket.close()
        met.set_result(socket)

    async with serve(meet, "127.0.0.1", 0) as server:
        async with connect(f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"):
            brain = Connection(await met, Hello("", ("*",), "gone", prompts=False))
        brain.epochs["#1"] = 1
        sending = asyncio.create_task(brain.send_turns())
        asking = asyncio.create_task(brain.ask("#1", 1, {"epoch": 1}, PATIENCE, 7))
        await soon(lambda: bool(brain.seen), settle)
        await settle()
        assert not sending.done()
        brain.drop("#1")
        assert await asking is None
        sending.cancel()


async def test_a_turn_for_a_mind_that_was_just_lost_is_not_waited_for() -> None:
    _, brain = slow_brain()
    async with asyncio.timeout(PATIENCE):
        assert await brain.ask("#1", 1, {"epoch": 1}, 10 * PATIENCE) is None


async def test_of_two_brains_that_take_over_at_once_the_first_is_told_that_it_lost(tmp_path: Path) -> None:
    async with hall(tmp_path) as here:
        agents = [here.eliza.definition, here.moss.definition]
        (old_socket, old), (socket, first), (_, second) = slow_brain(), slow_brain(), slow_brain()
        await here.host._take_over(old, agents)
        old_socket.gate.clear()
        taking = asyncio.create_task(here.host._take_over(first, agents))
        await settle()
        await here.host._take_over(second, agents)
        old_socket.gate.set()
        await taking
        assert [told["type"] for told in old_socket.told] == ["welcome", "gone", "gone"]
        assert [told["type"] for told in socket.told] == ["welcome", "gone", "gone"]
        assert (first.epochs, second.epochs) == ({}, {agent.id: 3 for agent in agents})


async def test_a_brain_that_asks_for_prompts_gets_what_a_model_would(tmp_path: Path) -> None:
    async with hall(tmp_path) as here, here.brain("Eliza", prompts=True) as brain, Taking(here, here.eliza):
        turn = await brain.asked()
        assert turn["prompt"].endswith("~Eliza>")
        await brain.answer(turn, None)


@pytest.mark.parametrize(
    ("code", "hello"),
    [
        ("token", {"token": "open"}),
        ("token", {"token": None}),
        ("token", {"token": "\ud800"}),
        ("agents", {"agents": ["\ud800"]}),
        ("version", {"version": 2}),
        ("agents", {"agents": ["Nobody"]}),
        ("agents", {"agents": ["Margery"]}),
        ("malformed", {"agents": []}),
        ("malformed", {"agents": "Eliza"}),
        ("malformed", {"type": "lines"}),
    ],
)
async def test_a_wrong_hello_is_told_why_and_closed(tmp_path: Path, code: str, hello: dict[str, object]) -> None:
    async with hall(tmp_path) as here, connect(here.host.address) as socket:
        right = {"type": "hello", "version": 1, "token": "sesame", "agents": ["*"]}
        await socket.send(json.dumps(right | hello))
        message = json.loads(await socket.recv())
        assert (message["type"], message["code"]) == ("error", code)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1008, code)
        assert "sesame" not in str(message)


async def test_a_malformed_message_is_told_and_the_next_one_counts(tmp_path: Path) -> None:
    async with hall(tmp_path) as here, here.brain("Eliza") as brain:
        async with Taking(here, here.eliza) as taking:
            turn = await brain.asked()
            odd = '{"type": "lines", "lines": [{"id": "\\ud800", "epoch": 1, "turn": 1, "line": "wait"}]}'
            lines = ('{"type": "lines"}', '{"type": "lines", "lines": [{"id": "#1"}]}', odd)
            for wrong in ("no JSON", "[]", "[" * 60_000, *lines):
                await brain.socket.send(wrong)
                assert (await brain.receive("error"))["code"] == "malformed"
            await brain.answer(turn, "x" * 2001)
            assert (await brain.receive("error"))["code"] == "malformed"
            await brain.answer(turn, "say hello", pause=10**400)
        assert taking.step is not None
        assert taking.step.line == "say hello"


async def test_without_a_token_in_the_settings_a_new_one_is_told_to_the_owner(tmp_path: Path) -> None:
    async with hall(tmp_path, HostSettings(brains_port=0)) as here:
        assert len(here.host.token) > 20
        assert here.host.token in (await here.host.status()).name
        here.settings = PATIENT
        assert "sesame" not in (await here.host.status()).name


async def test_an_edited_brain_counts_from_the_next_turn_on(tmp_path: Path) -> None:
    async with hall(tmp_path) as here, here.brain("Eliza"):
        path = here.eliza.folder / "agent.md"
        path.write_text(replace_key(path.read_text("utf-8"), "brain", "instinct", str(path)), "utf-8")
        assert here.home.minds.load_definition("eliza") == []
        await here.turn(here.eliza)
        assert here.brain_of(here.eliza) == "instinct"


KEYS = st.sampled_from(["type", "lines", "id", "epoch", "turn", "line", "why", "pause", "version", "agents", "token"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=8,
)


@given(ANYTHING)
def test_whatever_a_brain_sends_is_read_or_refused(message: object) -> None:
    sent = [json.dumps(message)]
    if isinstance(message, dict):
        sent += [json.dumps({**message, "type": kind, "version": 1}) for kind in ("hello", "lines")]
        sent.append(json.dumps({"type": "lines", "lines": [message | {"id": "#1", "epoch": 1, "turn": 1}]}))
    for one in sent:
        for read in (read_hello, read_lines):
            with suppress(Wrong):
                read(one)
