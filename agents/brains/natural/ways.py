"""Ways to answer that a text stands for: who told it, where somebody is, what was promised, a wish, an errand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from agents.brains import Decision, Recall
from agents.brains.natural.facts import SURE, Fact, Question, find, is_private
from agents.brains.natural.relations import Deed
from agents.brains.natural.retell import own_words
from agents.brains.natural.talk import Answering, Talk, ended
from agents.brains.natural.topics import Errand, Topic
from agents.brains.natural.words import tokens
from agents.memory.entries import Entry
from agents.memory.perception import heard_in, remembered, whispered, whispered_to
from agents.text.addressing import mentions
from mud.world.narration import listed
from mud.world.sentences import sentences

_ME = frozenset(("i", "me", "my", "mine"))
_HANDS = (("drop", {"drop", "give", "hand", "lend", "pass", "put", "down"}), ("take", {"take", "pick", "get", "fetch",
          "keep", "hold"}), ("examine", {"look", "examine", "inspect", "study", "read"}))  # fmt: skip
"""Commands by which a small wish is granted, and the words that wish for each."""


def source(talk: Talk) -> Answering:
    """Say from whom an answer came, or when and where it was told."""
    fact = talk.last.fact
    if talk.meaning.slots.get("topic") or talk.meaning.slots.get("thing"):
        facts = yield from talk.look_up(talk.asked(talk.topic)._replace(asks=""))
        fact = facts[0] if facts and facts[0].score >= SURE else None
    if fact is None:
        thing = talk.thing()
        return talk.say(
            ("unknown.thing", "unknown.plain") if thing else ("reply.unclear",), "told nothing", thing=thing
        )
    telling = any(key.startswith("answer.telling") for key in talk.meaning.texts)
    form = "telling" if telling else "source"
    who = "_you" if fact.actor == talk.asker else "_via" if fact.via and not telling else ""
    key = f"answer.{form}{who}" if fact.kind in ("heard", "told") else "answer.source_self"
    return talk.say_of("answer.source_known" if fact.kind == "known" else key, fact, via=fact.via)


def whereabouts(talk: Talk) -> Answering:
    """Say where somebody is, or was seen last."""
    person = talk.person
    if person in (talk.mind.name, ""):
        return None
    if person in talk.others:
        return talk.say(("answer.person_here",), "sees them", person=person)
    entries = yield from talk.recall(person)
    question = talk.asked(f"where {person} is")
    facts = find(question, (), entries, talk.lore)
    seen = max((one for one in entries if one.actor == person and one.place), key=lambda one: one.seq, default=None)
    told = next((one for one in facts if one.score >= SURE and (not seen or one.seq > seen.seq)), None)
    if told:
        return talk.tell(told, question, [told])
    if seen is None and person not in talk.mind.names(talk.situation).people:
        return (yield from talk.from_memory())
    if seen is None:
        return talk.say(("unknown.unseen", "unknown.plain"), "has not seen them", person=person)
    worth = seen.kind == "saw" and "\n" not in seen.text and len(seen.text.split()) > 3
    return talk.say_of("answer.seen", seen, seen.text if worth else "")


def meeting(talk: Talk) -> Answering:
    """Say when somebody was met first or last, or what they said first or last."""
    whose = talk.person if talk.person not in ("", talk.mind.name) else talk.asker
    you, newest, key = "_you" if whose == talk.asker else "", "last" in talk.low, talk.meaning.texts[0]
    entries = yield from talk.recall(whose)
    theirs = [one for one in entries if one.actor == whose and (you or not is_private(one, talk.lore.words))]
    if not theirs:
        return None if you else talk.say(("unknown.somebody",), "never met them", person=whose)
    if key.startswith("answer.first"):
        spoken = [(one, said) for one in theirs if (said := remembered(one)) and not said.question]
        if not spoken:
            return None
        entry, said = spoken[-newest]
        return talk.say_of(f"answer.{'quoted' if newest else 'first'}{you}", entry, sentences(said.words)[-1])
    if key == "answer.met_last":
        before = [one for one in theirs if talk.age(one.at) > 0.1] or theirs
        return talk.say_of("answer.met_last" if you else "answer.seen", before[-1])
    return talk.say_of("answer.met_first" if you else "answer.met", theirs[0])


def asker(talk: Talk) -> Answering:
    """Say what it knows of who asks, out of their own mouth."""
    entries = yield from talk.recall(f"{talk.asker} I am my name")
    words, told = talk.lore.words, list[Fact]()
    for entry in reversed(entries):
        if entry.actor == talk.asker and entry.kind in ("heard", "told"):
            question = Question("my", "", talk.asker, talk.mind.name, words.content(entry.text))
            own = find(question, (), [entry], talk.lore)
            told += [one for one in own if (_ME | {"i'm"}) & set(tokens(one.words)) and not talk.lately(one)][:1]
    if not told:
        met = any(one.actor == talk.asker and talk.age(one.at) > 0.05 for one in entries)
        return talk.say(("self.know" if met else "self.stranger",), "was asked whether it knows them")
    talk.mind.topics[talk.asker] = Topic(words.content(told[0].words), told[0])
    called = talk.mind.relations.called(talk.asker)
    return talk.tell_all(told[:3], f"you are {called}." if "who" in talk.low else "")


def deeds(talk: Talk) -> Answering:
    """Say who promised, gave, or was kind or rude, by what they did."""
    person = talk.person or (talk.asker if _ME & set(talk.low) else "")
    promise = any("promise" in key for key in talk.meaning.texts)
    sought = "promise swear word" if promise else "kind thank sorry gift"
    entries = yield from talk.recall(f"{person} {sought} {talk.topic}", own=promise)
    relations = talk.mind.relations
    whom = [person] if person else list(relations.known)
    if promise:
        if talk.mind.name == person or "unknown.promise_mine" in talk.meaning.texts:
            return own_promise(talk, entries)
        found = [(who, one) for who in whom for one in relations.deeds(who, "promise")
                 if not one.private or who == talk.asker]  # fmt: skip
        wanted = talk.lore.words.content(talk.topic) if talk.topic != person else ()
        fitting = [pair for pair in found if wanted and talk.lore.words.coverage(wanted, pair[1].words) > 0.4] or found
        if not fitting:
            return (yield from talk.from_memory())
        who, deed = max(fitting, key=lambda pair: (not pair[1].kept, pair[1].seq))
        kept, you = "_kept" if deed.kept else "", "_you" if who == talk.asker else ""
        return say_deed(talk, (f"answer.promise{kept}{you}",), deed, who)
    rude = "opinion.rude" in talk.meaning.texts[:1] or not {"rude", "unkind", "mean"}.isdisjoint(talk.low)
    weighty = [(one.seq, who, one) for who in whom if (one := relations.telling(who, talk.asker, -1 if rude else 1))]
    if weighty:
        return judged(talk, max(weighty)[2], max(weighty)[1])
    sure = yield from talk.surely()
    return sure or talk.say(("unknown.deed", "unknown.plain"), "remembers nothing of the kind", person=person)


def own_promise(talk: Talk, entries: Sequence[Entry]) -> Decision | None:
    """Say what it promised itself, to who may hear it."""
    for entry in reversed(entries):
        said = remembered(entry) if entry.kind == "said" else None
        if said and (not whispered(entry) or whispered_to(entry, talk.asker)):
            vows = [one for one in sentences(said.words) if {"promise", "swear"} & set(tokens(one))]
            if vows:
                fact = Fact("", 1.0, "said", "", entry.place or "", entry.at, entry.seq, private=whispered(entry))
                return talk.say_of("answer.self", fact, vows[0])
    return talk.say(("unknown.promise_mine", "unknown.plain"), "remembers no promise")


def judged(talk: Talk, deed: Deed, person: str) -> Decision | None:
    """Say how somebody stands with the agent, by what they did."""
    you = "_you" if person == talk.asker else ""
    plain = "opinion.you" if you else "opinion.person"
    return say_deed(talk, (f"opinion.{'rude' if deed.weight < 0 else 'kind'}{you}", plain), deed, person)


def say_deed(talk: Talk, keys: tuple[str, ...], deed: Deed, person: str) -> Decision | None:
    cites = (str(deed.seq), *((str(deed.kept),) if deed.kept else ()))
    places = {"person": person, "words": ended(deed.words), "place": deed.place, "when": talk.when(deed.at)}
    return talk.speak(keys, f"goes by a deed, {deed.seq}", places, private=deed.private, cites=cites)


def opinion(talk: Talk) -> Answering:
    """Say what it thinks of somebody by what they did, of a thing or place by what one sees."""
    person = talk.person or (talk.asker if "me" in talk.low else "")
    if person and person != talk.mind.name:
        entries = yield from talk.recall(person)
        if deed := talk.mind.relations.telling(person, talk.asker):
            return judged(talk, deed, person)
        if person not in talk.mind.names(talk.situation).people and all(one.actor != person for one in entries):
            return (yield from talk.from_memory())
        key = "opinion.you" if person == talk.asker else "opinion.person"
        return talk.say((key, "opinion.plain"), "was asked for an opinion", person=person)
    if liked := talk.of_itself(talk.lore.words.content(talk.meaning.words)):
        return talk.say(("answer.likes", "self.profile"), "says what it likes", words=liked)
    if thing := talk.named((*talk.situation.items, *talk.situation.carrying)):
        return talk.say(("opinion.thing", "opinion.plain"), "was asked for an opinion", thing=talk.article(thing))
    if talk.named((talk.situation.location,)) or "here" in talk.low:
        thing = talk.article(talk.mind.rng.choice(talk.situation.items)) if talk.situation.items else ""
        return talk.say(("opinion.place", "opinion.plain"), "was asked for an opinion", thing=thing, words=talk.view())
    sure = yield from talk.surely()
    return sure or talk.say(("opinion.plain",), "has no opinion")


def way(talk: Talk) -> Answering:
    """Say how one gets somewhere, by what it walked itself, or that it was there."""
    ways, here = talk.mind.ways, talk.situation.location
    exit_ = talk.named(talk.situation.exits)
    if exit_ and (leads := ways.get(here, {}).get(exit_)):
        return talk.say(("answer.way",), "went there", thing=exit_, place=leads)
    place = talk.named(talk.mind.names(talk.situation).places)
    out = {"here", "out", "exit", "exits", "ways"} & set(talk.low) or not talk.lore.words.content(talk.topic)
    if out and not (place or exit_):
        key = "answer.exits" if talk.situation.exits else "answer.no_exits"
        return talk.say((key,), "sees the ways out", thing=listed(talk.situation.exits))
    if place and place == here:
        return talk.say(("answer.you_are_here",), "is there")
    been = talk.meaning.texts[0] == "answer.been"
    if place and not been and (path := path_to(place, here, ways)):
        key = "answer.way" if len(path) == 1 else "answer.way_first"
        return talk.say((key,), "knows the way", thing=path[0], place=place)
    entries = yield from talk.recall(talk.topic or talk.meaning.words)
    place = place or talk.named(list(dict.fromkeys(one.place for one in entries if one.place)))
    if place:
        return talk.say(("answer.been" if been else "answer.way_far",), "was there", place=place)
    sure = yield from talk.surely()
    return sure or talk.say(("unknown.way", "unknown.plain"), "was never there", thing=talk.your(talk.topic))


def path_to(place: str, start: str, ways: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the exits to take from one place to another, by what was walked; empty when that is not known.

    Args:
        place: where to.
        start: where from.
        ways: where each way out of a place led, by place and exit.
    """
    paths: dict[str, list[str]] = {start: []}
    for at in (queue := [start]):
        for exit_, to in ways.get(at, {}).items():
            if to not in paths:
                paths[to] = [*paths[at], exit_]
                queue.append(to)
    return paths.get(place, [])


