"""The stable prefix over a lived evening: what of a prompt its model's server has read before, and what it has not."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from random import Random
from statistics import mean

from agents.prompt.prompt import Prompt
from mud.clock import VirtualClock
from mud.world.roles import Role
from tests.houses import House, house
from tests.live_server import LiveServer, live_server
from tests.settings import put_own
from tests.vaults import copy_vault, without_vectors

__all__ = ["live_server"]

TURNS = 560
VOLATILE, WITH_PAST = 200, 350
"""Tokens that may be read anew at every thought, without past experiences and with two of them, which have a room of
their own: each of 250 cost 0.03 of the cached share."""
SAYINGS = (
    "The pears at the kitchen end are ripe.",
    "Has anybody seen a brass key with a green ribbon?",
    "My sister Odile keeps bees on the far side of the canal.",
    "I promised to bring back a copper kettle by Thursday.",
    "What did you find today?",
    "They say the glass of the nineteenth lamp lies at the bottom of the cistern.",
    "I counted eleven swifts over the long table this morning.",
    "Where does the culvert lead?",
)


@dataclass(frozen=True)
class Asked:
    """A prompt of the evening.

    Args:
        name: whose.
        prompt: what it would be asked with.
        folds: how often its memories had been folded.
    """

    name: str
    prompt: Prompt
    folds: int


_LIVED: dict[str, list[Asked]] = {}
"""The prompts of the evening in each order; it is lived once."""


async def evening(folder: Path, order: str) -> list[Asked]:
    """Live an evening by instinct; return what each agent would have been asked at its turns, once it had a fold."""
    if order not in _LIVED:
        vault = without_vectors(copy_vault(folder))
        for path in sorted(vault.glob("agents/*/agent.md")):
            put_own(vault, path.parent.name, prompt_order=order, summarizer="extractive")
        clock = VirtualClock()
        async with house(folder, clock) as home:
            _LIVED[order] = await live(home, clock)
    return _LIVED[order]


async def live(home: House, clock: VirtualClock) -> list[Asked]:
    """Let agents with many notes live, and a visitor go from one to the other."""
    chance, living, found = Random(7), home.living(override="instinct"), []
    agents = [home.agent(name) for name in ("Eliza", "Moss", "Corvin", "Tamsin")]
    ann = home.enter("Ann")
    for agent in agents:
        living.begin(agent)
        for number, here in enumerate(home.engine.world.locations()):
            note = f"Ann said of {here.name}: come back with {number + 2} lamps. " + here.description
            home.minds.add_note(agent, here.name, note, None)
        await home.minds.catch_up(agent)
    for turn in range(TURNS):
        agent = agents[turn % len(agents)]
        clock.advance(3)
        place = home.engine.world.location_of(agent.id)
        if turn % 6 == 0 and place is not None:
            home.type(ann, f"go {place.name}", Role.GUEST)
        if turn % 4 == 0:
            home.type(ann, f"say {chance.choice(SAYINGS)}", Role.GUEST)
        await living.act(agent, waiting=False)
        await home.minds.folds.settle()
        if agent.memory.compactions:
            found.append(Asked(agent.name, await home.parts.prompting.next_prompt(agent), agent.memory.compactions))
    return found


def pairs(asked: list[Asked]) -> list[tuple[Asked, Asked]]:
    """Return each prompt of an agent but its first, with the one before it."""
    before: dict[str, Asked] = {}
    found = []
    for now in asked:
        if (old := before.get(now.name)) is not None:
            found.append((old, now))
        before[now.name] = now
    return found


def through_transcript(prompt: Prompt) -> str:
    """Return a prompt up to the last line of its transcript."""
    at = next(n for n, section in enumerate(prompt.sections) if section.name == "transcript")
    return "\n\n".join(section.text for section in prompt.sections[: at + 1]).removesuffix("\n---")


def volatile(prompt: Prompt) -> str:
    return prompt.text.removeprefix(through_transcript(prompt))


def common(old: str, new: str) -> int:
    """Return how many characters two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(old, new, strict=False)))


def share(asked: list[Asked]) -> float:
    """Return the share of an evening's prompts that is the beginning of the same agent's one before."""
    texts = [(old.prompt.text, now.prompt.text) for old, now in pairs(asked)]
    return sum(common(*both) for both in texts) / sum(len(now) for _, now in texts)


async def test_between_two_folds_the_prompts_of_an_evening_only_grow_at_the_end_of_the_transcript(
    tmp_path: Path,
) -> None:
    folded = grown = 0
    for old, now in pairs(await evening(tmp_path, "stable")):
        if old.folds != now.folds:
            folded += 1
        else:
            assert now.prompt.text.startswith(through_transcript(old.prompt))
            grown += 1
    assert folded >= 2
    assert grown > 100


async def test_what_stands_after_the_transcript_takes_under_200_tokens_of_a_real_model_and_with_experiences_350(
    tmp_path: Path, live_server: LiveServer
) -> None:
    asked = await evening(tmp_path, "stable")
    past = [one.prompt for one in asked if "RELATED PAST EXPERIENCES" in one.prompt.text]
    present = [one.prompt for one in asked if one.prompt not in past]
    anew = sorted(live_server.tokens(volatile(prompt)) for prompt in present[::2])
    assert mean(anew) < VOLATILE - 40
    assert anew[len(anew) * 9 // 10] < VOLATILE
    assert sum("Relevant Private Notes" in one.prompt.text for one in asked) > len(asked) / 2, "there is enough to show"
    assert max(live_server.tokens(volatile(prompt)) for prompt in past) < WITH_PAST
    assert len(past) > 20


async def test_over_an_evening_with_folds_nine_tenths_of_the_prompts_were_read_before_but_not_in_the_classic_order(
    tmp_path: Path,
) -> None:
    stable = share(await evening(tmp_path, "stable"))
    (tmp_path / "classic").mkdir()
    classic = share(await evening(tmp_path / "classic", "classic"))
    assert stable > 0.9
    assert classic < stable - 0.2
