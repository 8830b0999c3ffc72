"""The prompts that one life comes to under every strategy of compaction and in both orders, for people to read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from agents.agent import Agent
from agents.compaction.strategies import Strategy
from agents.life.prompting import Prompting
from agents.prompt.prompt import TEMPLATES
from mud.registry import Registry, load
from mud.world.roles import Role
from tests.houses import House, house
from tests.lives import begin_anew
from tests.settings import put_own
from tests.vaults import copy_vault, without_vectors

GOLDEN = Path("tests/golden/prompts")
REFRESH = "REFRESH_GOLDEN"
"""Environment variable that, set to 1, writes the golden prompts anew."""
STRATEGIES = [one.name for one in load("agents.compaction.strategies", Strategy, "strategy")]
COMMANDS = ("go", "look", "say", "note")
SMALL: dict[str, dict[str, Any]] = {
    "waterfall": {"immediate_window": 7, "recent_window": 7},
    "sleep": {"sleep_threshold": 0.05, "preserve_entries": 7, "preserve_fraction": 0.0},
    "layered": {"threshold_tokens": 330, "min_saving_tokens": 0, "mask_keep": 1, "mask_block": 1},
    "hybrid": {"hybrid_entries": 14, "hybrid_keep": 7, "mask_keep": 1, "mask_block": 1},
    "masking": {"mask_keep": 1, "mask_block": 1},
    "sliding_window": {"sliding_entries": 6},
}
"""Each strategy's numbers, so small that a short life shows what it does."""

GARDEN, LIBRARY = "The Garden", "The Library"
CATALOGUE = (
    "card catalogue: The drawers go from Abbess to Zinc. Under K there is one card, in green ink: KEY, brass, "
    "see third stone. Somebody has pencilled a question mark on its back, and the date, the ninth of May. The drawer "
    "below it does not open."
)
SUNDIAL = (
    "sundial: A slab of slate on a stone foot. Four holes show where the fin was screwed on, and moss has grown in "
    "three of them. Round the edge one can read: I COUNT NONE BUT. The rest has flaked away, and lies nowhere about."
)
STONES = "The second stone has a fern on it. Tamsin says the third stone is loose: she stubbed her toe. All are wet."


def _lived(kind: str, text: str, actor: str | None = None, place: str = GARDEN, **more: str) -> dict[str, Any]:
    return {"kind": kind, "text": text, "actor": actor, "place": place, **more}


LIFE = (
    _lived("moved", "You wake in The Garden. It is early."),
    _lived("result", SUNDIAL),
    _lived("thought", 'You think, "Somebody took the fin, or it fell."'),
    _lived("saw", "Ann arrives from The Lobby.", "Ann"),
    _lived("heard", 'Ann says, "Good morning, Eliza. I am looking for a brass key."', "Ann"),
    _lived("said", 'You say, "Good morning, Ann. What does it open?"', reason="she came a long way for it"),
    _lived("heard", 'Ann says, "My grandmother\'s desk. She hid 12 letters in it."', "Ann"),
    _lived("told", 'Ann whispers to you, "Do not tell Corvin, he tells everybody."', "Ann"),
    _lived("said", 'You say, "I promise to ask Moss by noon."', reason="he knows where things lie"),
    _lived("saw", "Ann leaves for The Kitchen.", "Ann"),
    _lived("moved", "You walk from The Garden to The Library (lobby, north). Moss is here.", place=LIBRARY),
    _lived("said", 'You say, "Moss, have you seen a brass key?"', place=LIBRARY),
    _lived("heard", 'Moss says, "A key is a question. Ask the catalogue."', "Moss", LIBRARY),
    _lived("result", CATALOGUE, place=LIBRARY),
    _lived("heard", 'Moss says, "The third stone is by the culvert, on the towpath."', "Moss", LIBRARY),
    _lived("said", 'You say, "Then I shall look there with Ann."', place=LIBRARY, reason="I promised her"),
    _lived("heard", 'Moss says, "Take a lamp. It is dark under there."', "Moss", LIBRARY),
    _lived("saw", "Corvin arrives from The Lobby.", "Corvin", LIBRARY),
    _lived("heard", 'Corvin says, "If I may: is there news of a key?"', "Corvin", LIBRARY),
    _lived("said", 'You say, "There is news of rain, Corvin."', place=LIBRARY, reason="Ann asked me not to tell him"),
    _lived("heard", 'Corvin says, "Rain at 7, so I was told by the bees."', "Corvin", LIBRARY),
    _lived("saw", "Corvin leaves for The Lobby.", "Corvin", LIBRARY),
    _lived("did", "Eliza unties the garden string of her notebook.", place=LIBRARY),
    _lived("result", "You see nothing called lamp here.", place=LIBRARY),
    _lived("heard", 'Moss says, "There is one behind the ladder."', "Moss", LIBRARY),
    _lived("saw", "Ann arrives from The Lobby.", "Ann", LIBRARY),
    _lived("heard", 'Ann says, "Eliza, have you found out about the third stone?"', "Ann", LIBRARY),
)


async def _live(home: House, eliza: Agent) -> None:
    """Live the life one memory at a time, each fold where it is due; who folds asleep sleeps before the last two."""
    for number, record in enumerate(LIFE, 1):
        eliza.memory.append_raw([record])
        if number == len(LIFE) - 2 and eliza.settings().strategy == "sleep":
            home.type(eliza, "sleep", Role.AGENT)
            home.minds.remembered(eliza, ())
            await home.minds.folds.settle()
            home.type(eliza, "wake", Role.AGENT)
        eliza.life.next_turn()
        await home.minds.folds.settle()


def _checked(name: str, text: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get(REFRESH) == "1":
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8"), f"{path} differs; if the new one is right, run with {REFRESH}=1"


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_the_prompts_of_a_life_under_a_strategy_are_the_golden_ones(tmp_path: Path, strategy: str) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put_own(vault, "eliza", strategy=strategy, summarizer="extractive", **SMALL.get(strategy, {}))
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        home.enter("Ann", LIBRARY)
        home.type(eliza, "go library", Role.AGENT)
        home.type(home.agent("Moss"), "go library", Role.AGENT)
        begin_anew(eliza)
        await _live(home, eliza)
        home.minds.add_note(eliza, "Stones", STONES, None)
        await home.minds.catch_up(eliza)
        commands = Registry("command", [one for one in home.parts.commands if one.name in COMMANDS])
        prompting = Prompting(home.minds, home.parts.templates, commands)
        related = await prompting.related(eliza)
        for order in TEMPLATES:
            put_own(home.parts.vault, "eliza", prompt_order=order)
            assert home.minds.load_definition("eliza") == []
            prompt = prompting.build(eliza, related)
            assert prompt.shed == ()
            _checked(f"{strategy}_{order}", prompt.text + "\n")


def test_every_golden_prompt_belongs_to_a_strategy_there_is() -> None:
    names = {f"{strategy}_{order}" for strategy in STRATEGIES for order in TEMPLATES}
    assert {path.stem for path in GOLDEN.iterdir()} == names
