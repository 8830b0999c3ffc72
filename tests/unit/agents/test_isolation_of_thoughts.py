"""No prompt, answer, recall, note, dream or trace of a mind holds what its character did not perceive.

Random lives in random places, led through the doors of the real thing: people type, one half of the agents thinks with
a model whose prompts are read, the other lives by instinct whose lines are read; all remember, fold, dream and note.
Every secret is one word that stands nowhere else; who may know it is worked out here, from where everybody stands.
Secrets of private reasons and thoughts are said aloud by nobody, not even by who had them.
Of who sleeps a model is asked, too: what it weighs is its own, but what it reflects on and dreams of, which it may
tell, holds no whisper, nobody's.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agents.agent import Agent
from agents.compaction.status import report
from agents.llm.backends.scripted import ScriptedModel
from agents.memory.history import read_weighed
from mud.engine.engine import Step
from mud.server.requests import carry_out
from mud.world.events import Perception, Request
from mud.world.roles import Role
from tests.examples import examples
from tests.houses import House, house
from tests.settings import put, put_own
from tests.unit.agents.reflection.test_inner import asking, of_kind
from tests.vaults import copy_vault, without_vectors

PEOPLE = ("Ann", "Bob")
THINKING = ("Eliza", "Tamsin")
FEELING = ("Moss", "Corvin")
AGENTS = (*THINKING, *FEELING)
NAMES = (*PEOPLE, *AGENTS)
PLACES = ("The Garden", "The Lobby", "The Library")
SECRET = re.compile(r"zk\d+q")
OWNER = re.compile(r"You are (\w+)\.")
ASLEEP = {"importance": "Rate how much", "reflect": "Write down up to three insights", "dream": "Tell the dream"}
"""What a model is asked of a sleeper, by words of the shipped prompt."""
SHOWN = re.compile(r"^(\d+): (.+)$", re.M)
CUE = re.compile(r"~(\w+)>\Z")

SAID = (
    "The brass key lies under the bench of {}.",
    "The storm broke the mill of {} last night.",
    "I promise to bring the lamp of {} to the Library.",
    "Tell nobody: my brother sold the boat to {}.",
    "Where is {}?",
    "{}, who told you of the key?",
    "What do you know about the mill?",
    "What did Ann say about the key?",
)
"""What is said; `{}` is a word that nobody knows yet."""
ASKED = (
    "where is the brass key?",
    "what broke the mill?",
    "who sold the boat?",
    "what did Ann say?",
    "what did Eliza say about the mill?",
    "what did Bob promise?",
    "what is dear to you?",
    "what did you do at the mill?",
)
"""What minds are asked; the answer to any holds a secret, when they know one."""

spoken = st.tuples(
    st.sampled_from(NAMES),
    st.sampled_from(("say", "say", "whisper", "emote", "think", "note", "go")),
    st.sampled_from(NAMES),
    st.integers(0, len(SAID) - 1),
    st.booleans(),
)
lived = st.tuples(st.sampled_from(("act", "act", "dream", "fold", "recall", "night", "night")), st.sampled_from(AGENTS))
asked = st.tuples(st.sampled_from(ASKED), st.sampled_from(FEELING))
scripts = st.lists(st.one_of(spoken, spoken, lived, asked), min_size=5, max_size=50)


class Oracle:
    """Works out who may know which secret, from every step and from where everybody stood before it."""

    def __init__(self, home: House) -> None:
        self._home = home
        self.ids = {home.agent(name).id: name for name in NAMES}
        self.knows: dict[str, set[str]] = defaultdict(set)
        self.leaks: list[tuple[str, str, set[str], str]] = []
        """Every leak that was found: what is raised while a model is asked reaches no test."""
        self.confided: set[str] = set()
        """Secrets that were whispered, by whomever to whomever."""
        self.private: set[str] = set()
        """Secrets of private reasons and of thoughts, which nobody says aloud."""
        self._stood = self._places()
        self.led = ""
        """Who says what the test wants, which is new; empty for nobody."""
        home.engine.observe(self.observe)

    def _places(self) -> dict[str, str]:
        found = ((name, self._home.engine.world.location_of(who)) for who, name in self.ids.items())
        return {name: place.id for name, place in found if place is not None}

    def observe(self, step: Step) -> None:
        """Learn from a step; an instinct's line must hold nothing that it did not know."""
        stood, self._stood = self._stood, self._places()
        if step.line is None:
            return
        name = self.ids[step.who]
        body, _, reason = step.line.partition(" | ")
        if name in FEELING and name != self.led:
            self.hold(name, step.line, "line")
            self.refuse(secrets(body) & self.private, name, step.line, "private")
        else:
            self.private |= secrets(body if body.startswith("think ") else reason)
        self.knows[name] |= secrets(step.line)
        if body.partition(" ")[0] in ("whisper", "tell"):
            self.confided |= secrets(body)
        if not step.failed:
            for other in self._witnesses(name, body, stood):
                self.knows[other] |= secrets(body)

    def _witnesses(self, name: str, body: str, stood: dict[str, str]) -> Iterable[str]:
        verb, _, rest = body.partition(" ")
        if verb in ("think", "note", "go", "look", "examine", "dream", "sleep", "wake"):
            return ()
        here = [one for one, place in stood.items() if place == stood[name]]
        if verb in ("whisper", "tell"):
            return [one for one in here if rest.casefold().startswith(one.casefold())]
        return here

    def hold(self, name: str, text: str, what: str) -> None:
        """Refuse a text of somebody's mind that holds what they do not know."""
        self.refuse(secrets(text) - self.knows[name], name, text, what)

    def refuse(self, leaked: set[str], name: str, text: str, what: str) -> None:
        """Refuse a text with what it must not hold, if it holds anything of it."""
        if leaked:
            self.leaks.append((name, what, leaked, text[-2000:]))
        assert not leaked, self.leaks[-1]


