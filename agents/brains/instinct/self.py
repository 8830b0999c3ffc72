"""One agent's own: what it knows and remembers of the moment, and the few ways in which it reaches the world.

Every line the instinct speaks leaves through here: nowhere else is it made sure that somebody hears it, that it repeats
nothing, and that a whisper is answered by a whisper.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from agents.brains import Decision, Situation, Voice
from agents.brains.instinct.attention import InstinctAttention
from agents.brains.instinct.bonds import Bonds
from agents.brains.instinct.company import Company
from agents.brains.instinct.talk import Talk
from agents.brains.instinct.voice import Speaker
from agents.brains.instinct.wander import Explorer
from agents.memory.perception import Utterance


class Self:
    """One agent's own.

    Args:
        name: the agent's name.
        rng: its chance.
        voice: the texts it may speak with.
    """

    def __init__(self, name: str, rng: Random, voice: Voice) -> None:
        self.name = name
        self.rng = rng
        self.speaker = Speaker(rng, voice, name)
        self.company = Company(rng)
        self.attention = InstinctAttention(name, rng, self.company)
        self.explorer = Explorer(rng)
        self.bonds = Bonds(name)
        self.talk = Talk(rng, self.company.minds)
        self.topics: dict[str, tuple[str, ...]] = {}
        self.following = ""
        """Whom it goes with; empty for nobody."""
        self.follow_to = ""
        """Where that one has just gone; empty when nowhere."""
        self.bound_for = ""
        """Where the two of them are going, as it was named; empty when nobody said."""
        self.seen_off = ""
        """Where that one was seen to go, when it goes to where they are bound for instead; empty for nowhere."""
        self.looking: Utterance | None = None
        """The line for which it has a look before it answers."""
        self.last_line = ""
        self.location = ""
        self.arrived = 0.0
        self.ignored = 0
        self.spoke_at = self.gestured_at = self.thought_at = self.asked_at = float("-inf")

    def emote(self, situation: Situation, key: str, /, **places: str) -> Decision | None:
        """Make a gesture; None where nobody would see it, or when none is new."""
        text = self.speaker.line(key, **places) if situation.people else None
        if text is None:
            return None
        self.gestured_at = situation.seconds
        return Decision(f"emote {text}", "makes a gesture", key)

    def say(
        self,
        situation: Situation,
        said: Utterance,
        keys: tuple[str, ...],
        places: dict[str, str],
        why: str,
        reason: str = "",
        *,
        private: bool = False,
        cites: tuple[str, ...] = (),
    ) -> Decision | None:
        """Speak to who spoke, in the first text that repeats nothing.

        Args:
            situation: the situation.
            said: the line that is answered, or one without words for whom the line is meant.
            keys: the texts that say it, the best first.
            places: what their places hold.
            why: for traces.
            reason: text of the private reason; empty for none.
            private: nobody else may hear it.
            cites: what it rests on, see `Decision`.
        """
        if all(person.name != said.speaker for person in situation.people):
            return None
        told = ((text, key) for key in keys if (text := self.speaker.line(key, **places)))
        text, key = next(told, ("", ""))
        if not text:
            nod = self.emote(situation, "emote.nod", name=said.speaker)
            return nod and replace(nod, why=f"{why}, and has no words for it that are new")
        self.last_line, self.spoke_at = text, situation.seconds
        self.company.spoke_to(said.speaker, situation.seconds)
        if said.private or private:
            return Decision(f"whisper {said.speaker} {text}", why, key, cites=cites)
        behind = self.reason(reason, **places) if reason else ""
        return Decision(f"say {text}{behind}", why, key, cites=cites)

    def reason(self, key: str, /, **places: str) -> str:
        """Return a private reason to stand behind a line, now and then."""
        text = self.speaker.plain(key, **places) if self.rng.random() < 0.6 else ""
        return f" | {text}" if text else ""
