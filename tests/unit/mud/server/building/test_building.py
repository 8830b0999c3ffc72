"""What builders type becomes files as a person would have written them, and the world at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from mud.server.reloading import Reloading
from mud.storage.trash import TRASH
from mud.world.roles import Role
from tests.unit.mud.server.building.site import content, site

GARDEN = "world/locations/the-garden.md"


async def test_a_place_is_dug_with_ways_there_and_back(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        before = here.text(GARDEN)
        told = await here.type("@dig The Cold Frame = d, out")
        assert told == (
            "The Cold Frame is made: down leads from The Garden to The Cold Frame and out leads from The Cold Frame to "
            "The Garden (world/locations/the-cold-frame.md)."
        )
        [place] = [one for one in here.world.locations() if one.name == "The Cold Frame"]
        assert here.text("world/locations/the-cold-frame.md") == (
            f'---\nid: "{place.id}"\ntype: location\nexits:\n  out: "[[The Garden]]"\n---\n# The Cold Frame\n'
        )
        gate = '  gate: "[[The Towpath]]"\n'
        assert here.text(GARDEN) == before.replace(gate, f'{gate}  down: "[[The Cold Frame]]"\n')
        assert "The Cold Frame" in await here.type("down")
        assert "The Garden" in await here.type("out")
        assert here.problems() == []


async def test_a_place_that_nobody_can_reach_or_leave_is_said_so(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        alone = (await here.type("@dig The Cold Frame")).splitlines()
        assert alone[1:] == [
            "No way leads to The Cold Frame: nobody can walk there. @open makes one.",
            "No way leads out of The Cold Frame: nobody can leave it. @open makes one.",
        ]
        assert (await here.type("@open frame = The Cold Frame")).splitlines()[1:] == alone[2:]
        assert (await here.type("@unlink frame")).splitlines()[1:] == alone[1:]
        told = await here.type("@open frame = cold frame, out")
        ways = "frame leads from The Garden to The Cold Frame and out leads from The Cold Frame to The Garden"
        assert told == f"There is a new way: {ways}."
        assert "The way out still leads from The Cold Frame" in await here.type("@unlink frame")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("@dig The Library = up", "The Library is the name of world/locations/the-library.md already"),
        ("@dig The Attic = north", "There is a way called north in The Garden already."),
        ("@dig The Attic = n", "There is a way called north in The Garden already."),
        ("@dig The Attic = a, b, c", "one way there and one way back"),
        ("@dig The Attic = :::", "cannot be the name of a way"),
        (f"@dig The Attic = {'w' * 41}", "cannot be the name of a way"),
        ("@dig", "@dig needs more: name."),
        ("@create everybody", "means something else"),
        ("@create sundiaI", "looks like 'sundial'"),
        ("@create sundial", "sundial is the name of world/items/sundial.md already"),
        ("@create \N{CYRILLIC SMALL LETTER A}pple", "mixes letters of Cyrillic and Latin"),
        (f"@create {'n' * 61}", "at most 60 characters"),
        ("@create a [[link]]", "A name may not"),
        ("@create a, b", "A name may not hold"),
        ("@create ...", "at least one letter"),
        ("@describe nothing = x", 'There is nothing called "nothing" here'),
        ("@describe sundial = # New", "A line may not begin with #"),
        ("@describe Bert = Tall.", "who alone says who they are"),
        ("@set sundial colour = red", "colour: unknown key"),
        ("@set sundial fixed = perhaps", "neither; expected true or false"),
        ("@set sundial location = The Attic", "is nothing there is"),
        ("@set sundial id = #1", "id never changes"),
        ("@set here exits = north", "made with @open"),
        ("@set sundial = red", "Say what is to be set"),
        ("@set Eliza brain = instinct", "Of an agent builders can set"),
        ("@rename Eliza = Elsa", "remembers by that name"),
        ("@destroy Eliza", "has a memory"),
        ("@clone Eliza", "has a memory"),
        ("@destroy here", "Somebody is in The Garden: "),
        ("@open up = Nowhere", 'There is no place called "Nowhere"'),
        ("@unlink up", 'There is no one way called "up" here.'),
        ("@agent Eliza = You.", "is taken"),
        ("@agent Guest 7 = You.", "is taken"),
        ("@edit sundial/#", "A section is named by letters"),
        ("@edit Eliza/Own goal", "Of an agent builders can write"),
        ("@verb sundial wind up = You.", 'There is nothing called "sundial wind"'),
        ("@verb sundial 3 = You.", "Say the verb in one word"),
        ("@teleport Olive", 'There is no place called "Olive"'),
        ("@undo", "You have built nothing"),
        ("@find qqq", 'has "qqq" in its name'),
    ],
)
async def test_what_cannot_be_costs_nothing_and_is_one_clear_sentence(tmp_path: Path, line: str, why: str) -> None:
    async with site(tmp_path) as here:
        before, things = content(here.vault), dict(here.world.things)
        told = await here.type(line)
        assert why in told
        assert content(here.vault) == before
        assert dict(here.world.things) == things
        assert not list(here.vault.glob("log/building/*/*"))


async def test_a_thing_is_made_described_named_and_set(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        for line in (
            "@create stone statue",
            "@describe statue = A reader in limestone, one finger in a closed book = shut.",
            "@alias statue = reader, saint",
            "@set stone statue fixed = true",
            "@set statue tags = old, stone",
            "@verb statue dust -> You dust it.",
            '@rule statue = when examine: say "Mind the step."',
        ):
            await here.type(line)
        [statue] = [one for one in here.world.things.values() if one.name == "stone statue"]
        assert statue.aliases == ("reader", "saint")
        assert statue.fixed
        assert here.text("world/items/stone-statue.md") == (
            f'---\nid: "{statue.id}"\ntype: item\nlocation: "[[The Garden]]"\naliases: [reader, saint]\nfixed: true\n'
            "tags: [old, stone]\n---\n# stone statue\n\nA reader in limestone, one finger in a closed book = shut.\n\n"
            '## Verbs\n- dust: You dust it.\n\n## Rules\n- when examine: say "Mind the step."\n'
        )
        assert here.world.location_of(statue.id) == here.world.location_of(here.bert.session.own)
        await here.type("@verb saint dust = It is dusted.", "@alias saint =", "@set stone statue fixed =")
        text = here.text("world/items/stone-statue.md")
        assert "- dust: It is dusted.\n" in text
        assert "aliases" not in text
        assert "fixed" not in text
        assert await here.type("@set stone statue fixed =") == "It is so already; nothing was changed."


async def test_what_is_open_is_closed_when_it_is_locked(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        await here.type("@create an oak box", "@create iron key", "@set oak box opens = true", "open oak box")
        assert "oak box is locked" in await here.type("@lock oak box = iron key")
        assert "It is locked" in await here.type("open oak box")
        await here.type("@lock oak box =")
        assert "You open the oak box." in await here.type("open oak box")


async def test_a_new_name_is_followed_by_all_that_leads_to_it_and_by_the_file(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        before, started = content(here.vault), here.text("config/world.md")
        told = await here.type("@rename here = The Orchard")
        assert told.splitlines()[0] == "The Garden is called The Orchard now (world/locations/the-orchard.md)."
        assert "agents/eliza/agent.md" in told
        assert not (here.vault / GARDEN).exists()
        assert not any(b"[[The Garden]]" in text for text in content(here.vault).values())
        assert here.text("config/world.md") == started.replace(": The Garden", ": The Orchard")
        assert here.problems() == []
        assert "The Orchard" in await here.type("look")
        assert await here.type("@undo") == "Taken back: @rename The Garden"
        assert content(here.vault) == before
        assert "The Garden" in await here.type("look")


async def test_a_file_with_a_name_of_its_own_keeps_it(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        path = here.vault / "world/items/sundial.md"
        path.rename(path.with_name("in the middle.md"))
        here.hall.reloading.everything()
        assert "world/items/in the middle.md" in await here.type("@rename sundial = old dial")


async def test_what_is_destroyed_comes_back_where_it_was_with_its_ways(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        await here.type("@dig The Cold Frame = frame, out", "@create iron key", "frame", "@create lead sheet", "out")
        await here.type("take iron key")
        before = content(here.vault)
        told = await here.type("@destroy The Cold Frame")
        assert "lead-sheet.md" in told  # it begins there
        await here.type("@destroy lead sheet", "@destroy The Cold Frame", "@destroy iron key")
        assert "frame" not in await here.type("look")
        assert "The Cold Frame" not in [one.name for one in here.world.things.values()]
        assert len(list((here.vault / TRASH).glob("*.md"))) == 3
        assert here.problems() == []
        await here.type("@undo", "@undo", "@undo")
        assert content(here.vault) == before
        assert "iron key" in await here.type("inventory")
        assert "lead sheet" in await here.type("frame")


async def test_what_is_destroyed_comes_back_in_the_state_it_was_in(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        await here.type("@create oil lamp", "@set oil lamp light = true", "light oil lamp", "@destroy oil lamp")
        assert "oil lamp" not in await here.type("look")
        await here.type("@undo")
        assert "oil lamp (lit)" in await here.type("look")


async def test_a_clone_has_an_id_a_name_and_a_file_of_its_own(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        await here.type("@clone sundial", "@clone sundial", "@clone sundial 2 = moondial", "@clone here = The Copy")
        names = {one.name: one.id for one in here.world.things.values()}
        assert len({names[name] for name in ("sundial", "sundial 2", "sundial 3", "moondial")}) == 4
        assert "fixed: true" in here.text("world/items/moondial.md")
        assert "exits" not in here.text("world/locations/the-copy.md")
        assert here.problems() == []


async def test_lines_of_a_text_are_collected_until_a_full_stop(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        before = content(here.vault)
        shown = await here.hall.type(here.bert, "@edit gilt hand", "..old", "", "quit", "# no title", "x" * 20_001, ".")
        assert shown[0].startswith("Description in world/items/gilt-hand.md says now:")
        assert shown[1].startswith("That line was not taken: all lines together")
        assert shown[-1].startswith("A line may not begin with #")
        assert content(here.vault) == before
        await here.type("@edit gilt hand", "..old", "", "  quit | all", ".")
        old = before["world/items/gilt-hand.md"].decode()
        assert here.text("world/items/gilt-hand.md") == f"{old.rstrip()}\n\n  quit | all\n"
        assert await here.type("@edit gilt hand/when lit", "It burns.", "..abort") == "Nothing was changed."
        await here.type("@edit gilt hand/when lit", "It burns.", ".")
        assert here.text("world/items/gilt-hand.md").endswith("\n\n## When lit\nIt burns.\n")
        await here.type("@edit gilt hand/When Lit", ".", "@undo", "@undo", "@undo")
        assert content(here.vault) == before


async def test_a_section_that_two_people_write_at_once_keeps_what_both_wrote(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        cora = here.hall.enter("Cora", Role.BUILDER)
        file = "world/items/sundial.md"
        await here.type("@edit sundial", "one", "two", "three", "four", ".")
        await here.type("@edit sundial")
        await here.type("@edit sundial", "ONE", "two", "three", "four", ".", seat=cora)
        await here.type("one", "two", "three", "FOUR", ".")
        assert "ONE\ntwo\nthree\nFOUR\n" in here.text(file)
        await here.type("@edit sundial")
        here.write(file, here.text(file).replace("two", "TWO"))
        told = await here.type("ONE", "2", "three", "FOUR", ".")
        assert told.startswith(f"Description in {file} was changed by somebody else while you wrote")
        assert "TWO" in here.text(file)
        [kept] = (here.vault / TRASH).glob("sundial-*.md")
        assert kept.read_text() == "ONE\n2\nthree\nFOUR\n"


async def test_a_file_that_an_editor_saved_a_moment_ago_is_changed_as_it_is_now(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        file = "world/items/sundial.md"
        by_hand = here.text(file).replace("# sundial", "# sundial\n<!-- ours -->")
        here.write(file, by_hand)
        await here.type("@alias sundial = dial")
        assert "<!-- ours -->" in here.text(file)
        assert "aliases: [dial]" in here.text(file)
        here.write(file, here.text(file).replace("fixed: true", "fixed: [true"))
        assert "not in order" in await here.type("@alias sundial = slate")
        here.write(file, "")
        assert "somebody may be saving it" in await here.type("@alias sundial = slate")
        assert here.text(file) == ""


async def test_what_is_taken_back_leaves_what_others_changed_since(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        cora = here.hall.enter("Cora", Role.BUILDER)
        file, before = GARDEN, here.text(GARDEN)
        await here.type("@open pipe = The Cistern")
        await here.type("@describe here = Overgrown.", seat=cora)
        assert await here.type("@undo") == "Taken back: @open pipe"
        assert "pipe" not in here.text(file)
        assert "Overgrown." in here.text(file)
        await here.type("@describe here = Mown.")
        await here.type("@describe here = Wild.", seat=cora)
        told = await here.type("@undo")
        assert told.startswith(f"@describe The Garden was not taken back. {file} was changed by somebody else")
        assert "Wild." in here.text(file)
        await here.type("@undo", seat=cora)
        assert "Mown." in here.text(file)
        await here.type("@undo", seat=cora)
        assert here.text(file) != before  # Cora's first change began with a way that is gone
        assert here.problems() == []


async def test_a_way_that_somebody_else_needs_is_not_taken_back(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        cora = here.hall.enter("Cora", Role.BUILDER)
        await here.type("@dig The Cold Frame")
        await here.type("@open frame = The Cold Frame", seat=cora)
        told = await here.type("@undo")
        assert told.startswith("@dig The Cold Frame was not taken back. Nothing was changed, as it would be wrong: ")
        assert here.problems() == []
        assert await here.type("@undo") == "You have built nothing that could be taken back."


async def test_an_agent_is_made_step_by_step(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        before = content(here.vault)
        told = await here.type(
            "@agent Bram", "A small man.", "You mend clocks.", "nobody", "moss", "find the hand",
            "mornings: winds the clock in [[The Library]]", "noons", ".",
        )  # fmt: skip
        assert told == "Bram is here, and thinks (agents/bram/agent.md)."
        agent = here.hall.home.agent("Bram")
        assert here.text("agents/bram/agent.md") == (
            f'---\nid: "{agent.id}"\ntype: agent\nlocation: "[[The Garden]]"\nvoice: moss\ngoal: find the hand\n---\n'
            "# Bram\n\n## Description\nA small man.\n\n## Profile\nYou mend clocks.\n\n"
            "## Habits\n- mornings: winds the clock in [[The Library]]\n"
        )
        assert "Bram" in await here.type("look")
        assert here.problems() == []
        await here.type("@describe Bram = A tall man.", "@edit Bram/reflexes", "- when a bell rings: starts", ".")
        assert "A tall man." in await here.type("look Bram")
        await here.type("@undo", "@undo")
        assert "has left the world" in await here.type("@undo")
        assert content(here.vault) == before
        assert here.world.location_of(agent.id) is None
        assert list((here.vault / TRASH).glob("bram-*/agent.md"))


async def test_who_gives_up_in_the_middle_has_made_nobody(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        before = content(here.vault)
        assert await here.type("@agent Bram", "A small man.", "..abort") == "Nothing was changed."
        await here.type("@agent Bram", "A small man.")
        here.bert.session.end()
        await asyncio.gather(*here.hall.asked)
        assert content(here.vault) == before


async def test_what_an_agent_wrote_of_itself_is_shown_to_owners_only(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        file = "agents/eliza/agent.md"
        here.write(file, f"{here.text(file).rstrip()}\n\n## Own goal\nzq1z\n")
        shown = await here.type("@examine Eliza")
        assert shown.startswith(f"{file}\n---\n")
        assert "zq1z" not in shown
        assert "the owner can read that" in shown
        assert "zq1z" in await here.type("@examine Eliza", seat=here.hall.owner())


async def test_who_lost_the_role_while_a_text_was_typed_has_changed_nothing(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        owner, before = here.hall.owner(), content(here.vault)
        await here.type("@edit sundial", "Mine now.")
        await here.type("@role Bert player", seat=owner)
        assert await here.type(".") == "Nothing was changed."
        assert content(here.vault) == before


async def test_what_was_typed_before_a_connection_went_is_kept_aside(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        before = content(here.vault)
        await here.type("@edit sundial", "one", "two")
        here.bert.session.end()
        [kept] = (here.vault / TRASH).glob("sundial-*.md")
        assert kept.read_text() == "one\ntwo\n"
        assert content(here.vault) == before


async def test_builders_move_themselves_and_things_and_owners_people(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        ann = here.hall.enter("Ann")
        assert await here.type("@teleport The Loft") == "You are in The Loft now."
        assert await here.type("@teleport sundial = here") == "sundial is in The Loft now."
        assert await here.type("@teleport Eliza = loft") == "Eliza is in The Loft now."
        assert "led by a person" in await here.type("@teleport Ann = The Loft")
        await here.type("@create iron key", seat=here.bert)
        await here.type("@teleport iron key = The Garden")
        await here.type("take iron key", seat=ann)
        assert "Somebody else carries" in await here.type("@teleport iron key = The Loft")
        assert await here.type("@teleport Ann = The Loft", seat=here.hall.owner()) == "Ann is in The Loft now."
        assert "iron key" in await here.type("@find iron")
        assert "places stay where they are" in await here.type("@teleport here = The Garden")


async def test_a_whole_name_is_meant_before_another_name_and_that_before_a_part(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        await here.type("@dig The Attic = ladder, down")
        assert "the-attic.md" in await here.type("@examine The Attic")
        assert "the-loft.md" in await here.type("@examine The Loft")
        await here.type("@create lamp glass")
        shown = await here.type("@find lamp glass")
        assert "is called 'lamp glass' too" not in shown


async def test_what_was_built_is_there_after_the_world_was_closed(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        await here.type("@dig The Cold Frame = frame, out", "@create iron key", "@destroy gilt hand")
        built = content(here.vault)
    async with site(tmp_path) as here:
        assert content(here.vault) == built
        assert "iron key" in await here.type("look")
        await here.type("@undo", "@undo", "@undo")
        assert "gilt hand" in await here.type("@find gilt")


async def test_what_a_command_wrote_is_not_taken_for_an_edit(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        await here.type("@dig The Cold Frame = frame, out", "@rename here = The Orchard", "@destroy gilt hand")
        assert here.hall.told == []
        assert isinstance(here.hall.reloading, Reloading)


async def test_a_place_where_somebody_is_is_not_taken_back_and_what_lies_there_is_moved(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        await here.type("@create iron key", "@dig The Den = den, out", "take iron key", "den", "drop iron key")
        assert "Somebody is in The Den: Bert." in await here.type("@undo")
        await here.type("out")
        assert await here.type("@undo") == "Taken back: @dig The Den"
        assert "iron key" in await here.type("look")
        assert "iron key" in await here.type("@find iron")


async def test_what_lay_in_a_destroyed_place_comes_back_with_it_unless_somebody_has_it(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        await here.type("@create iron key", "@create tin cup", "@dig The Den = den, out")
        await here.type("take iron key", "take tin cup", "den", "drop iron key", "drop tin cup", "out")
        await here.type("@destroy The Den", "take tin cup")
        assert await here.type("@undo") == "Taken back: @destroy The Den"
        assert "tin cup" in await here.type("inventory")
        assert "iron key" in await here.type("den")


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("location = #1002", 'location: "#1002"'),
        ("location = The Loft", 'location: "[[The Loft]]"'),
        ("location = [[The Loft]]", 'location: "[[The Loft]]"'),
        ("fixed = false", "fixed: false"),
        ("tags = old, 51", 'tags: [old, "51"]'),
        ("tags = a # b", "tags: ["),
        ('tags = ["a, b"]', 'tags: ["a, b"]'),
    ],
)
async def test_a_value_is_written_as_a_person_would(tmp_path: Path, typed: str, line: str) -> None:
    async with site(tmp_path) as here:
        await here.type(f"@set sundial {typed}")
        assert f"\n{line}" in here.text("world/items/sundial.md")
        assert here.problems() == []


async def test_a_text_is_kept_though_it_looks_like_something_else(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        for typed in ("find it: # now", "on", "51", "1e3", "#5", "[a] and b", "'"):
            await here.type(f"@set Eliza goal = {typed}")
            assert here.hall.parts.minds.definitions["eliza"].goal == typed
