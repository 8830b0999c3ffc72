from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.commands.mind import THOUGHT
from agents.compaction.status import report
from agents.population.pausing import PauseState, Possession
from mud.errors import Refusal, UnknownName
from mud.server.checks import check_vault
from mud.server.wiring import opened
from mud.storage.files import write_atomic
from mud.world.events import Perception, Request
from tests.houses import House, house, texts_of
from tests.processes import memories, texts
from tests.unit.agents.llm.stage import HandClock, settle
from tests.vaults import copy_vault

NOW = "2026-01-01T00:00:00.000Z"


def _set(vault: Path, file: str, *pairs: tuple[str, str]) -> None:
    text = (vault / file).read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    write_atomic(vault / file, text)


def _small_windows(vault: Path, *more: tuple[str, str]) -> None:
    windows = [(f"**{name}_window**: 64", f"**{name}_window**: 4") for name in ("immediate", "recent")]
    _set(vault, "config/memory_compaction.md", *windows, *more)


def _scripted(vault: Path, texts: str) -> None:
    _set(
        vault,
        "config/llm/summarizer.md",
        ("**backend**: openai_compatible", "**backend**: scripted"),
        ('**model**: ""', f'**model**: "{texts}"'),
    )


def _lines(vault: Path) -> list[Path]:
    return sorted((vault / "log").glob("ledger-*.jsonl"))


async def test_somebody_is_found_by_name_and_an_unknown_name_says_who_there_is(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        assert home.minds.get("ELIZA") is home.minds.get("#2001") is home.minds.by_slug("eliza")
        with pytest.raises(UnknownName, match="there is no agent 'Nobody'; there is: Corvin, Eliza, Moss, Tamsin"):
            home.minds.get("Nobody")
        with pytest.raises(Refusal):
            home.minds.of(Request("note", "#1", 1))


async def test_everybody_remembers_what_a_step_left_with_them(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, eliza, moss = home.enter("Ann"), home.agent("Eliza"), home.agent("Moss")
        home.type(ann, "say good morning")
        assert texts_of(ann)[-1] == 'You say, "good morning"'
        assert texts_of(eliza)[-1] == 'Ann says, "good morning"'
        assert texts_of(moss) == []


def _killed(tmp_path: Path, lost: Sequence[str]) -> Path:
    """Return a vault whose ledger has three lines that the archives of some have not: killed between the two."""

    async def live() -> None:
        async with house(tmp_path) as home:
            ann = home.enter("Ann")
            home.type(ann, "say before")
            home.parts.save()
            for slug in lost:
                archive = home.parts.vault / "agents" / slug / "archive"
                shutil.copytree(archive, tmp_path / f"kept-{slug}")
            for word in ("one", "two", "three"):
                home.type(ann, f"say {word}")

    asyncio.run(live())
    vault = tmp_path / "vault"
    for slug in lost:
        shutil.rmtree(vault / "agents" / slug / "archive")
        (tmp_path / f"kept-{slug}").rename(vault / "agents" / slug / "archive")
    return vault


def _snapshot(vault: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(vault.rglob("*")) if path.is_file()}


def test_a_reader_knows_what_the_ledger_has_and_the_archive_has_not_and_writes_nothing(tmp_path: Path) -> None:
    vault = _killed(tmp_path, ("ann", "eliza"))
    before = _snapshot(vault)
    with opened(vault, writable=False) as parts:
        for name, told in (("Ann", 'You say, "{}"'), ("Eliza", 'Ann says, "{}"')):
            agent = parts.minds.get(name)
            said = [told.format(word) for word in ("before", "one", "two", "three")]
            assert texts_of(agent)[-4:] == [entry.text for entry in agent.memory.tail][-4:] == said
            status = parts.minds.status(agent)
            assert (status["total"], status["gaps"], status["overlaps"]) == (len(texts_of(agent)), [], [])
    assert _snapshot(vault) == before


def test_a_writer_puts_into_the_archive_what_only_the_ledger_had_and_only_once(tmp_path: Path) -> None:
    vault = _killed(tmp_path, ("ann", "eliza"))
    for _ in range(2):
        with opened(vault, writable=True):
            pass
        assert texts(memories(vault, "ann")) == [f'You say, "{word}"' for word in ("before", "one", "two", "three")]
        assert [one["seq"] for one in memories(vault, "eliza")] == list(range(1, len(memories(vault, "eliza")) + 1))


@pytest.mark.parametrize(
    "mangled",
    [
        {"left": 7},
        {"left": [7, None, {"who": 1}, {"who": "#2001", "kind": "dreamt", "text": "x"}]},
        {"left": [{"who": "#2001", "kind": "saw", "text": ["x"]}]},
        {"at": None},
        {"at": 5, "left": []},
        {"changes": [None, {"put": 1}]},
        {"left": None, "changes": None},
    ],
)
def test_a_mangled_ledger_line_is_passed_over_and_told_by_the_judge(tmp_path: Path, mangled: dict[str, object]) -> None:
    vault = _killed(tmp_path, ("eliza",))
    (ledger,) = _lines(vault)
    lines = ledger.read_text(encoding="utf-8").splitlines()
    lines[-2] = json.dumps({**json.loads(lines[-2]), **mangled})
    ledger.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for writable in (False, True):
        with opened(vault, writable=writable) as parts:
            assert texts_of(parts.minds.get("Eliza"))[-1] == 'Ann says, "three"'
            assert 'Ann says, "two"' not in texts_of(parts.minds.get("Eliza")) or "changes" in mangled
    told = [problem for problem in check_vault(vault) if problem.file.startswith("log/ledger")]
    assert told or not mangled.get("left", True)


@settings(max_examples=15)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=6,
    )
)
def test_no_record_of_the_ledger_is_fatal(tmp_path_factory: pytest.TempPathFactory, left: object) -> None:
    vault = copy_vault(tmp_path_factory.mktemp("vault"))
    with opened(vault, writable=True) as parts:
        parts.minds.recover({"step": 1, "at": NOW, "left": left})
        parts.minds.recover({"step": 2, "at": left, "left": [left]})


