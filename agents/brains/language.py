"""The brain that asks a language model: prompt, reply, one command line.

It asks again once when the reply would repeat itself, then lets the turn pass. A reply without a command is no action,
never a guess. When no model answers, the Thinker takes another brain; this one knows nothing of that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from random import Random

from agents.brains._brain import Brain, BrainRun, Complete, Decision, Situation, Thought, Voice
from agents.memory.entries import Entry
from agents.perception import Address, addressed, remembered, spoken
from agents.repetition import LOOKBACK, repeats
from agents.replies import clean_reply
from mud.world.events import Perceived

COMMON_VERBS = (
    *("say", "emote", "whisper", "think", "note", "recall"),
    *("look", "go", "examine", "take", "drop", "inventory", "who", "help"),
)
"""What a brain takes for commands until it is told which ones this world has; see `language`."""

ANSWER_AFTER = 1.0
"""Seconds after which one who is spoken to would like to think: long enough for a second line to follow the first."""
TRIES = 2
"""Times the model is asked in one turn."""

_SPEECH = ("say", "emote", "whisper", "think")
_HELP = "Asks the language model of the profile think what to do next."


class LanguageBrain:
    """One agent's.

    Args:
        name: the agent's name.
        random: not used: chance is the model's.
        voice: not used: the words are the model's.
        verbs: every verb the agent may use.
    """

    def __init__(self, name: str, random: Random, voice: Voice, verbs: Collection[str] = COMMON_VERBS) -> None:
        self._name = name
        self._verbs = frozenset(verb.lower() for verb in verbs)
        self._lines: deque[str] = deque(maxlen=LOOKBACK)

    def notice(self, perceived: Perceived, seconds: float) -> float | None:
        """Wish for a thought soon when spoken to."""
        utterance = spoken(perceived)
        if utterance is None:
            return None
        for_whom = addressed(utterance.words, (self._name,), private=utterance.private)
        return ANSWER_AFTER if for_whom is Address.ME else None

    def decide(self, situation: Situation) -> Thought:
        """Ask the model, at most `TRIES` times."""
        hint = ""
        for _ in range(TRIES):
            raw = yield Complete(hint)
            line = clean_reply(raw, situation.name, self._verbs)
            if line is None:
                return Decision(None, f"the reply holds no command: {_glimpse(raw)}")
            twin = self._repeated(line, situation.recent)
            if twin is None:
                self._lines.append(line)
                return Decision(line, "the model's reply" if not hint else "the model's second reply")
            hint = f"You did this a moment ago: {_glimpse(twin)}. Do not do or say it again; find something new."
        return Decision(None, "both replies repeat an earlier line")

    def _repeated(self, line: str, recent: tuple[Entry, ...]) -> str | None:
        """Return the earlier line that this one repeats: for speech any of the last ones, else the very last."""
        words = _words(line)
        if words is None:
            last = self._lines[-1] if self._lines else ""
            return last if line.partition("|")[0].split() == last.partition("|")[0].split() else None
        return repeats(words, (*self._spoken(), *_said(recent)))

    def _spoken(self) -> Iterator[str]:
        return (words for line in reversed(self._lines) if (words := _words(line)) is not None)


def language(verbs: Collection[str]) -> Brain:
    """Return this brain for a world with these verbs.

    Args:
        verbs: every verb and alias that an agent may use.
    """

    def start(name: str, random: Random, voice: Voice) -> BrainRun:
        return LanguageBrain(name, random, voice, verbs)

    return Brain("language", _HELP, start, needs_model=True)


def _words(line: str) -> str | None:
    """Return what a command line speaks, without its private reason; None when it speaks nothing."""
    verb, _, rest = line.partition("|")[0].strip().partition(" ")
    return rest.strip() if verb in _SPEECH and rest.strip() else None


def _said(recent: tuple[Entry, ...]) -> Iterator[str]:
    """Yield what the agent itself said lately, newest first, at most `LOOKBACK` lines."""
    own = (one for entry in reversed(recent) if entry.actor is None and (one := remembered(entry)) is not None)
    return (utterance.words for utterance, _ in zip(own, range(LOOKBACK), strict=False))


def _glimpse(text: str) -> str:
    """Return the beginning of a text on one line, for hints and traces."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text[:400]).split())
    return repr(flat[:80]) if flat else "nothing"


LANGUAGE = language(COMMON_VERBS)