def news(talk: Talk) -> Answering:
    """Tell something heard in the open from another that was not told lately."""
    words = talk.lore.words
    for entry in reversed(talk.recent):
        heard = entry.kind == "heard" and entry.actor not in (None, talk.asker, *talk.mind.minds)
        said = remembered(entry) if heard and not is_private(entry, words) else None
        if said:
            question = Question("", "", talk.asker, talk.mind.name, words.content(said.words), entry.actor or "")
            facts = [one for one in find(question, (), [entry], talk.lore) if not talk.lately(one)]
            if facts and len(words.content(facts[0].words)) > 2:
                return talk.tell(facts[0]._replace(score=1.0), question, facts[:1])
    return talk.say(("reply.no_news",), "no news")
    yield Recall("")  # a generator, as all ways are


def day(talk: Talk) -> Answering:
    """Say where it was, what it looked at and with whom it spoke lately."""
    found: dict[str, dict[str, None]] = {"place": {}, "thing": {}, "person": {}}
    own = [one for one in reversed(talk.situation.recent) if one.actor is None and not one.failed]
    for entry in own:
        if entry.place and entry.place != talk.situation.location:
            found["place"].setdefault(entry.place)
        title, mark, _ = entry.text.strip().partition(": ")
        if entry.kind == "result" and mark and len(title) <= 40:
            found["thing"].setdefault(talk.article(title))
        named = (name for name in talk.mind.known if entry.kind == "said" and mentions(entry.text, name))
        found["person"].update(dict.fromkeys(name for name in named if name != talk.asker))
    places = {key: listed(list(names)[:2]) for key, names in found.items()}
    places["here"] = talk.situation.location
    return talk.speak(("reply.day", "reply.day_quiet"), "was asked what it did", places)
    yield Recall("")


