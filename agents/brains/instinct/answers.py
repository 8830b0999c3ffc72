"""How an agent answers what it is asked, does what it is asked for, and takes up what it is told."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from agents.brains import Recall, Situation
from agents.brains.instinct.facts import corrects, resolved
from agents.brains.instinct.meaning import Meaning
from agents.brains.instinct.relations import name_in
from agents.brains.instinct.relevance import Fact
from agents.brains.instinct.talk import Answering, Talk, ended
from agents.brains.instinct.topics import Topic
from agents.brains.instinct.ways import WAYS, confidence
from agents.memory.entries import Hit
from agents.memory.perception import Utterance
from agents.text.addressing import asks

if TYPE_CHECKING:
    from agents.brains.instinct.mind import Mind

_YOU = frozenset(("you", "your", "yours"))
_HERE = _YOU | {"here", "around", "we", "us", "this", "see", "far", "way", "get", "go"}
_OWN = frozenset(("my", "i", "me", "mine"))
_MET = ("death", "illness", "birth", "birthday", "love", "trouble", "fear", "luck", "plan")
"""What is met as such, the gravest first; the words of each stand in the vault."""
CORRECTED = 64
"""How many corrections of answers are kept in mind; of older ones the words alone decide."""
_VAGUE = ("ack.plain", "ack.thing", "ack.sad", "ack.glad", "ack.luck")


def answer(mind: Mind, meaning: Meaning, said: Utterance, situation: Situation) -> Answering:
    """Answer what asks or wishes something: in the way of the first of its texts that knows one, else from memory.

    Args:
        mind: who answers.
        meaning: what the sentence means.
        said: the line.
        situation: the situation.
    """
    talk = Talk(mind, meaning, said, situation)
    if "answer.discreet" in meaning.texts:
        return (yield from confidence(talk))
    if mind.relations.is_cool(said.speaker) and meaning.wants == "deed":
        return talk.say(("reply.unwilling",), "was ill treated by who asks")
    if _is_of_memory(talk):
        return (yield from _from_memory(talk))
    own = not _OWN.isdisjoint(talk.low) or talk.person not in ("", mind.name)
    own = own and not (meaning.wants in ("self", "deed") and meaning.how == "pattern")  # "what did you do since I left"
    own = own and not (meaning.wants == "people" and (talk.person in talk.others or meaning.asks == "where"))
    guessed = meaning.how == "example" or (meaning.wants != "memory" and own)
    asked = meaning.wants not in ("nothing", "deed") or asks(meaning.words)
    if guessed and asked and (decision := (yield from talk.surely())):
        return decision
    for key in meaning.texts:
        if (way := WAYS.get(key)) and (decision := (yield from way(talk))):
            return decision
        if not way and not key.startswith("unknown."):
            return talk.say((key,), f"was asked: {meaning.intent}", person=talk.person, thing=talk.your(talk.topic))
    if meaning.wants == "nothing":
        return talk.say(("reply.short",), "has nothing else to say")
    return (yield from _from_memory(talk))


def _from_memory(talk: Talk) -> Answering:
    """Answer from memory; where a place is that it knows, by the way there, unless somebody told it."""
    place, words = talk.named(talk.mind.names(talk.situation).places), talk.interpreter.words
    if talk.meaning.asks == "where" and words.coverage(words.content(talk.meaning.words), place) > 0.99:
        return (yield from talk.surely()) or (yield from WAYS["answer.way"](talk))
    return (yield from talk.from_memory())


def _is_of_memory(talk: Talk) -> bool:
    """Return whether a question is one to memory, though it was read otherwise, or leans on the answer before."""
    meaning = talk.meaning
    near = _YOU if meaning.wants == "self" else _HERE
    other = meaning.wants in ("self", "place", "people", "way") and near.isdisjoint(talk.low)
    if meaning.how == "example" and other:
        return True  # it was only like an example
    if meaning.wants in ("self", "place"):
        return any(talk.meant(word) for word in talk.low if word in ("it", "he", "she"))
    return meaning.wants == "memory" and meaning.how != "pattern" and isinstance(talk.question(), Fact)


def acknowledge(mind: Mind, meaning: Meaning, said: Utterance, situation: Situation) -> Answering:
    """Take up what was told, as what it is.

    Args:
        mind: who takes it up.
        meaning: what the sentence means.
        said: the line.
        situation: the situation.
    """
    talk, words = Talk(mind, meaning, said, situation), mind.interpreter().words
    entry = next((one for one in reversed(situation.recent) if one.actor == said.speaker), None)
    deed = mind.relations.did(entry, meaning) if entry else ""
    telling, about = words.content(meaning.words), talk.last.fact
    before = [(0, about.words)] if about and about.actor == said.speaker else []
    text = resolved(words.spelled(meaning.words), 0, before, words)
    told = Fact(text, 1.0, "heard", said.speaker, private=said.private)
    if entry:
        told = told._replace(place=entry.place or "", at=entry.at, seq=entry.seq)
        if before and about and corrects(said.words, mind.name, words):
            mind.corrected = dict([*mind.corrected.items(), (entry.seq, about.seq)][-CORRECTED:])
    if telling:
        mind.topics[said.speaker] = Topic(telling, told)
    if said.speaker in mind.minds:
        spoken = ("ack.secret",) if said.private else ("ack.plain",) if mind.rng.random() < 0.4 else ()
        return talk.say(spoken, "a mind told something")
    key = next(iter(meaning.texts), "")
    if key in ("ack.name", "ack.called") and meaning.how == "pattern" and (name := name_in(meaning)):
        new = "call" in talk.low or name.casefold() not in said.speaker.casefold()
        return talk.say(("ack.called" if new else "ack.name", "ack.plain"), "was told a name", thing=name)
    thing = talk.thing()
    thing = thing if thing.startswith(("your ", "the ")) else ""
    if (said.private or words.is_secret(said.words)) and not (deed or key.startswith(("reply.", "greet."))):
        return talk.say(("ack.secret", "ack.plain"), "was told a secret", thing=thing)
    unsure = ("ack.name", "ack.changed") if meaning.how == "example" else ("ack.name",)
    keys = [one for one in meaning.texts if one.startswith(("ack.", "reply.", "greet.")) and one not in unsure]
    places = {"thing": thing, "words": ""}
    if deed in ("promise", "gift", "kept"):
        keys.insert(0, f"ack.{deed}")
    elif not keys or keys[0] in _VAGUE:
        keys, link = yield from _met(talk, keys, text, telling, told.seq)
        places |= {"words": ended(link.words), "person": link.actor} if link else {}
    places["words"] = places["words"] or talk.told(told)
    plain = ["ack.plain", "ack.thing", "ack.retold"] if len(telling) > 1 else ["ack.plain"]
    keys += [plain.pop(mind.rng.randrange(len(plain))), *plain]
    return talk.speak(keys, "was told something", places)


def _met(
    talk: Talk, given: Sequence[str], text: str, telling: Sequence[str], seq: int
) -> Generator[Recall, tuple[Hit, ...], tuple[list[str], Fact | None]]:
    """Return the texts that meet something told as what it is, and what was told before that goes with it."""
    mind, words, rng = talk.mind, talk.interpreter.words, talk.mind.rng
    keys = [one for one in given if one not in ("ack.plain", "ack.thing")]
    low = f"-{'-'.join(talk.low)}-"
    if not talk.low:
        return keys, None
    if met := next((one for one in _MET if any(f"-{word}-" in low for word in words.of(f"met_{one}"))), ""):
        keys.insert(0, f"ack.{met}")
    if len(telling) > 1:
        facts = yield from talk.look_up(talk.asked(text)._replace(asks=""), wide=False)
        facts = [one for one in facts if one.kind == "heard" and not one.private and one.seq != seq]
        same = set(map(words.stem, telling))
        if any(one.actor == talk.asker and set(map(words.stem, words.content(one.words))) == same for one in facts):
            return ["ack.know", *keys], None
        free = (one for one in facts if one.score > 0.75 and not one.via and one.actor not in mind.minds)
        link = next((one for one in free if not mind.speaker.said_lately(one.words)), None)
        if link and not keys and rng.random() < 0.5:
            return ["ack.link_you" if link.actor == talk.asker else "ack.link"], link
    if corrects(talk.said.words, mind.name, words) or not words.of("no_more").isdisjoint(talk.low):
        return ["ack.changed", *keys], None
    if not keys and rng.random() < 0.4 * mind.speaker.share("manner.ask"):
        keys.append("ack.ask")
    return keys, None
