"""The brain that asks a language model: prompt, reply, one command line.

It asks again once when the reply would repeat itself, or say after somebody what they have just said, then lets the
turn pass. Where two minds go round in circles it hints at that, then is silent towards the other, then gives way, so
that another brain moves on. A reply without a command is no action, never a guess. When no model answers, the Thinker
takes another brain; this one knows nothing of that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from random import Random

from agents.brains import Brain, BrainRun, Complete, Decision, InterpreterSource, Situation, Thought, Voice
from agents.brains.instinct.loops import SILENCE, VOICE, Loop, Stage, find_loop, person_waits
from agents.brains.instinct.voice import fill
from agents.memory.perception import given, remembered, spoken
from agents.reply.reply import Listener, clean_reply
from agents.text.addressing import Address, addressed, calls
from agents.text.english import LOOKBACK, repeats, words_of
from mud.world.events import Perception

COMMON_VERBS = (
    *("say", "emote", "whisper", "think", "note", "recall"),
    *("look", "go", "examine", "take", "drop", "inventory", "who", "help"),
)
"""What a brain takes for commands until it is told which ones this world has; see `language`."""

ANSWER_AFTER = 1.0
"""Seconds after which one who is spoken to would like to think: long enough for a second line to follow the first."""
TRIES = 2
"""Times the model is asked in one turn."""
HOPELESS = 3
"""Turns in a row without a usable reply after which it is asked only once in a turn, until one is usable again."""

HEARD = 6
"""Newest lines of others that are not said after them."""
COURTESY = 3
"""Words up to which a line may be given back, such as `Good morning.`; not twice."""

_SPEECH = ("say", "emote", "me", "whisper", "tell", "think")
_TO_OTHERS = ("say", "emote", "me", "whisper", "tell")
_HELP = "Asks the language model of the profile think what to do next."


class LanguageBrain:
    """One agent's; `voice` gives what it hints at. Which verbs the agent may use is not decided here."""

    def __init__(self, name: str, voice: Voice, verbs: Collection[str], interpreter: InterpreterSource) -> None:
        self._name = name
        self._voice = voice
        self._interpreter = interpreter
        self._verbs = verbs
        self._lines: deque[str] = deque(maxlen=LOOKBACK)
        self._silent: dict[str, float] = {}
        """Until when a mind is not answered, by its name."""
        self._moved_on = 0
        """Newest memory of the loop that it gave way to last."""
        self._useless = 0
        """Turns in a row in which no reply was of use."""

    def notice(self, perceived: Perception, seconds: float) -> float | None:
        utterance = spoken(perceived)
        if given(perceived):
            return ANSWER_AFTER
        if utterance is None or self._silent.get(utterance.speaker, seconds) > seconds:
            return None
        for_whom = addressed(utterance.words, (self._name,), private=utterance.private)
        return ANSWER_AFTER if for_whom is Address.ME else None

    def decide(self, situation: Situation) -> Thought:
        loop = find_loop(situation, self._interpreter().words)
        if loop is not None and loop.stage is Stage.MOVE and loop.seq > self._moved_on:
            self._moved_on = loop.seq
            self._silent[loop.partner] = situation.seconds + SILENCE
            return Decision(None, f"moves on: {loop.told(self._voice)}")
        if loop is not None and loop.stage > Stage.HINT:
            self._silent[loop.partner] = situation.seconds + SILENCE
        hint, why = loop.hint(self._voice) if loop else "", ""
        for number in range(TRIES if self._useless < HOPELESS else 1):
            raw = yield Complete(hint)
            line = clean_reply(raw, situation.name, self._verbs, situation.exits)
            if line is None:
                return Decision(None, f"the reply holds no command: {_glimpse(raw)}")
            hint, why = self._objection(line, situation, loop)
            if not why:
                self._useless = 0
                self._lines.append(line)
                return Decision(line, "the model's second reply" if number else "the model's reply")
        self._useless += 1
        return Decision(None, f"no reply is of use: the last one {why}")

    def _objection(self, line: str, situation: Situation, loop: Loop | None) -> tuple[str, str]:
        """Return what a second prompt says against a line, and the same for traces; both empty when it will do.

        Speech repeats any of the last lines, a deed only the very last.
        """
        words, last = _words(line), self._lines[-1] if self._lines else ""
        twin: str | None = last if line.partition("|")[0].split() == last.partition("|")[0].split() else None
        if words is not None:
            said = [one for entry in reversed(situation.recent) if (one := remembered(entry))]
            submitted = (own for each in reversed(self._lines) if (own := _words(each)) is not None)
            twin = repeats(words, (*submitted, *[one.words for one in said if not one.speaker][:LOOKBACK]))
            speaks = _words(line, _TO_OTHERS) is not None and len(words_of(words)) > COURTESY
            for one in [one for one in said if speaks and one.speaker][:HEARD]:
                if twin is None and repeats(words, (one.words,)) is not None:
                    hint = self._hint("hint.echoes", person=one.speaker, words=_glimpse(one.words))
                    return hint, f"says after {one.speaker} what was just said"
        if twin is not None:
            return self._hint("hint.repeats", words=_glimpse(twin)), "repeats an earlier line"
        if shunned := self._shunned(line, situation):
            hint = loop.hint(self._voice) if loop else self._hint("hint.enough", person=shunned)
            return hint, f"answers {shunned}, with whom it goes round in circles"
        return "", ""

    def _hint(self, key: str, **places: str) -> str:
        return fill(next(iter(self._voice(VOICE, key)), ""), places) or ""

    def _shunned(self, line: str, situation: Situation) -> str:
        """Return the mind that a line speaks to though it is not to be answered now; empty when it may be said."""
        here = {person.name: person.thinks for person in situation.people}
        silent = [name for name, until in self._silent.items() if until > situation.seconds and name in here]
        words = _words(line, _TO_OTHERS)
        if not silent or words is None or person_waits(situation):
            return ""
        named = [name for name in here if calls(words, name) or words.startswith(f"{name} ")]
        if not set(named) <= set(silent):
            return ""
        meant = [name for name in silent if name in named] or (silent if len(silent) == len(here) else [])
        return next(iter(meant), "")


def language(verbs: Collection[str]) -> Brain:
    """Return this brain for a world with these verbs and aliases."""
    known = frozenset(verb.lower() for verb in verbs)

    def start(name: str, random: Random, voice: Voice, interpreter: InterpreterSource) -> BrainRun:
        return LanguageBrain(name, voice, known, interpreter)

    return Brain("language", _HELP, start, True, lambda name: Listener(name, known))


def _words(line: str, verbs: Collection[str] = _SPEECH) -> str | None:
    """Return what a command line speaks, without its private reason; None when it speaks nothing."""
    verb, _, rest = line.partition("|")[0].strip().partition(" ")
    return rest.strip() if verb in verbs and rest.strip() else None


def _glimpse(text: str) -> str:
    """Return the beginning of a text on one line, for hints and traces."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text[:400]).split())
    return repr(flat[:80]) if flat else "nothing"


LANGUAGE = language(COMMON_VERBS)
