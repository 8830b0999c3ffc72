"""Commands about oneself and of the owner about others: they change one thing in an `agent.md`, and it acts at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agents.agent import Agent
from agents.commands._answer import LONGEST_OWN
from agents.definition import FOLDER, MOST
from agents.memory.perception import of_own_mind
from agents.reflection.experiences import open_to_all
from mud.server.requests import carry_out
from mud.world.events import Request
from mud.world.roles import Role
from tests.houses import House, house, texts_of
from tests.settings import put
from tests.vaults import copy_vault, without_vectors

OWN = ["@set-profile -> You row.", "@set-description -> Tall.", "@set-goal -> Row."]
OWNERS = [
    "@show-profile Eliza",
    "@edit-profile Eliza -> You row.",
    "@edit-interval Eliza 20",
    "@brain Eliza instinct",
    "@possess Eliza",
    "@release",
    "@pause",
    "@pause Eliza",
    "@resume",
]


def file_of(agent: Agent) -> str:
    return (agent.folder / "agent.md").read_text(encoding="utf-8")


def commented(agent: Agent) -> str:
    """Give an agent's file comments and prose of people, and return it."""
    text = file_of(agent).replace("brain: auto", "brain: auto  # she likes it") + "\n## Diary of her maker\nNothing.\n"
    (agent.folder / "agent.md").write_text(text, encoding="utf-8")
    return text


def difference(before: str, after: str) -> tuple[list[str], list[str]]:
    """Return the lines that are gone and those that are new."""
    old, new = before.splitlines(), after.splitlines()
    return [line for line in old if line not in new], [line for line in new if line not in old]


async def refused(home: House, who: Agent, line: str, about: Agent) -> str:
    """Have somebody type a line that is refused, and return the sentence; nothing may have changed."""
    before, defined = file_of(about), about.definition
    step = home.type(who, line)
    if step.requests:
        step = await home.ask(who, line)
    assert step.failed
    assert "Traceback" not in step.reply
    assert (file_of(about), about.definition) == (before, defined)
    return step.reply


# oneself


