"""After a correction nothing that is made of memories holds the wrong words, whatever was folded, and when."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.agent import Agent
from tests.examples import examples
from tests.houses import House, house

ACTS = st.lists(st.sampled_from(["say", "more", "fold", "rebuild", "note", "find"]), min_size=1, max_size=6)


async def act(home: House, ann: Agent, eliza: Agent, acts: list[str], word: str) -> None:
    for number, one in enumerate(acts):
        match one:
            case "say":
                home.type(ann, f"say Eliza, my sister Petra lives in {word} since {number} May.")
            case "more":
                for pear in range(70):
                    home.type(ann, f"say Pear {pear} of basket {number} is ripe.")
            case "fold":
                await home.ask(ann, "@compact-memories Eliza")
            case "rebuild":
                await home.ask(ann, "@rebuild-summaries Eliza")
            case "note":
                await home.ask(eliza, f"note Petra -> She lives in {word}.")
            case "find":
                await home.ask(eliza, f"recall Petra {word}")


async def told(home: House, eliza: Agent) -> str:
    prompt = await home.parts.prompting.next_prompt(eliza)
    hits, _ = await home.minds.means.recall.search(eliza.id, "Petra Harbourtown", 20)
    summaries = [one.text for one in (eliza.memory.longterm, eliza.memory.recent) if one]
    notes = [note.text for note in eliza.notes.all()]
    return "\n".join([prompt.text, *(hit.text for hit in hits), *summaries, *notes])


@settings(max_examples=examples(24), deadline=None)
@given(before=ACTS, after=ACTS, again=st.booleans())
def test_after_a_correction_nothing_holds_the_wrong_words(before: list[str], after: list[str], again: bool) -> None:
    async def live(folder: Path) -> None:
        async with house(folder) as home:
            ann, eliza = home.enter("Ann"), home.agent("Eliza")
            await act(home, ann, eliza, ["say", *before], "Harbourtown")
            await home.ask(ann, '@correct Eliza: "Harbourtown" -> "Hillcross"')
            assert "Harbourtown" not in await told(home, eliza)
            if not again:
                await act(home, ann, eliza, after, "Hillcross")
                assert "Harbourtown" not in await told(home, eliza)
        if again:
            async with house(folder) as home:
                ann, eliza = home.enter("Ann"), home.agent("Eliza")
                await act(home, ann, eliza, after, "Hillcross")
                assert "Harbourtown" not in await told(home, eliza)

    with TemporaryDirectory() as folder:
        asyncio.run(live(Path(folder)))