def secrets(text: str) -> set[str]:
    """Return the secrets in a text."""
    return set(SECRET.findall(text.casefold()))


class Life:
    """A random life."""

    def __init__(self, home: House) -> None:
        self.home, self.oracle, self.count = home, Oracle(home), 0
        self.thoughts = self.answers = 0
        self.turn = ("say", "Ann", 0, False)
        self.asked: Counter[str] = Counter()
        """How often sleepers were asked by a model, by what it was about."""
        self.told_on: set[str] = set()
        """Secrets in what sleepers reflected on and dreamed of."""
        self.inner = asking(home, [self._sleeper] * 1000)
        self.living = home.living(ScriptedModel([self._reply] * 1000))
        self.living.answers["think"] = True
        for name in AGENTS:
            self.living.begin(home.agent(name))

    async def _reply(self, prompt: str) -> str:
        """Read a prompt as whoever it is of, and reply with something new."""
        found = CUE.search(prompt)
        assert found is not None
        self.oracle.hold(found[1], prompt, "prompt")
        self.thoughts += 1
        verb, to, number, reasoned = self.turn
        reply = self._line(found[1], verb, to, number, reasoned)
        self.oracle.knows[found[1]] |= secrets(reply)  # its own, also when nothing comes of it
        return reply

    async def _sleeper(self, prompt: str) -> str:
        """Read what a model is asked of a sleeper, and reply with as much of it as it can."""
        owner = OWNER.match(prompt)
        assert owner is not None
        what = next(kind for kind, words in ASLEEP.items() if words in prompt)
        self.oracle.hold(owner[1], prompt, what)
        self.asked[what] += 1
        if what != "importance":
            self.told_on |= secrets(prompt)
            self.oracle.refuse(secrets(prompt) & self.oracle.confided, owner[1], prompt, f"confidence, {what}")
        shown = SHOWN.findall(prompt)
        if what == "reflect":
            return "\n".join(f"{text} (memories {seq})" for seq, text in shown[:9])
        return (
            "\n".join(f"{seq}: 7" for seq, _ in shown) if what == "importance" else " ".join(t for _, t in shown)[:600]
        )

    def _line(self, name: str, verb: str, to: str, number: int, reasoned: bool) -> str:
        self.count += 1
        words = SAID[number].format(f"zk{self.count}q")
        reason = f" | because zk{self.count}000q is dear to me" if reasoned else ""
        here = self.home.engine.world.location_of(self.home.agent(name).id)
        if verb == "go" and here is not None and here.exits:
            return f"go {here.exits[number % len(here.exits)].name}{reason}"
        if verb == "whisper":
            return f"whisper {to} {words}{reason}"
        return f"note the key -> {words}{reason}" if verb == "note" else f"{verb} {words}{reason}"

    async def speak(self, name: str, verb: str, to: str, number: int, reasoned: bool) -> None:
        """Have somebody do something; a thinking agent as the reply of its model."""
        if name in THINKING:
            self.turn = (verb, to, number, reasoned)
            await self.living.act(self.home.agent(name), waiting=False)
            return
        self.oracle.led = name
        step = self.home.type(self.home.agent(name), self._line(name, verb, to, number, reasoned), Role.OWNER)
        self.oracle.led = ""
        for request in step.requests:
            await self._answered(request)

    async def _answered(self, request: Request) -> None:
        self.home.engine.answer(request, await carry_out(self.home.parts, request, list))

    async def live(self, what: str, agent: Agent) -> None:
        """Have a mind do one of the things that it does by itself."""
        if what == "act":
            await self.living.act(agent, waiting=True)
        elif what == "fold":
            await self.home.minds.fold(agent)
        elif what == "dream":
            for request in self.home.type(agent, "dream", Role.AGENT).requests:
                await self._answered(request)
        elif what == "night":
            self.oracle.led = agent.name
            self.home.type(agent, "sleep", Role.AGENT)
            self.inner.asleep(agent, self.home.engine)
            await self.inner.settle()
            self.home.type(agent, "wake", Role.AGENT)
            self.oracle.led = ""
        elif what in ASKED:
            await self._quiz(agent, what)
        else:
            hits, _ = await self.home.parts.recall.search(
                agent.id, "who broke the mill, and where is the key of zk1q?", 10
            )
            self.oracle.hold(agent.name, "\n".join(f"{hit.text} {hit.title}" for hit in hits), "recall")

    async def _quiz(self, agent: Agent, question: str) -> None:
        """Have a person who is there, if one is, ask an agent something, and the agent answer."""
        world = self.home.engine.world
        here = world.location_of(agent.id)
        person = next((one for one in PEOPLE if world.location_of(self.home.agent(one).id) == here), None)
        if person is not None:
            self.oracle.led = person
            self.home.type(self.home.agent(person), f"say {agent.name}, {question}", Role.OWNER)
            self.oracle.led = ""
            step = await self.living.act(agent, waiting=True)
            self.answers += step is not None and bool(secrets(step.line or ""))

    async def read_all(self) -> None:
        """Hold everything that minds have, in their files and in what they would be asked, to what they know."""
        assert not self.oracle.leaks
        vault = self.home.parts.vault
        for name in NAMES:
            agent = self.home.agent(name)
            self.oracle.hold(name, (await self.home.parts.prompting.next_prompt(agent)).text, "prompt")
            self.oracle.hold(name, report(self.home.minds.status(agent)), "page")
            for folder in (agent.folder, vault / "log/traces" / agent.slug):
                for path in (one for one in folder.rglob("*") if one.is_file()):
                    self.oracle.hold(name, path.read_text("utf-8"), path.name)


