"""Who is not let in is told why in one sentence, and put back if they had left; letters that lie change nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.definition import write_definition
from mud.errors import LociError, Refusal, Unavailable
from mud.portal.letters import DIGEST, SIGNATURE, digest
from mud.server.regions.arrivals import RefusedTickets
from mud.server.regions.luggage import LETTER, PASSPORT, continued, new_mark, pack, unpack
from mud.server.regions.neighbours import (
    LONGEST_ANSWER,
    Neighbour,
    Posted,
    WrongNeighbourError,
    parse_neighbour,
    post,
    send,
    sign,
    sign_answer,
)
from mud.server.requests import carry_out
from mud.storage.documents import replace_key
from mud.storage.zip_files import Member, packed_bytes
from mud.world.roles import Role
from tests.houses import PATIENCE, soon
from tests.unit.agents.llm.stage import settle
from tests.unit.mud.server.regions.stage import EAST, HOSTS, KEY, MOSS, SECRET, WEST, Region, Roads, roads

HERE = HOSTS[WEST]


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)


def leads_to(road: Roads, place: str) -> None:
    """Let the bridge in the east lead to another place of the west."""
    path = road.worlds[EAST].vault / "world/locations/the-shore.md"
    path.write_text(path.read_text("utf-8").replace(f"{HERE}/The Shore", f"{HERE}/{place}"), "utf-8")
    road.worlds[EAST].hall.reloading.everything()


def rename_shore(region: Region, before: str, after: str) -> None:
    path = region.vault / "world/locations/the-shore.md"
    path.write_text(path.read_text("utf-8").replace(f"# {before}", f"# {after}"), "utf-8")
    region.hall.reloading.everything()


async def test_nobody_leaves_for_a_place_that_is_not_there(tmp_path: Path) -> None:
    async with roads(tmp_path) as road:
        leads_to(road, "The Moon")
        told = await road.worlds[EAST].do(MOSS, "go bridge")
        assert told.reply == f'{HERE} does not let you in: There is no place called "The Moon" there.'
        assert road.at() == [EAST]
        assert road.worlds[EAST].lived(MOSS)[-1] == told.reply


async def test_nobody_leaves_for_a_world_that_does_not_answer(tmp_path: Path) -> None:
    async with roads(tmp_path, [("lost", 0)]) as road:
        told = await road.worlds[EAST].do(MOSS, "go bridge")
        assert told.reply == f"The way is closed just now: {HERE}: the road is bad."
        assert road.at() == [EAST]


async def test_nobody_leaves_for_a_world_with_another_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with roads(tmp_path) as road:
        west = road.worlds[WEST].hall.parts
        monkeypatch.setenv(f"{KEY}_2", "another secret of the west")
        config = west.vault / "config/regions.md"
        config.write_text(config.read_text("utf-8").replace(KEY, f"{KEY}_2"), "utf-8")
        west.configuration.load()
        told = await road.worlds[EAST].do(MOSS, "go bridge")
        assert told.reply.endswith("it gives no answer of a neighbour (it does not know the secret).")
        assert road.at() == [EAST]


async def test_nobody_leaves_for_where_somebody_has_their_name(tmp_path: Path) -> None:
    async with roads(tmp_path) as road:
        west = road.worlds[WEST].hall
        write_definition(west.parts.vault / "agents", "moss", "#2009", person=False, location="The Shore")
        west.reloading.everything()
        told = await road.worlds[EAST].do(MOSS, "go bridge")
        assert told.reply.startswith(f"{HERE} does not let you in: Somebody is called Moss there already")
        assert road.worlds[EAST].has(MOSS)
        assert len(west.parts.minds.definitions) == 1


async def test_who_is_refused_on_arrival_is_put_back_and_remembers_it_and_stays_refused(tmp_path: Path) -> None:
    async with roads(tmp_path) as road:
        east, west = road.worlds[EAST], road.worlds[WEST]
        assert not (await east.do(MOSS, "go bridge")).failed
        rename_shore(west, "The Shore", "The Strand")
        assert await road.quiet() == EAST
        assert east.lived(MOSS)[-1].startswith(f"You are back: The Shore, in the world of {HERE}, did not let you in.")
        rename_shore(west, "The Strand", "The Shore")
        (letter,) = [one for one in road.letters if one[1] == "take"]
        again = await road.deliver(*letter)
        assert json.loads(again.body)["answer"] == "refused"
        assert road.at() == [EAST]
        await road.verify()


async def test_other_names_of_a_newcomer_that_somebody_has_there_are_left_out(tmp_path: Path) -> None:
    async with roads(tmp_path) as road:
        east, west = road.worlds[EAST].hall, road.worlds[WEST].hall
        write_definition(west.parts.vault / "agents", "Eliza", "#2009", person=False, location="The Shore")
        west.reloading.everything()
        path = east.parts.vault / "agents/moss/agent.md"
        path.write_text(replace_key(path.read_text("utf-8"), "aliases", ["Eliza", "Old Moss"], str(path)), "utf-8")
        east.reloading.everything()
        assert not (await road.worlds[EAST].do(MOSS, "go bridge")).failed
        assert await road.quiet() == WEST
        (moss,) = (one for one in west.parts.minds.definitions.values() if one.name == MOSS)
        assert moss.aliases == ("Old Moss",)


async def test_what_is_carried_is_laid_down(tmp_path: Path) -> None:
    async with roads(tmp_path) as road:
        vault = road.worlds[EAST].vault
        (vault / "world/items").mkdir(exist_ok=True)
        (vault / "world/items/oar.md").write_text('---\nlocation: "[[The Shore]]"\n---\n# oar\n\nAsh.\n', "utf-8")
        road.worlds[EAST].hall.reloading.everything()
        await road.worlds[EAST].do(MOSS, "take oar")
        told = await road.cross()
        assert told.reply.startswith("You lay down the oar, as nothing but memories can be taken along.\n")
        world = road.worlds[EAST].hall.home.engine.world
        assert [one.name for one in world.items("#1001")] == ["oar"]
        await road.verify()


async def test_a_person_crosses_and_comes_in_there_with_the_password_that_they_were_told(tmp_path: Path) -> None:
    async with roads(tmp_path) as road:
        east, west = road.worlds[EAST].hall, road.worlds[WEST].hall
        ann = east.enter("Ann", Role.PLAYER)
        await east.type(ann, "say the lantern is in the well")
        told = (await east.type(ann, "go bridge"))[-1]
        password = told.partition("it is ")[2].partition(".")[0]
        await soon(lambda: "has let you in" in ann.last, settle)
        account = await west.people.authenticator.login("192.0.2.9", "Ann", password)
        there = west._sit(type(ann)(), west.people.enter(account, ann.messages.append))
        assert (there.session.role, road.at("Ann")) == (Role.PLAYER, [WEST])
        back = "and has to come back from there through an exit; meanwhile come in here as somebody else"
        for come_in in (east.enter, east.owner):
            with pytest.raises(LociError, match=rf"Ann is in another world \(loci://{HERE}/The Shore\) {back} \(who s"):
                come_in("Ann")
        assert "the lantern is in the well" in "".join(road.worlds[WEST].lived("Ann"))


async def test_the_way_is_closed_where_a_world_is_alone_as_in_a_simulation(tmp_path: Path) -> None:
    async with roads(tmp_path) as road:
        east = road.worlds[EAST]
        (request,) = east.hall.home.engine.step(east.id_of(MOSS), "go bridge", Role.AGENT).requests
        told = await carry_out(east.hall.parts, request, list)
        assert isinstance(told, Refusal)
        assert told.text == "The way leads to another world, and there is none just now."


async def test_a_guest_stays(tmp_path: Path) -> None:
    async with roads(tmp_path) as road:
        guest = road.worlds[EAST].hall.enter("Guest")
        told = await road.worlds[EAST].hall.type(guest, "go bridge")
        assert told == ["Only somebody with a memory that is kept can leave this world."]


async def test_who_sleeps_or_walks_on_before_the_answer_stays(tmp_path: Path) -> None:
    async with roads(tmp_path) as road:
        east = road.worlds[EAST]
        engine = east.hall.home.engine
        (request,) = engine.step(east.id_of(MOSS), "go bridge", Role.AGENT).requests
        engine.step(east.id_of(MOSS), "sleep", Role.AGENT)
        with pytest.raises(LociError, match="You did not go on"):
            await east.regions.answer(request)
        assert road.at() == [EAST]


async def test_letters_that_nobody_signed_are_not_read(tmp_path: Path) -> None:
    async with roads(tmp_path) as road:
        west, body = road.worlds[WEST].regions, b"{}"
        for what, key in (("take", b"guessed secret 123"), ("steal", SECRET.encode())):
            assert west.open_letter(what, digest(body), sign(key, what.encode(), digest(body).encode())) is None
        assert west.open_letter("take", digest(body), "ünsigned") is None
        right = sign(SECRET.encode(), b"ask", digest(body).encode())
        assert west.open_letter("take", digest(body), right) is None


async def test_a_question_in_too_deep_brackets_is_refused(tmp_path: Path) -> None:
    async with roads(tmp_path) as road:
        assert road.worlds[WEST].regions.arrivals.ask(b"[" * 60_000)["answer"] == "refused"


async def test_an_answer_that_is_no_json_is_none() -> None:
    async def post(address: str, body: bytes, headers: Mapping[str, str]) -> Posted:
        return Posted(200, b"{", sign_answer(SECRET.encode(), headers[SIGNATURE], b"{"))

    with pytest.raises(Unavailable, match="it answers in a form that is not known here"):
        await send(Neighbour(f"http://{HERE}", KEY), "ask", b"{}", post)


async def test_an_answer_without_end_is_not_read_to_its_end() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        with suppress(OSError):
            while not reader.at_eof():
                writer.write(b"x" * LONGEST_ANSWER)
                await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Unavailable, match="it answers with more than"):
            async with asyncio.timeout(PATIENCE):
                await post(f"http://127.0.0.1:{port}/", b"{}", {})


def packed(folder: Path, **more: bytes) -> bytes:
    """Return the letter of a small life, with other files in place of some, by their names."""
    write_definition(folder, "Moss", "#1", person=False, location="X", slug="moss")
    ticket = new_mark()
    whole = unpack(pack(folder / "moss", ticket, "The Shore", person=False))
    letter = json.dumps({"ticket": ticket, "place": "The Shore", "person": False}).encode()
    passport = json.dumps({"being": whole.passport.being, "tickets": [ticket]}).encode()
    files = {LETTER: letter, PASSPORT: passport, **whole.files, **more}
    return packed_bytes([Member(name, data) for name, data in files.items() if data])


@pytest.mark.parametrize(
    "more",
    [
        {PASSPORT: b""}, {PASSPORT: b"[]"}, {PASSPORT: b'{"being":"../../x","tickets":[]}'}, {LETTER: b"{}"},
        {PASSPORT: b"[" * 60_000}, {LETTER: b"[" * 60_000},
        {LETTER: b'{"ticket":"x","place":"y","person":0}'}, {"agent.md": b""}, {"../moss.md": b"x"},
        {"archive/x.jsonl": b"x"}, {"notes/../../x.md": b"x"}, {"accounts/x.json": b"x"}, {"lease": b"x"},
    ],
)  # fmt: skip
def test_a_package_that_is_no_traveller_is_refused_in_a_sentence(tmp_path: Path, more: Mapping[str, bytes]) -> None:
    assert unpack(packed(tmp_path)).place == "The Shore"
    with pytest.raises(LociError):
        unpack(packed(tmp_path, **more))


@given(st.binary(max_size=200))
def test_any_bytes_are_unpacked_or_refused(data: bytes) -> None:
    with pytest.raises(LociError):
        unpack(data)


def line(seq: int, text: str, source: int = 1) -> bytes:
    told = {"seq": seq, "at": "2026-01-01T00:00:00.000Z", "kind": "did", "text": text, "source": source}
    return json.dumps(told, separators=(",", ":")).encode() + b"\n"


NAME = "archive/0000000001.jsonl"


def test_an_archive_goes_on_where_it_ended_whatever_the_steps_were_called_there() -> None:
    here, come = line(1, "a", 7), line(1, "a", 99) + b'{"event":"import"}\n' + line(2, "b\x1b[31m", 99)
    written = continued({NAME: here}, {NAME: come}, 12)[NAME].splitlines()
    assert written[0] + b"\n" == here
    assert [json.loads(one).get("source") for one in written] == [7, None, 12]
    assert json.loads(written[2])["text"] == "b"
    assert continued({NAME: b"\n".join(written) + b"\n"}, {NAME: come}, 40) == {}


@pytest.mark.parametrize("come", [b"", line(1, "another"), line(2, "b")])
def test_a_life_that_does_not_begin_with_the_one_that_is_here_is_refused(come: bytes) -> None:
    with pytest.raises(LociError):
        continued({NAME: line(1, "a")}, {NAME: come}, 12)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("http://127.0.0.1:8001", "is no address and name of a variable"),
        ("http://127.0.0.1:8001 PATH", "is not sent"),
        ("http://east.example.org LOCI_API_KEY", "plain http"),
        ("http://127.0.0.1:8001/x LOCI_API_KEY", "has a path"),
        ("east LOCI_API_KEY", "is no address"),
    ],
)
def test_an_entry_that_names_no_neighbour_is_explained(text: str, why: str) -> None:
    with pytest.raises(WrongNeighbourError, match=why):
        parse_neighbour(text)


def test_a_secret_that_is_too_short_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "short")
    with pytest.raises(LociError, match="holds fewer than 16 characters"):
        _ = Neighbour("http://127.0.0.1:1", KEY).key


def test_refused_tickets_are_kept(tmp_path: Path) -> None:
    RefusedTickets(tmp_path / "refused.jsonl").add("t1", "There is no place.")
    assert RefusedTickets(tmp_path / "refused.jsonl").why("t1") == "There is no place."
    assert SIGNATURE != DIGEST
