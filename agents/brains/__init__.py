"""Ways to decide what to do next, one file each, and what they share.

To add one, write a module here with a class that follows `BrainRun` and, at module level,
`MINE = Brain("mine", "one sentence about it", MineBrain)`. It can then be named in `brain:` of an agent.md. A brain
never reads, waits or draws from global chance: it looks things up by yielding `Recall`, is sent the hits, asks the
model by yielding `Complete`, is sent the reply, and ends with a `Decision`. The Thinker runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from agents.brains._texts import says_name as says_name
from agents.brains._texts import wrong_in as wrong_in
from agents.memory.entries import Entry
from agents.text.habits import Habit
from mud.world.events import Perception

if TYPE_CHECKING:
    from agents.brains.instinct.interpreter import Interpreter


class Recall(NamedTuple):
    """A question to one's own memory; the answer is a tuple of at most `k` hits, best first.

    `own` includes one's own spoken words; they mostly repeat what was looked up before, and crowd out its source.
    """

    query: str
    k: int = 5
    own: bool = True


class Complete(NamedTuple):
    """A question to the language model about the present situation; the answer is its raw reply, a string.

    The prompt is built when its turn comes. `hint` is one more line for it, such as not to repeat oneself.
    """

    hint: str = ""


class Understand(NamedTuple):
    """A question for the intents nearest in meaning to a sentence, in which names and things are masked.

    The answer is a tuple of pairs of an intent and its similarity, 0 to 1, best first; () without vectors.
    """

    sentence: str


Need = Recall | Complete | Understand


class Decision(NamedTuple):
    """The end of a thought.

    Args:
        line: the command line to submit; None to let the turn pass.
        why: for traces, a few words on what led to it.
        text: key of the text of the vault that words the line; empty when it is nobody's text.
        answers: number of the memory that it answers or follows; 0 for what nobody asked for.
        cites: what it rests on: a memory's number, `66-129` for the summary of these, `[[Sundial]]` for a note.
        pause: how many think intervals until the next turn, unless something is perceived that calls for one.
        to: name of whom it speaks to; empty for nobody.
    """

    line: str | None
    why: str = ""
    text: str = ""
    answers: int = 0
    cites: tuple[str, ...] = ()
    pause: float = 1.0
    to: str = ""


class Person(NamedTuple):
    """Somebody here, by the name as shown; a brain plays a character that `thinks`, an animal speaks not."""

    name: str
    thinks: bool
    speaks: bool = True


class Situation(NamedTuple):
    """What an agent's character can perceive now, and what it has most lately lived through.

    Args:
        profile: who it is, in prose.
        voice: name of the set of texts it speaks with.
        exits: names of the ways out, as `look` shows them.
        recent: the verbatim tail of its memory, oldest first.
        notes: titles of its notes.
        seconds: a monotonic clock.
        bedtime: seconds until it falls asleep by the clock, 0 when it is late for that; None when it never does.
        woke: it has just woken.
        takes_notes: it may write notes.
        hour: hour of the day, 0 to 24; None when that is not known.
        habits: what it does by habit, and at once when something happens.
        unwatched: no person can perceive it, so that a decision stands for minutes: it walks all the way, and a
            conversation is short.
    """

    name: str
    profile: str
    voice: str
    location: str
    description: str
    exits: tuple[str, ...]
    people: tuple[Person, ...]
    items: tuple[str, ...]
    carrying: tuple[str, ...]
    recent: tuple[Entry, ...]
    notes: tuple[str, ...]
    goal: str
    seconds: float
    bedtime: float | None = None
    woke: bool = False
    takes_notes: bool = True
    hour: float | None = None
    habits: tuple[Habit, ...] = ()
    unwatched: bool = False


Thought = Generator[Need, Any, Decision]
"""A thought under way: yields needs, is sent their answers, returns a Decision."""

Voice = Callable[[str, str], tuple[str, ...]]
"""Gives the variants of a text: `voice(name of the voice, key)`; falls back to the voice `default`."""


InterpreterSource = Callable[[], "Interpreter"]
"""Gives what the vault says of language, as it is now."""


class BrainRun(Protocol):
    """One agent's brain while the world runs. It may keep state; the Thinker gives it one thought at a time."""

    def notice(self, perceived: Perception, seconds: float) -> float | None:
        """Take note of something perceived at a monotonic time.

        Returns the seconds after which the brain would like to think because of it; None for its usual turn.
        """
        ...

    def decide(self, situation: Situation) -> Thought: ...


class Brain(NamedTuple):
    """A kind of brain, as a plug-in.

    Args:
        name: what `brain:` in an agent.md says.
        help: one sentence for people.
        start: makes one agent's brain of its name, its own `Random`, its texts, and the interpreter.
        needs_model: it is of no use without a language model.
        enough: returns, for an agent's name, what tells of the beginning of a reply whether all that is wanted of it
            has come; None for a brain that wants every reply whole.
    """

    name: str
    help: str
    start: Callable[[str, Random, Voice, InterpreterSource], BrainRun]
    needs_model: bool = False
    enough: Callable[[str], Callable[[str], bool]] | None = None