def a_vault(folder: Path, starts: list[str]) -> None:
    """Make a vault with everybody somewhere, half of them by instinct, and folds after few memories."""
    vault = without_vectors(copy_vault(folder))
    put(vault, "memory_compaction", immediate_window=6, recent_window=5, summarizer="extractive")
    put(vault, "inner_life", reflection_threshold=5)
    for name, place in zip(AGENTS, starts, strict=True):
        own = {"brain": "instinct"} if name in FEELING else {}
        put_own(vault, name.lower(), location=f"[[{place}]]", **own)


async def lead(folder: Path, starts: list[str], script: list[tuple[str, ...]]) -> Life:
    a_vault(folder, starts[:4])
    async with house(folder) as home:
        for person, place in zip(PEOPLE, starts[4:], strict=True):
            home.enter(person, place)
        life = Life(home)
        for one in script:
            if len(one) == 2:
                await life.live(one[0], home.agent(one[1]))
            else:
                await life.speak(*one)  # type: ignore[arg-type]
        await life.read_all()
        await life.living.stop()
        return life


@asynccontextmanager
async def a_life(folder: Path, starts: list[str]) -> AsyncIterator[tuple[House, Life]]:
    """Give a world with agents in these locations and everybody else in the garden, and end it."""
    a_vault(folder, starts)
    async with house(folder) as home:
        for person in PEOPLE:
            home.enter(person, "The Garden")
        life = Life(home)
        yield home, life
        await life.living.stop()


@settings(
    max_examples=examples(40),
    deadline=None,
    phases=[Phase.generate],  # to make a long life shorter takes longer than to read what the failure says
    suppress_health_check=[HealthCheck.too_slow],
)
@given(st.lists(st.sampled_from(PLACES), min_size=6, max_size=6), scripts)
def test_no_mind_holds_what_its_character_did_not_perceive(
    tmp_path_factory: pytest.TempPathFactory, starts: list[str], script: list[tuple[str, ...]]
) -> None:
    asyncio.run(lead(tmp_path_factory.mktemp("isolation"), starts, script))


