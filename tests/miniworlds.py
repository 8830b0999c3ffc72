"""Made-up vaults of Miniworld, the ancestor, with every quirk of its files; see `mud.storage.miniworld`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

NAMES = ("Ada", "Ben Thorne", "Cléo", "Dov", "Esme", "Fitch", "Grün & Co.", "The Traveler")
TRADES = ("cooper", "glazier", "piper", "ferrier", "chandler", "fuller", "cartwright", "tinker")
KEEPSAKES = (
    "copper thimble", "ivory comb", "slate pencil", "tin whistle", "glass marble", "brass compass", "linen ribbon",
    "silver spoon", "wooden top", "clay pipe", "pewter mug", "bone needle", "leather purse", "wax seal", "iron ladle",
    "paper lantern", "felt slipper", "horn button", "garnet ring", "oak peg",
)  # fmt: skip
HIDEOUTS = (
    "under the millstone", "behind the organ", "inside the beehive", "above the lintel", "beneath the drawbridge",
    "within the globe", "beside the cistern", "below the pulpit", "among the turnips", "over the chimney",
    "under the anvil", "behind the tapestry", "inside the drum", "above the rafters", "beneath the sundial",
    "within the bellows", "beside the weir", "below the stairs", "among the quills", "over the gatehouse",
)  # fmt: skip
BEGINS = datetime(2025, 10, 12, 16, 9, 51)


class Fact(NamedTuple):
    """A planted fact: who remembers it, what to search for, and the words that must be found."""

    who: str
    query: str
    told: str


class Made(NamedTuple):
    """What was made. `memories`: by the name of whose they are."""

    root: Path
    memories: dict[str, int]
    facts: list[Fact]


def file_name(name: str) -> str:
    """Return a name as Miniworld makes it the name of a file: other scripts and signs are dropped."""
    return re.sub(r"[^A-Za-z0-9_-]", "", name.strip().replace(" ", "_"))


def make_miniworld(root: Path, *, locations: int = 30, memories: int = 5000, facts: int = 20, seed: int = 1) -> Made:
    """Write a vault of Miniworld with eight characters into a new folder."""
    chance = Random(seed)
    places = [
        f"{chance.choice(('Old', 'High', 'Low', 'Far'))} {trade.title()} Yard {n}"
        for n in range(locations)
        for trade in [chance.choice(TRADES)]
    ]
    for at, name in enumerate(places):
        _location(root, places, at, name)
    placed = {name: places[at % locations] for at, name in enumerate(NAMES)}
    _state(root, placed)
    counts, planted = dict[str, int](), [Fact(NAMES[n % 7], KEEPSAKES[n], HIDEOUTS[n]) for n in range(facts)]
    for at, name in enumerate(NAMES):
        count = memories // len(NAMES) + (at < memories % len(NAMES))
        own = [one for one in planted if one.who == name]
        _life(root, name, placed[name], count, own, chance)
        counts[name] = count
    for folder in ("config", "text/commands", "narrative", "templates", "world/objects/items"):
        _write(root / folder / "page.md", "# Page\n\n**key**: value\n")
    _write(root / "agents/Ada/notes_vectors.json", "{}")
    return Made(root, counts, planted)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _location(root: Path, places: list[str], at: int, name: str) -> None:
    """Write a location: links in the new form, exits in the old one at every third, and ids that repeat."""
    to, far = places[(at + 1) % len(places)], places[(at + 7) % len(places)]
    ways = f"## Connections\n- [[{to}]]\n- [[{far}]]\n"
    if at % 3 == 2:
        ways = f"## Exits\n- [[{to}]] | east | alley\n- [[Nowhere At All]] | trapdoor\n"
    contents = f"\n## Contents\n- [[{NAMES[at % len(NAMES)]}]]\n"
    body = f"# {name}\n\n## Description\nA yard, number {at}.\n## Rules of the yard\nNo shouting.\n\n"
    flags = f"## Flags\n- is_room\n\n## Components\n- location\n\n{ways}{contents}"
    alias = f"## Aliases\n- yard {at}\n\n" if at % 4 == 0 else ""
    front = f"object_id: #{1002 + at % 5}\ntype: location\ncreated: 2025-11-09T18:02:11\nmodified: 2025-11-09T10:05:40Z"
    _write(root / f"world/locations/{file_name(name)}.md", f"---\n{front}\n---\n{body}{alias}{flags}")


def _state(root: Path, placed: dict[str, str]) -> None:
    rows = "".join(f"| [[{who}]] | [[{where}]] |\n" for who, where in placed.items() if who != "Dov")
    table = f"## Character Locations\n\n| Character | Location |\n|---|---|\n{rows}"
    _write(root / "world/world_state.md", f"---\nsnapshot_time: 2025-12-04T10:15:02Z\n---\n# World State\n\n{table}")


def _life(root: Path, name: str, where: str, count: int, facts: list[Fact], chance: Random) -> None:
    folder = root / "agents" / file_name(name)
    thinks = name != "The Traveler"
    profile = f"You are {name}, a tinker.\nYou speak little.\n- Likes: tea, and rain\nYou keep what you are told."
    _definition(folder / "agent.md", name, where, profile if name != "Esme" else profile.split("\n")[0], thinks=thinks)
    if name == "Esme":  # the older file has what was cut off since
        _definition(root / f"world/objects/characters/{file_name(name)}.md", name, where, profile, thinks=True)
    at, told = BEGINS, {(2 * n + 1) * count // (2 * len(facts) + 1): fact for n, fact in enumerate(facts)}
    for number in range(count):
        _memory(folder / "memories", number, at, name, where, told.get(number), chance)
        at += timedelta(seconds=chance.randint(1, 3000))
    _write(folder / "notes/Odd_Title.md", _note("Odd: Title?", "The first.\n\n---\n\nThe second, with\n## a heading"))
    _write(folder / "notes/.md", _note("Ärger", "Written in haste."))
    window, text = 24 if thinks else 64, f"I am {name} and I met Ben Thorne by the yard."
    for number in range(3 * window, count, 4 * window):
        moment = BEGINS + timedelta(seconds=number * 1500)
        summary = _summary("recent", moment, f"{text} Part {number}.")
        _write(folder / f"summaries/recent-{moment:%Y%m%d-%H%M%S}.md", summary)
        _write(folder / "summaries/recent.md", summary)
        _write(folder / "summaries/longterm.md", _summary("longterm", moment, text))


def _definition(path: Path, name: str, where: str, profile: str, *, thinks: bool) -> None:
    own = f"## Properties\n- thinker.profile: {profile}\n- thinker.think_interval: 12.0\n- thinker.memory_count: 24\n\n"
    parts = "## Flags\n- is_actor\n\n## Components\n- actor\n- memory\n" + ("- thinker\n" if thinks else "")
    front = f"object_id: #1005\ntype: character\nmodified: 2025-11-09T10:05:40Z\nlocation: [[{where}]]"
    looks = "## Description\nA small figure: patient, brass.\n\n"
    _write(path, f"---\n{front}\n---\n# {name}\n\n{looks}{own if thinks else ''}{parts}")


def _memory(folder: Path, number: int, at: datetime, name: str, where: str, fact: Fact | None, chance: Random) -> None:
    other = chance.choice([one for one in NAMES if one != name])
    front = f"timestamp: {at:%Y-%m-%dT%H:%M:%S}Z\ntype: memory\nlocation: {where}\nlocation_id: #1003\n"
    seen, word = f'occupants: ["{other}"]\nevent_type: ', chance.choice(TRADES)
    if fact is not None:
        front, text = f"{front}{seen}speech\n", f'{other} says, "The {fact.query} is {fact.told}."'
    elif number % 11 == 3:
        text = f"> go {word} | to see {other}\n\n❌ I see no {word} here."  # the old form
    elif number % 13 == 5:
        front, text = f"{front}{seen}movement\n", f"{other} leaves to {where}."
    elif number % 17 == 6:
        text = f"{where}: A yard. Exits: east, alley. Occupants: {other}."
    elif number % 2:
        front, text = f"{front}{seen}speech\n", f'{other} says, "The {word} owes me {number} pence."'
    else:
        text = f'You say, "I have asked the {word} {number} times."'
    _write(folder / f"{at:%Y%m%d-%H%M%S}-memory.md", f"---\n{front}---\n# Memory\n\n{text}\n")


def _note(title: str, text: str) -> str:
    times = "created: 2025-10-12T16:09:51Z\nupdated: 2025-10-13T07:00:00Z"
    front = f"title: {title}\n{times}\nreason: to keep: it\nlocation: Low"
    return f"---\n{front}\n---\n# {title}\n\n{text}\n"


def _summary(tier: str, at: datetime, text: str) -> str:
    title = "Recent" if tier == "recent" else "Long-term"
    front = f"type: memory_summary\nsummary_type: {tier}\nupdated: {at:%Y-%m-%dT%H:%M:%S}Z\nmemory_count: 129"
    return f"---\n{front}\n---\n# {title} Memory Summary\n\n{text}\n"