def spoken(talk: Talk) -> Answering:
    """Say what somebody said, on a topic or last."""
    person = talk.person or (talk.asker if {"i", "my", "we"} & set(talk.low) else "")
    topic = talk.meaning.slots.get("topic", "")
    wanted = talk.lore.words.content(topic) if topic != person else ()
    mine = person == talk.mind.name
    entries = yield from talk.recall(f"{person} {topic}".strip(), own=mine)
    for entry in reversed(entries):
        said = remembered(entry) if entry.kind in (("said",) if mine else ("heard", "told")) else None
        if said is None or said.question or whispered(entry) or (not mine and entry.actor != person):
            continue
        if is_private(entry, talk.lore.words) and person != talk.asker:
            continue
        if mine and talk.lore.words.coverage(wanted, said.words) >= 0.5 * bool(wanted):
            return talk.say_of("answer.self", entry, said.words)
        question = Question("", "", talk.asker, talk.mind.name, talk.lore.words.content(said.words), person)
        facts = [] if mine else find(question, (), [entry], talk.lore)
        facts = [one for one in facts if not wanted or talk.lore.words.coverage(wanted, one.words) >= 0.5]
        if facts and (wanted or not talk.lately(facts[0])):
            return talk.tell(facts[0]._replace(score=1.0), question, facts[:1])
    key = "unknown.not_told" if person == talk.asker else "unknown.said" if person else "unknown.plain"
    return talk.say((key, "unknown.plain"), "heard nothing of it", person=person)