async def _live(home: House, who: str, count: int) -> None:
    agent = home.agent(who)
    for number in range(count):
        step = home.engine.number + number + 1
        agent.actor.perceive(step, NOW, [Perception(agent.id, "saw", f"pear {number} fell in The Garden")])
        await asyncio.sleep(0)


async def test_a_fold_begins_by_itself_when_it_is_due(tmp_path: Path) -> None:
    _small_windows(copy_vault(tmp_path), ("**summarizer**: model", "**summarizer**: extractive"))
    async with house(tmp_path) as home:
        await _live(home, "Eliza", 12)
        await settle()
        eliza = home.agent("Eliza")
        assert eliza.memory.watermark == 5
        assert eliza.memory.compactions == 1


async def test_a_hand_edit_of_the_windows_acts_on_the_next_memory(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    async with house(tmp_path) as home:
        await _live(home, "Eliza", 12)
        assert home.agent("Eliza").memory.compactions == 0
        _small_windows(vault, ("**summarizer**: model", "**summarizer**: extractive"))
        assert home.parts.configuration.reload(vault / "config/memory_compaction.md") == []
        await _live(home, "Eliza", 1)
        await settle()
        assert home.agent("Eliza").memory.compactions == 2


class _Silent:
    """A model that is asked and never answers."""

    def __init__(self) -> None:
        self.asked = 0

    async def __call__(self, owner: str, prompt: str, profile: str) -> object:
        self.asked += 1
        return await asyncio.get_running_loop().create_future()


@pytest.mark.parametrize("manual", [False, True])
async def test_folds_cancelled_at_quit_leave_the_watermark(tmp_path: Path, manual: bool) -> None:
    from dataclasses import replace

    vault = copy_vault(tmp_path)
    _small_windows(vault)
    clock, model = HandClock(), _Silent()
    async with house(tmp_path, clock) as home:
        home.minds.means = replace(home.minds.means, ask=model)  # type: ignore[arg-type]
        eliza = home.minds.by_slug("eliza")
        assert eliza is not None
        home.minds.let_go(eliza)
        assert home.minds.load_definition("eliza") == []
        eliza = home.agent("Eliza")
        await _live(home, "Eliza", 8 if manual else 12)
        asked = asyncio.ensure_future(home.minds.fold(eliza)) if manual else None
        await settle()
        assert model.asked == 1
        assert eliza.compactor.busy
        closing = asyncio.ensure_future(home.minds.finish_folds(5.0))
        await settle()
        assert not closing.done()
        clock.advance(5.0)
        await closing
        if asked is not None:
            await asyncio.gather(asked, return_exceptions=True)
        assert (eliza.memory.watermark, eliza.memory.compactions, eliza.compactor.busy) == (0, 0, False)
    with opened(vault, writable=False) as parts:
        again = parts.minds.get("Eliza")
        assert again.memory.watermark == 0
        assert again.compactor.due() is not manual


async def test_what_is_due_at_quit_is_folded_by_rules(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    async with house(tmp_path) as home:
        await _live(home, "Eliza", 12)
        _small_windows(vault)
        home.parts.configuration.reload(vault / "config/memory_compaction.md")
        await home.minds.finish_folds(5.0)
        assert home.agent("Eliza").memory.watermark == 5


async def test_a_note_is_written_with_the_place_and_found(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        home.minds.add_note(eliza, "Sundial", "The fin is missing.", "curious")
        (note,) = eliza.notes.all()
        assert "The fin is missing." in note.text
        assert "The Garden" in note.text
        await home.minds.catch_up(eliza)
        hits, _ = await home.parts.recall.search(eliza.id, "fin missing", 3, by="words")
        assert [hit.title for hit in hits] == ["Sundial"]


async def test_the_report_says_which_model_does_not_answer(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        assert not await home.parts.queue.alive("think")
        assert "127.0.0.1:8080" in report(home.minds.status(home.agent("Eliza")))


async def test_a_name_edited_is_the_name_its_memory_knows(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        _set(home.parts.vault, "agents/eliza/agent.md", ("# Eliza", "# Elisabeth"), ("aliases: []", "aliases: [Liz]"))
        assert home.minds.load_definition("eliza") == []
        eliza = home.agent("Elisabeth")
        assert (eliza.name, eliza.memory.name, eliza.memory.names) == (
            "Elisabeth",
            "Elisabeth",
            ("Elisabeth", "Liz"),
        )


async def test_an_agents_own_setting_wins_over_the_file_for_all(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        _set(home.parts.vault, "agents/moss/agent.md", ("type: agent", "type: agent\nrecent_window: 9"))
        assert home.minds.load_definition("moss") == []
        assert home.agent("Moss").settings().recent_window == 9
        assert home.agent("Eliza").settings().recent_window == 64


def test_the_phrase_of_a_thought_is_what_is_remembered(tmp_path: Path) -> None:
    with opened(copy_vault(tmp_path), writable=True) as parts:
        assert parts.texts.render(THOUGHT, words="hm") == 'You think, "hm"'


NAMES = ("eliza", "moss", "corvin")


@given(st.lists(st.tuples(st.sampled_from([*NAMES, ""]), st.booleans()), max_size=12))
def test_whatever_was_said_last_of_one_or_of_all_holds(said: list[tuple[str, bool]]) -> None:
    resting = PauseState()
    wanted = dict.fromkeys(NAMES, False)
    for name, paused in said:
        if name:
            resting.pause(name, paused=paused)
            wanted[name] = paused
        else:
            resting.pause_all(paused=paused)
            wanted = dict.fromkeys(NAMES, paused)
    assert {name: resting.paused(name) for name in NAMES} == wanted
    assert {name: resting.rests(name) for name in NAMES} == wanted


def test_the_possessed_one_rests_and_is_led_by_nobody_but_its_owner() -> None:
    resting = PauseState()
    resting.possession = led = Possession("eliza", "#2001", "Eliza", "#9")
    assert (resting.rests("eliza"), resting.paused("eliza"), resting.rests("moss")) == (True, False, False)
    assert (resting.leads("#9"), resting.leads("#8")) == (led, None)
