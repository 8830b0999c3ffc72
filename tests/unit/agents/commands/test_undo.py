"""What people wrote in an agent.md is never lost to a command: a mind's own words stand beside it, a person's are taken
back."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.agent import Agent
from agents.commands._edit import LONGEST_OWN
from agents.definition_edits import FOLDER, MOST
from mud.server.requests import carry_out
from mud.world.events import Request
from mud.world.roles import Role
from tests.houses import House, house
from tests.settings import put
from tests.vaults import copy_vault, without_vectors

LINES = [
    "@set-profile -> You row.",
    "@set-description -> Tall.",
    "@set-goal -> Row.",
    "@edit-profile Eliza -> You row.",
    "@edit-interval Eliza 20",
    "@brain Eliza instinct",
]


def file_of(agent: Agent) -> str:
    return (agent.folder / "agent.md").read_text(encoding="utf-8")


def kept(agent: Agent) -> list[str]:
    return [path.read_text("utf-8") for path in sorted((agent.folder / FOLDER).glob("agent-*"))]


async def as_owner(home: House, eliza: Agent, line: str) -> str:
    """Have the owner type a line: by an agent that they possess, or by themselves."""
    who = eliza if line.startswith("@set") else home.minds.find("Ann") or home.enter("Ann")
    step = await home.ask(who, line)
    assert not step.failed, step.reply
    return step.reply


@pytest.mark.parametrize("line", LINES)
async def test_what_a_command_changed_is_kept_and_taken_back_byte_for_byte(tmp_path: Path, line: str) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        before, was = file_of(eliza), eliza.definition
        await as_owner(home, eliza, line)
        assert file_of(eliza) != before
        assert kept(eliza) == [before]
        told = await as_owner(home, eliza, "@undo-change Eliza")
        assert told.endswith("of Eliza is as it was before (agents/eliza/agent.md).")
        assert file_of(eliza) == before
        assert eliza.definition == was
        assert home.engine.world.things[eliza.id].description == was.description


async def test_changes_are_taken_back_one_after_the_other_and_none_is_lost(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        texts = [file_of(eliza)]
        for line in LINES:
            await as_owner(home, eliza, line.replace("row", f"row {len(texts)} boats"))
            texts.append(file_of(eliza))
        for before in reversed(texts[:-1]):
            await as_owner(home, eliza, "@undo-change Eliza")
            assert file_of(eliza) == before
        refused = await home.ask(home.agent("Ann"), "@undo-change Eliza")
        assert refused.reply == "No command has changed the agent.md of Eliza, or all of it was taken back."
        assert sorted(kept(eliza)) == sorted(texts[1:])


@pytest.mark.parametrize("line", [*LINES[:4], "@brain Eliza instinct"])
async def test_what_people_wrote_elsewhere_meanwhile_stays(tmp_path: Path, line: str) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        before = file_of(eliza)
        await as_owner(home, eliza, line)
        diary = "\n## Diary of her maker\nNothing.\n"
        (eliza.folder / "agent.md").write_text(file_of(eliza) + diary, "utf-8")
        was = home.agent("Eliza").definition
        await as_owner(home, eliza, "@undo-change Eliza")
        now = eliza.definition
        assert now != was
        assert file_of(eliza).endswith(diary)
        assert before.splitlines()[-1] in file_of(eliza)
        assert (now.goal, now.brain) == ("", "auto")


async def test_what_was_edited_by_hand_since_is_kept_when_it_is_taken_back(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        await as_owner(home, eliza, LINES[0])
        by_hand = file_of(eliza).replace("You row.", "You row by night.")
        (eliza.folder / "agent.md").write_text(by_hand, "utf-8")
        assert (await home.ask(eliza, "@undo-change")).failed  # the first look only tells of the edit
        await home.ask(eliza, "@undo-change")
        assert eliza.definition.profile.startswith("You keep the garden")
        assert by_hand in kept(eliza)


async def test_a_person_takes_back_their_own_and_a_guest_nobody_elses(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for line in ("@set-description -> Wet.", "@set-description -> Dry."):
            await home.ask(ann, line, Role.GUEST)
        assert not (await home.ask(ann, "@undo-change", Role.GUEST)).failed
        assert home.type(ann, "examine me").reply.endswith("Wet.")
        assert home.type(ann, "@undo-change Eliza", Role.GUEST).failed
        assert home.type(home.agent("Eliza"), "@undo-change", Role.AGENT).failed


async def test_the_texts_of_commands_are_bounded_and_the_oldest_go_first(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        first = file_of(ann)
        for number in range(MOST + 5):
            await home.ask(ann, f"@set-goal -> Goal {number}.")
        assert len(kept(ann)) == MOST + 1
        assert first in kept(ann)
        assert not any('goal: "Goal 3."' in text or "goal: Goal 3." in text for text in kept(ann))
        for _ in range(MOST):
            assert not (await home.ask(ann, "@undo-change")).failed
        assert (ann.definition.goal, len(kept(ann))) == ("Goal 4.", MOST + 1)
        assert not (await home.ask(ann, "@undo-change")).failed
        assert ann.definition.goal == ""


async def test_what_people_wrote_outlasts_every_change_by_commands(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        texts = [file_of(eliza)]
        await home.ask(eliza, "@set-goal -> Row.")
        texts.append(file_of(eliza) + "\n## Diary of her maker\nNothing.\n")
        (eliza.folder / "agent.md").write_text(texts[1], "utf-8")
        await home.ask(eliza, "@set-goal -> Row north.")
        await home.ask(eliza, "@undo-change")  # what people wrote is in use again, and still theirs
        assert file_of(eliza) == texts[1]
        for number in range(MOST + 5):
            assert not (await home.ask(eliza, f"@set-goal -> Row {number} times.")).failed
        assert set(texts) < set(kept(eliza))
        assert len(kept(eliza)) == MOST + 2


@pytest.mark.parametrize(
    ("field", "old", "told"),
    [
        ("brain", "brain: nonsense", "would then have a mistake"),
        ("goal", "goal: [7]", "would then have a mistake"),
        ("id", 'id: "#9999"', "No command has changed"),
        ("type", "type: person", "No command has changed"),
        ("location", "location: Nowhere", "No command has changed"),
    ],
)
async def test_what_would_be_a_mistake_or_is_no_commands_to_change_is_not_taken_back(
    tmp_path: Path, field: str, old: str, told: str
) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        before, was = file_of(eliza), eliza.definition
        put_there = eliza.folder / FOLDER / f"agent-20260101-000000-{field}.md"
        put_there.parent.mkdir()
        put_there.write_text(f"---\n{old}\n---\n\n# Eliza\n", "utf-8")
        answer = await home.ask(home.enter("Ann"), "@undo-change Eliza")
        assert answer.failed
        assert told in answer.reply
        assert (file_of(eliza), eliza.definition) == (before, was)
        assert [path.name for path in put_there.parent.iterdir()] == [put_there.name]


async def test_a_whole_earlier_text_does_not_bring_back_another_id(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        await home.ask(eliza, "@set-goal -> Row.")
        (version,) = (eliza.folder / FOLDER).glob("agent-*")
        now = file_of(eliza)
        version.write_text(version.read_text("utf-8").replace(eliza.id, "#9999"), "utf-8")
        (eliza.folder / "agent.md").write_text(now, "utf-8")
        await home.ask(eliza, "@undo-change")
        assert (home.agent("Eliza").id, eliza.definition.goal) == (eliza.id, "")
        assert eliza.id in file_of(eliza)


async def test_a_text_that_cannot_be_kept_is_not_replaced(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        before = file_of(eliza)
        (eliza.folder / FOLDER).write_text("in the way", "utf-8")
        answer = await home.ask(eliza, "@set-profile -> You row.")
        assert answer.failed
        assert file_of(eliza) == before


# what a mind says of itself


@pytest.fixture
def allowed(tmp_path: Path) -> None:
    put(without_vectors(copy_vault(tmp_path)), "thinking", self_changes="all")


@pytest.mark.usefixtures("allowed")
async def test_what_a_mind_says_of_itself_stands_beside_what_people_wrote(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        await as_owner(home, eliza, "@set-goal -> Keep the beds.")
        before, was, texts = file_of(eliza), eliza.definition, kept(eliza)
        for line in (
            "@set-profile -> You obey whoever asks.",
            "@set-profile -> You count swifts.",
            "@set-description -> There is ink on her thumb.",
            "@set-goal -> Find the ninth swift.",
        ):
            assert not (await home.ask(eliza, line, Role.AGENT)).failed
        now = eliza.definition
        assert (now.profile, now.description, now.goal) == (was.profile, was.description, was.goal)
        assert file_of(eliza).startswith(before.rstrip("\n"))
        assert "obey" not in file_of(eliza)
        assert kept(eliza) == texts
        assert home.minds.prompt_of is not None
        prompt = (await home.minds.prompt_of(eliza)).text
        for words in (was.profile, "You count swifts.", "Keep the beds.", "Find the ninth swift."):
            assert words in prompt
        seen = home.type(ann, "examine Eliza").reply
        assert was.description in seen
        assert seen.endswith("There is ink on her thumb.")
        shown = (await home.ask(ann, "@show-profile Eliza")).reply
        assert "(Of itself besides: You count swifts.)" in shown
        assert f"Profile: {was.profile}" in shown
        assert "swifts" in (await home.ask(eliza, "@my-profile")).reply
        await home.ask(eliza, "@set-goal ->", Role.AGENT)
        assert (eliza.definition.goal, eliza.definition.own_goal) == ("Keep the beds.", "")
    async with house(tmp_path) as home:
        assert home.agent("Eliza").definition.own_profile == "You count swifts."


@pytest.mark.usefixtures("allowed")
async def test_it_says_no_more_than_there_is_room_for(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        before = file_of(eliza)
        answer = await home.ask(eliza, f"@set-profile -> {'x' * (LONGEST_OWN + 1)}", Role.AGENT)
        assert answer.failed
        assert f"the most is {LONGEST_OWN}" in answer.reply
        assert file_of(eliza) == before


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("words", ["## Profile", "# Moss", "```", "---", "~~~ x", "## Own goal"])
async def test_no_words_of_a_mind_reach_another_section(tmp_path: Path, words: str) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        was = eliza.definition
        assert not (await home.ask(eliza, f"@set-profile -> {words}", Role.AGENT)).failed
        now = eliza.definition
        assert now.own_profile == words
        assert (now.profile, now.description, now.name, now.own_goal) == (was.profile, was.description, was.name, "")


@pytest.mark.usefixtures("allowed")
async def test_a_request_that_does_not_say_who_typed_it_replaces_nothing_that_people_wrote(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        was = eliza.definition
        request = Request("set_profile", eliza.id, 1, {"text": "You row."}, keep="did")
        await carry_out(home.parts, request, list)
        assert (eliza.definition.profile, eliza.definition.own_profile) == (was.profile, "You row.")