def confidence(talk: Talk) -> Answering:
    """Say what was confided, to who did; to others always the same, whatever there is."""
    if talk.person not in ("", talk.asker):
        return talk.say(("answer.discreet",), "tells no confidences", person=talk.person)
    entries = yield from talk.recall(f"{talk.asker} secret whisper between us")
    for entry in reversed(entries):
        said = remembered(entry) if entry.actor == talk.asker and is_private(entry, talk.lore.words) else None
        if said and not said.question:
            fact = Fact("", 1.0, "told", talk.asker, entry.place or "", entry.at, entry.seq, private=True)
            return talk.say_of("answer.quoted_you", fact, said.words)
    return talk.say(("unknown.not_told", "unknown.plain"), "was told nothing in confidence")


def errand(talk: Talk) -> Answering:
    """Take an errand, or say how it stands."""
    mind, to = talk.mind, talk.person
    told = talk.meaning.slots.get("text") or talk.meaning.slots.get("topic") or ""
    if talk.meaning.texts[0] == "reply.errand":
        if not to or not told or to == mind.name or talk.asker in mind.minds:
            return None
        private = talk.said.private or talk.lore.words.is_secret(talk.said.words)
        mind.errands.append(Errand(talk.asker, to, told, private, heard_in(talk.situation.recent, talk.said)))
        return talk.say(("reply.errand",), "was asked to tell somebody something", person=to)
    mine = [one for one in (*mind.told, *mind.errands) if one.sender == talk.asker and one.to in ("", to or one.to)]
    if not mine:
        return (yield from talk.from_memory())
    key = "reply.errand_done" if mine[-1] in mind.told else "reply.errand_open"
    return talk.speak((key,), "was asked about an errand", {"person": mine[-1].to}, cites=(str(mine[-1].seq),))


def wish(talk: Talk) -> Answering:
    """Do a small thing: come along, stay, look at, take, put down, or make a gesture."""
    key = talk.meaning.texts[0]
    if talk.asker in talk.mind.minds:
        return talk.say((), "a courtesy among minds")
    if key in ("reply.follow", "reply.stay"):
        talk.mind.following = talk.asker if key == "reply.follow" else ""
        return talk.say((key,), "was asked to come or stay")
    if key.startswith("emote."):
        to = next((name for name in talk.others if mentions(talk.meaning.words, name)), talk.asker)
        text = talk.mind.speaker.line(key, name=talk.mind.relations.called(to))
        return Decision(f"emote {text}", "was asked for a gesture", key) if text else None
    here = talk.situation
    for (verb, marks), names in zip(_HANDS, (here.carrying, here.items, (*here.items, *talk.others)), strict=True):
        if marks & set(talk.low) and (thing := talk.named(names)):
            behind = talk.mind.speaker.plain("reason.asked", name=talk.asker)
            return Decision(f"{verb} {thing}{f' | {behind}' if behind else ''}", "does as it was asked")
    return talk.say(("reply.wish",), "was asked for something")
    yield Recall("")