async def test_a_profile_is_shown_and_changed_and_counts_in_the_next_prompt(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        before = commented(eliza)
        assert "You keep the garden, though" in (await home.ask(eliza, "@my-profile")).reply
        answer = await home.ask(eliza, "@set-profile -> You keep bees: forty of them. | I like bees")
        first, second = answer.reply.split("\n")
        assert first == "From now on this is who you are: You keep bees: forty of them."
        assert second.startswith("(Before it was: You keep the garden, though")
        gone, new = difference(before, file_of(eliza))
        assert new == ["You keep bees: forty of them."]
        assert len(gone) == 1
        assert "forty of them" in (await home.parts.prompting.next_prompt(eliza)).text
        assert "forty of them" in (await home.ask(eliza, "@my-profile")).reply
        newest = eliza.memory.newest(2)[0]
        assert (newest.kind, newest.reason) == ("did", "I like bees")
    async with house(tmp_path) as home:
        assert home.agent("Eliza").definition.profile == "You keep bees: forty of them."


async def test_a_description_is_seen_at_once_and_after_a_restart(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        before = commented(eliza)
        await home.ask(eliza, "@set-description A tall woman -> in yellow.")
        assert home.type(ann, "examine Eliza").reply.endswith("A tall woman -> in yellow.")
        assert home.type(ann, "look at Eliza").reply.endswith("A tall woman -> in yellow.")
        assert difference(before, file_of(eliza))[1] == ["A tall woman -> in yellow."]
        assert "in yellow" in (await home.ask(eliza, "@my-description")).reply
        home.parts.save()
    async with house(tmp_path) as home:
        assert home.type(home.enter("Ann"), "examine Eliza").reply.endswith("A tall woman -> in yellow.")


async def test_a_goal_is_set_with_and_without_the_arrow_and_cleared(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        before = commented(eliza)
        assert "nothing in particular" in (await home.ask(eliza, "@my-goal")).reply
        await home.ask(eliza, "@set-goal Find the fin: it is bronze # I think")
        assert eliza.definition.goal == "Find the fin: it is bronze # I think"
        await home.ask(eliza, "@set-goal -> yes")
        assert eliza.definition.goal == "yes"
        gone, new = difference(before, file_of(eliza))
        assert (gone, len(new)) == ([], 1)
        assert (await home.ask(eliza, "@my-goal")).reply == "You want: yes"
        answer = await home.ask(eliza, "@set-goal ->")
        assert answer.reply == "From now on you want nothing in particular.\n(Before it was: yes)"
        assert eliza.definition.goal == ""
    async with house(tmp_path) as home:
        assert home.agent("Eliza").definition.goal == ""


@pytest.mark.parametrize("line", OWN)
async def test_others_see_that_somebody_is_busy_with_themselves_and_not_with_what(tmp_path: Path, line: str) -> None:
    async with house(tmp_path) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        step = await home.ask(eliza, line.replace("Row", "Row to Ipswich").replace("row", "row to Ipswich"))
        [seen] = [one for one in step.left if one.who == ann.id]
        assert (seen.kind, seen.text.split()[0]) == ("saw", "Eliza")
        assert "Ipswich" not in seen.text
        assert "Tall" not in seen.text
        assert texts_of(ann)[-1] == seen.text


@pytest.mark.parametrize("role", [Role.OWNER, Role.GUEST])
async def test_people_change_themselves_too(tmp_path: Path, role: Role) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for line in ("@my-profile", "@my-description", "@my-goal", *OWN):
            assert not (await home.ask(ann, line, role)).failed
        assert home.type(ann, "examine me").reply.endswith("Tall.")
        assert (ann.definition.profile, ann.definition.goal) == ("You row.", "Row.")


@pytest.mark.parametrize("line", ["@my-profile", "@my-description", "@my-goal"])
async def test_what_one_asked_of_oneself_is_remembered_as_nobody_elses(tmp_path: Path, line: str) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        await home.ask(eliza, "@set-goal -> Find the fin.")
        await home.ask(eliza, line)
        entry = eliza.memory.tail[-1]
        assert of_own_mind(entry)
        assert open_to_all([entry]) == []


@pytest.mark.parametrize("words", ["---", "## Profile", "```", "a: b", "# Eliza", "Größe 名前 \N{CRAB}", '"', "~~~ x"])
async def test_odd_words_come_back_as_they_were(tmp_path: Path, words: str) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        for line in ("@set-profile", "@set-description", "@set-goal"):
            assert not (await home.ask(eliza, f"{line} -> {words}")).failed
    async with house(tmp_path) as home:
        one = home.agent("Eliza").definition
        assert (one.profile, one.description, one.goal) == (words, words, words)


@pytest.mark.parametrize(
    "line", ["@set-profile ->", "@set-profile", "@set-description -> ", "@set-profile -> " + "x" * 4001]
)
async def test_no_words_and_too_many_are_refused(tmp_path: Path, line: str) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        assert (await refused(home, eliza, line, eliza)).count(".") <= 2


async def test_a_field_that_was_changed_by_hand_meanwhile_wins_and_the_others_are_kept(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        by_hand = file_of(eliza).replace("You keep the garden", "You keep the pond")
        (eliza.folder / "agent.md").write_text(by_hand, encoding="utf-8")
        answer = await home.ask(eliza, "@set-profile -> You row.")
        assert answer.failed
        assert answer.reply.startswith("agents/eliza/agent.md was changed by hand just now.")
        assert file_of(eliza) == by_hand
        assert eliza.definition.profile.startswith("You keep the pond")
        assert not (await home.ask(eliza, "@set-profile -> You row.")).failed
        (eliza.folder / "agent.md").write_text(by_hand, encoding="utf-8")
        assert not (await home.ask(eliza, "@set-goal -> Row.")).failed
        assert (eliza.definition.goal, eliza.definition.profile[:17]) == ("Row.", "You keep the pond")


@pytest.mark.parametrize("text", ["", "---\nid: [\n---\n", '---\nid: "#2001"\nbrain: brian\n---\n# Eliza\n'])
@pytest.mark.parametrize("line", OWN)
async def test_a_file_that_is_wrong_or_just_being_written_is_left_alone(tmp_path: Path, text: str, line: str) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        (eliza.folder / "agent.md").write_text(text, encoding="utf-8")
        assert "agents/eliza/agent.md" in await refused(home, eliza, line, eliza)


async def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        (eliza.folder / "agent.md").unlink()
        os.mkfifo(eliza.folder / "agent.md")
        answer = await home.ask(eliza, "@set-goal -> Row.")
        assert answer.failed
        assert "agents/eliza/agent.md" in answer.reply
        assert eliza.definition.goal == ""


# of the owner


async def test_a_line_of_a_model_or_a_guest_never_reaches_what_is_the_owners(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        for who, role in ((home.agent("Moss"), Role.AGENT), (home.enter("Ann"), Role.GUEST)):
            steps = [home.type(who, line, role) for line in OWNERS]
            assert [line for line, step in zip(OWNERS, steps, strict=True) if not step.failed or step.requests] == []


async def test_a_profile_of_somebody_is_shown_whole(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        lines = (await home.ask(ann, "@show-profile eliza")).reply.split("\n")
        head = "Eliza thinks with the brain auto every 8 seconds and speaks in the voice eliza (agents/eliza/agent.md)."
        assert lines[0] == head
        assert lines[1].startswith("Description: A small woman")
        assert lines[2].startswith("Profile: You keep the garden")
        assert lines[3] == "Goal: none"
        assert (await home.ask(ann, "@show-profile Ann")).reply.startswith("Ann is played by a person (agents/ann/")


async def test_the_owner_changes_profile_interval_and_brain_and_nothing_else_in_the_file(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        before = commented(eliza)
        remembered = texts_of(eliza)
        replies = [
            (await home.ask(ann, line)).reply
            for line in ("@edit-profile eliza -> You row.", "@edit-interval Eliza 20", "@brain Eliza INSTINCT")
        ]
        assert replies == [
            "From now on this is who Eliza is: You row. (agents/eliza/agent.md)",
            "From now on Eliza thinks every 20 seconds (agents/eliza/agent.md).",
            "From now on Eliza thinks with the brain instinct (agents/eliza/agent.md).",
        ]
        new = ["brain: instinct  # she likes it", "think_interval: 20", "You row."]
        assert difference(before, file_of(eliza))[1] == new
        assert texts_of(eliza) == remembered
        one, thinking = eliza.definition, eliza.thinking()
        assert (one.profile, thinking.think_interval, one.brain) == ("You row.", 20.0, "instinct")
    async with house(tmp_path) as home:
        one, thinking = home.agent("Eliza").definition, home.agent("Eliza").thinking()
        assert (one.profile, thinking.think_interval, one.brain) == ("You row.", 20.0, "instinct")


async def test_an_interval_out_of_bounds_is_refused_with_the_bounds(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        for seconds in ("0", "0.5", "86401", "nan", "inf", "-3", "soon", "1e9"):
            told = await refused(home, ann, f"@edit-interval Eliza {seconds}", eliza)
            assert told == f'Somebody thinks every 1 to 86400 seconds; "{seconds}" is no such number.'


REFUSED = [
    ("@brain Eliza instinkt", "did you mean instinct?"),
    ("@brain Eliza zeppelin", "there is: auto, instinct, language"),
    ("@brain Eliza", "Say who, and which brain"),
    ("@brain Nobody auto", 'Nobody called "Nobody"'),
    ("@brain Ann auto", "Ann is played by a person"),
    ("@edit-interval Eliza", "Say who, and after how many seconds"),
    ("@edit-interval Nobody 8", 'Nobody called "Nobody"'),
    ("@edit-interval Ann 8", "Ann is played by a person"),
    ("@edit-profile Eliza", "There is no -> in that."),
    ("@edit-profile Nobody -> x", 'Nobody called "Nobody"'),
    ("@edit-profile Ann -> x", "Ann is played by a person"),
    ("@show-profile Nobody", 'Nobody called "Nobody"'),
    ("@pause Nobody", 'Nobody called "Nobody"'),
    ("@pause Ann", "Ann is played by a person"),
    ("@possess Nobody", 'Nobody called "Nobody"'),
    ("@possess Ann", "You are yourself already."),
    ("@possess Bob", "Bob is played by a person"),
    ("@release", "You have taken over nobody."),
]


async def test_what_cannot_be_done_to_somebody_is_one_sentence(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        home.enter("Bob")
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        for line, told in REFUSED:
            assert told in await refused(home, ann, line, eliza), line


LINES = [
    "@set-profile -> You row.",
    "@set-description -> Tall.",
    "@set-goal -> Row.",
    "@edit-profile Eliza -> You row.",
    "@edit-interval Eliza 20",
    "@brain Eliza instinct",
]


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
        prompt = (await home.parts.prompting.next_prompt(eliza)).text
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