async def test_those_who_were_there_do_know_and_the_others_do_not(tmp_path: Path) -> None:
    async with a_life(tmp_path, ["The Garden", "The Library", "The Garden", "The Library"]) as (home, life):
        await life.speak("Ann", "say", "Bob", 1, True)
        await life.speak("Ann", "whisper", "Moss", 3, False)
        await life.speak("Eliza", "say", "Bob", 0, True)
        for agent in ("Moss", "Corvin", "Moss"):
            await life.live("act", home.agent(agent))
        knows = life.oracle.knows
        assert {"zk1q", "zk2q", "zk3q"} <= knows["Moss"]
        assert {"zk1q", "zk3q", "zk3000q"} <= knows["Eliza"]
        assert "zk2q" not in knows["Eliza"]
        assert "zk1000q" not in knows["Eliza"] | knows["Moss"] | knows["Bob"]
        assert knows["Tamsin"] == knows["Corvin"] == set()
        held = "\n".join(entry.text for entry in home.agent("Moss").memory.read(1, 99))
        assert {"zk1q", "zk2q", "zk3q"} <= secrets(held)
        assert life.thoughts == 1
        await life.read_all()


async def test_what_models_are_asked_of_sleepers_is_read_and_holds_what_they_lived_but_no_confidence(
    tmp_path: Path,
) -> None:
    async with a_life(tmp_path, ["The Garden", "The Library", "The Garden", "The Library"]) as (home, life):
        await life.speak("Ann", "say", "Bob", 1, True)
        await life.speak("Ann", "whisper", "Moss", 3, False)
        await life.speak("Eliza", "whisper", "Moss", 0, True)
        await life.speak("Eliza", "say", "Bob", 2, False)
        for name in AGENTS:
            await life.live("night", home.agent(name))
        assert life.asked == {"importance": 4, "reflect": 4, "dream": 4}
        assert life.oracle.confided == {"zk2q", "zk3q"}
        moss = home.agent("Moss")
        weighed = {entry.importance for entry in read_weighed(moss.memory, 1, 4) if entry.kind in ("heard", "told")}
        assert weighed == {7}
        assert {"zk1q", "zk4q"} <= life.told_on, "what was said aloud is reflected on and dreamed of"
        assert any(secrets(one.text) for one in of_kind(moss, "dream"))
        await life.read_all()


async def test_a_leak_into_what_a_model_is_asked_of_a_sleeper_is_found(tmp_path: Path) -> None:
    async with a_life(tmp_path, ["The Garden", "The Library", "The Garden", "The Library"]) as (home, life):
        await life.speak("Ann", "whisper", "Moss", 3, False)
        tamsin = home.agent("Tamsin")
        leaked = Perception(tamsin.id, "heard", 'Ann says, "zk1q has the boat."', "Ann", "The Library")
        tamsin.memory.append([leaked], "2026-01-01T00:00:00.000Z", home.engine.number)
        await life.inner.dream(tamsin)
        with pytest.raises(AssertionError, match="zk1q"):
            await life.read_all()
        assert {what for _, what, _, _ in life.oracle.leaks} == {"dream"}


async def test_a_leak_is_found(tmp_path: Path) -> None:
    async with a_life(tmp_path, ["The Garden", "The Library", "The Garden", "The Library"]) as (home, life):
        await life.speak("Ann", "whisper", "Bob", 1, False)
        (home.agent("Eliza").folder / "notes").mkdir(exist_ok=True)
        (home.agent("Eliza").folder / "notes" / "rumour.md").write_text("They say zk1q broke the mill.", "utf-8")
        with pytest.raises(AssertionError, match="zk1q"):
            await life.read_all()


async def test_the_answers_that_are_read_do_hold_what_was_heard(tmp_path: Path) -> None:
    async with a_life(tmp_path, ["The Garden"] * 4) as (home, life):
        await life.speak("Bob", "say", "Ann", 1, False)
        await life.live("what broke the mill?", home.agent("Moss"))
        assert life.answers == 1


@pytest.mark.parametrize(("verb", "reasoned"), [("think", False), ("note", True)])
async def test_what_one_kept_to_oneself_is_told_neither_from_a_note_nor_from_a_summary(
    tmp_path: Path, verb: str, reasoned: bool
) -> None:
    async with a_life(tmp_path, ["The Library", "The Garden", "The Garden", "The Library"]) as (home, life):
        moss, ann = home.agent("Moss"), home.agent("Ann")
        await life.speak("Moss", verb, "Bob", 0, reasoned)
        for number in range(14):
            home.type(ann, f"emote counts to {number}.")
        await life.live("fold", moss)
        for question in ("where is the brass key?", "what is dear to you?", "what do you know about the key?"):
            await life.live(question, moss)
        assert life.oracle.private
        assert not life.oracle.leaks