def itself(talk: Talk) -> Answering:
    """Say of itself what its profile says of it, or what it remembers."""
    words = talk.lore.words
    telling = [word for word in words.content(talk.meaning.words) if word not in words.of("polite")]
    if told := talk.of_itself(telling):
        return talk.say(("self.profile",), "says who it is", words=told)
    return (yield from talk.from_memory())


def _keys(keys: str, found: Callable[[Talk], Answering]) -> dict[str, Callable[[Talk], Answering]]:
    return dict.fromkeys(keys.split(), found)


WAYS: Mapping[str, Callable[[Talk], Answering]] = {
    **_keys("answer.source answer.source_you answer.telling answer.telling_you", source),
    **_keys("answer.seen unknown.unseen", whereabouts),
    **_keys("answer.met answer.met_first answer.met_last answer.first answer.first_you", meeting),
    **_keys("self.know self.know_words self.know_two self.know_three self.stranger", asker),
    **_keys("answer.promise answer.promise_you unknown.promise unknown.promise_you unknown.promise_mine", deeds),
    **_keys("opinion.kind opinion.rude unknown.deed", deeds),
    **_keys("opinion.person opinion.you opinion.thing opinion.place opinion.plain", opinion),
    **_keys("answer.way answer.way_first answer.way_far answer.been unknown.way", way),
    **_keys("talk.news talk.saw reply.no_news reply.been", news),
    **_keys("reply.day reply.day_quiet", day),
    **_keys("answer.quoted answer.quoted_you answer.yes_told answer.yes_told_you answer.overheard", spoken),
    **_keys("unknown.said unknown.not_told", spoken),
    **_keys("answer.discreet ack.secret", confidence),
    **_keys("reply.errand reply.errand_done reply.errand_open", errand),
    **_keys("reply.follow reply.stay reply.wish emote.sing emote.dance emote.greet emote.sit emote.hush", wish),
    **_keys("answer.self unknown.self", itself),
    "answer.saw": Talk.from_memory,
}
"""How the questions are answered that these texts answer."""


def _one(place: str, value: Callable[[Talk], str]) -> Callable[[Talk], dict[str, str] | None]:
    return lambda talk: {place: found} if (found := value(talk)) else None


def _if(test: Callable[[Talk], object]) -> Callable[[Talk], dict[str, str] | None]:
    return lambda talk: {} if test(talk) else None


def _met(talk: Talk) -> list[str]:
    return [name for name in talk.mind.known if name != talk.asker][-6:]


def _profile(talk: Talk) -> str:
    told = talk.of_itself(talk.lore.words.content(talk.topic or talk.meaning.words))
    own = own_words(talk.situation.profile, talk.lore.words)
    return told or next((one for one in own if not talk.mind.speaker.said_lately(one)), "")


PLACES: Mapping[str, Callable[[Talk], dict[str, str] | None]] = {
    "answer.carried": _one("thing", lambda talk: listed([talk.article(one) for one in talk.situation.carrying])),
    "answer.empty_handed": _if(lambda talk: not talk.situation.carrying),
    "answer.company": _one("person", lambda talk: listed(talk.others)),
    "answer.nobody_else": _if(lambda talk: not talk.others),
    "answer.person_here": _one("person", lambda talk: talk.person if talk.person in talk.others else ""),
    "answer.place_words": _one("words", Talk.view),
    "answer.exits": _one("thing", lambda talk: listed(talk.situation.exits)),
    "answer.no_exits": _if(lambda talk: not talk.situation.exits),
    "answer.things": _one("thing", lambda talk: listed([talk.article(one) for one in talk.situation.items])),
    "answer.nothing_here": _if(lambda talk: not talk.situation.items),
    "answer.thing_here": _one("thing", lambda talk: talk.article(talk.named(talk.situation.items) or "-").strip("-")),
    "answer.in_view": _one("words", lambda talk: talk.in_sight(talk.asked(talk.topic or talk.meaning.words))),
    "answer.acquainted": _one("person", lambda talk: listed(_met(talk))),
    "answer.met_nobody": _if(lambda talk: not _met(talk)),
    "self.goal": _one("words", lambda talk: ended(talk.situation.goal) if talk.situation.goal else ""),
    "self.goal_sought": lambda talk: None,
    "self.goal_reached": lambda talk: None,
    "self.no_goal": _if(lambda talk: not talk.situation.goal),
    "self.profile": _one("words", _profile),
    "answer.likes": _one("words", lambda talk: talk.of_itself(talk.lore.words.content(talk.meaning.words))),
}
"""What stands in the places of texts that need no memory; None where a text does not fit here and now."""
