"""Ways to answer that a text stands for: who told it, where somebody is, what was promised, a wish, an errand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from agents.brains import Decision, Recall
from agents.brains.instinct.facts import find, is_private
from agents.brains.instinct.relations import KINDS, Deed
from agents.brains.instinct.relevance import SURE, Fact, said
from agents.brains.instinct.retell import own_words
from agents.brains.instinct.talk import Answering, Talk, ended
from agents.brains.instinct.topics import Errand
from agents.brains.instinct.words import tokens
from agents.memory.entries import Entry
from agents.memory.perception import heard_in, remembered
from agents.text.addressing import calls, mentions, without_address
from mud.world.events import CHANGED
from mud.world.narration import listed
from mud.world.sentences import sentences

_ME = frozenset(("i", "me", "my", "mine", "i'm"))
_GIVE = {"give", "hand", "lend", "pass", "have", "borrow", "bring"}
_HANDS = (("give", _GIVE), ("drop", {"drop", "put", "down"}), ("take", {"take", "pick", "get", "fetch",
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
        keys = ("unknown.thing", "unknown.plain") if thing else ("reply.unclear",)
        return talk.say(keys, "told nothing", thing=thing)
    telling = any(key.startswith("answer.telling") for key in talk.meaning.texts)
    who = "_you" if fact.actor == talk.asker else "_via" if fact.via and not telling else ""
    key = (
        f"answer.{'telling' if telling else 'source'}{who}" if fact.kind in ("heard", "told") else "answer.source_self"
    )
    return talk.say_of("answer.source_known" if fact.kind == "known" else key, fact, via=fact.via)


def whereabouts(talk: Talk) -> Answering:
    """Say where somebody is, or was seen last, and what they were seen to do."""
    person = talk.person
    if person in (talk.mind.name, ""):
        return talk.say(("answer.i_am_here",), "is here itself") if person else None
    entries = yield from talk.recall(person)
    seen = next((one for one in reversed(entries) if one.actor == person and one.place), None)
    did = seen.text if seen and seen.kind == "saw" and "\n" not in seen.text and len(seen.text.split()) > 3 else ""
    if person in talk.others:
        if seen and did and talk.meaning.asks == "yes":
            return talk.say_of("answer.saw", seen, did)
        return talk.say(("answer.person_here",), "sees them", person=person)
    question = talk.asked(f"where {person} is")
    facts = find(question, (), entries, talk.interpreter)
    if told := next((one for one in facts if one.score >= SURE and (not seen or one.seq > seen.seq)), None):
        return talk.tell(told, question, [told])
    if seen:
        return talk.say_of("answer.seen", seen, did)
    if person not in talk.mind.names(talk.situation).people:
        return (yield from talk.from_memory())
    return talk.say(("unknown.unseen", "unknown.plain"), "has not seen them", person=person)


def meeting(talk: Talk) -> Answering:
    """Say when somebody was met first or last, or what they said first or last."""
    whose = talk.person if talk.person not in ("", talk.mind.name) else talk.asker
    you, newest, key = "_you" if whose == talk.asker else "", "last" in talk.meaning.intent, talk.meaning.texts[0]
    entries = yield from talk.recall(whose)
    if key.startswith("answer.first"):
        low = set(talk.low)  # what was just said may have been a question
        kinds = (True,) if {"ask", "asked", "question"} & low else (False, "just" in low and "tell" not in low)
        if not (spoken := list(talk.lines(entries, whose, kinds))):
            return None
        entry, words = spoken[0 if newest else -1]
        return talk.say_of(f"answer.{'quoted' if newest else 'first'}{you}", entry, sentences(words)[-1])
    theirs = [one for one in entries if one.actor == whose and (you or not is_private(one, talk.interpreter.words))]
    if not theirs:
        return None if you else talk.say(("unknown.somebody",), "never met them", person=whose)
    if key == "answer.met_last":
        before = [one for one in theirs if talk.age(one.at) > 0.1]
        if before or not you:
            return talk.say_of("answer.met_last" if you else "answer.seen", (before or theirs)[-1])
    return talk.say_of("answer.met_first" if you else "answer.met", theirs[0])


def asker(talk: Talk) -> Answering:
    """Say what it knows of who asks, out of their own mouth."""
    entries = yield from talk.recall(f"{talk.asker} I am my name")
    facts = [one for entry, _ in talk.lines(entries, talk.asker) for one in talk.facts_in(entry, "my")[:1]]
    naming = {"ack.name", "ack.called"}  # how they are called stands before the rest
    read = ((one, talk.interpreter.pattern(one.words, talk.mind.names(talk.situation))) for one in facts)
    mine = (one for one, meaning in read if not (meaning and naming & set(meaning.texts)))
    told = sorted((one for one in mine if _ME & said(one.words)), key=talk.lately)  # what it said lately, last
    told = [one for one in told if not one.private or talk.said.private] or told  # what was confided, last
    if not told:
        met = any(one.actor == talk.asker and talk.age(one.at) > 0.05 for one in entries)
        return talk.say(("self.know" if met else "self.stranger",), "was asked whether it knows them")
    return talk.tell_all(told[:3], f"you are {talk.mind.relations.called(talk.asker)}." if "who" in talk.low else "")


def deeds(talk: Talk) -> Answering:
    """Say who promised, gave, or was kind or rude, by what they did."""
    person = talk.person or (talk.asker if _ME & set(talk.low) else "")
    promise = any("promise" in key for key in talk.meaning.texts)
    sought = "promise swear word" if promise else "kind thank sorry gift"
    entries = yield from talk.recall(f"{person} {sought} {talk.topic}", own=promise)
    relations = talk.mind.relations
    whom = [person] if person else list(relations.known)
    if promise and (talk.mind.name == person or "unknown.promise_mine" in talk.meaning.texts):
        return own_promise(talk, entries)
    if promise:
        found = [(who, one) for who in whom for one in relations.deeds(who, "promise")
                 if not one.private or who == talk.asker]  # fmt: skip
        wanted = talk.interpreter.words.content(talk.topic) if talk.topic != person else ()
        fitting = [
            pair for pair in found if wanted and talk.interpreter.words.coverage(wanted, pair[1].words) > 0.4
        ] or found
        if not fitting:
            return (yield from talk.from_memory())
        who, deed = max(fitting, key=lambda pair: (not pair[1].kept, pair[1].seq))
        kept, you = "_kept" if deed.kept else "", "_you" if who == talk.asker else ""
        return say_deed(talk, (f"answer.promise{kept}{you}",), deed, who)
    rude = "opinion.rude" in talk.meaning.texts[:1]
    if (
        talk.low[0] == "who"
        or not talk.interpreter.words.of("anybody").isdisjoint(talk.low)
        or person == talk.mind.name
    ):
        target, person = person, ""
    else:
        target = talk.whom
    if target not in ("", talk.mind.name):
        return overheard(talk, entries, person, target) or talk.say(("unknown.deed",), "heard no such thing")
    whom = [person] if person else list(relations.known)
    weighty = [(one.seq, who, one) for who in whom if (one := relations.telling(who, talk.asker, -1 if rude else 1))]
    if weighty:
        return judged(talk, max(weighty)[2], max(weighty)[1])
    return (yield from talk.from_memory())


def overheard(talk: Talk, entries: Sequence[Entry], person: str, target: str) -> Decision | None:
    """Say with which words somebody, or anybody, was kind or rude to another in the open."""
    rude, names = "opinion.rude" in talk.meaning.texts[:1], talk.mind.names(talk.situation)._replace(me=target)
    for entry in reversed(entries):
        line = remembered(entry) if entry.kind == "heard" and entry.actor in (person or entry.actor, None) else None
        if line and calls(line.words, target) and not is_private(entry, talk.interpreter.words):
            for one in sentences(without_address(line.words, (target,))):
                meaning = talk.interpreter.pattern(one, names)
                if meaning and KINDS.get(next(iter(meaning.texts), "")) == ("rude" if rude else "kind"):
                    return talk.say_of("answer.overheard", entry, line.words, other=target)
    return None


def own_promise(talk: Talk, entries: Sequence[Entry]) -> Decision | None:
    """Say what it promised itself, to who may hear it."""
    for entry, words in talk.lines(entries, talk.mind.name):
        if talk.interpreter.words.is_ignorant(words):
            continue
        vowed = ((one, f" {one.casefold()}") for one in sentences(words))  # "'I promise" quotes another
        if vows := [one for one, low in vowed if " i promise" in low or " i swear" in low]:
            return talk.say_of("answer.self", entry, vows[0])
    if any(is_private(entry, talk.interpreter.words) for entry, _ in talk.lines(entries, talk.asker)):
        return talk.speak(("ack.secret",), "promised to keep it", {}, private=True)
    return talk.say(("unknown.promise_mine", "unknown.plain"), "remembers no promise")


def judged(talk: Talk, deed: Deed, person: str) -> Decision | None:
    """Say how somebody stands with the agent, by what they did."""
    you = "_you" if person == talk.asker else ""
    keys = (f"opinion.{'rude' if deed.weight < 0 else 'kind'}{you}", "opinion.you" if you else "opinion.person")
    return say_deed(talk, keys, deed, person)


def say_deed(talk: Talk, keys: tuple[str, ...], deed: Deed, person: str) -> Decision | None:
    cites = [str(seq) for seq in (deed.seq, deed.kept) if seq]
    places = {"person": person, "words": ended(deed.words), "place": deed.place, "when": talk.when(deed.at)}
    return talk.speak(keys, f"goes by a deed, {deed.seq}", places, private=deed.private, cites=cites)


def opinion(talk: Talk) -> Answering:
    """Say what it thinks of somebody by what they did, of a thing or place by what one sees."""
    person, here = talk.person or (talk.asker if "me" in talk.low else ""), talk.situation
    if person and person != talk.mind.name:
        entries = yield from talk.recall(person)
        if deed := talk.mind.relations.telling(person, talk.asker):
            return judged(talk, deed, person)
        if person not in talk.mind.names(here).people and all(one.actor != person for one in entries):
            question = talk.asked(person)._replace(asks="", person=person)
            facts = yield from talk.look_up(question)
            known = facts and facts[0].score >= SURE
            return talk.tell_about(question, facts) if known else talk.say(("unknown.somebody",), "", person=person)
        key = "opinion.you" if person == talk.asker else "opinion.person"
        return talk.say((key, "opinion.plain"), "was asked for an opinion", person=person)
    if liked := talk.of_itself(talk.interpreter.words.content(talk.meaning.words)):
        return talk.say(("answer.likes", "self.profile"), "says what it likes", words=liked)
    if thing := talk.named((*here.items, *here.carrying)):
        return talk.say(("opinion.thing", "opinion.plain"), "was asked for an opinion", thing=talk.article(thing))
    if talk.named((here.location,)) or "here" in talk.low:
        thing = talk.article(talk.mind.rng.choice(here.items)) if here.items else ""
        return talk.say(("opinion.place", "opinion.plain"), "was asked for an opinion", thing=thing, words=talk.view())
    return talk.say(("opinion.plain",), "has no opinion")


def way(talk: Talk) -> Answering:
    """Say how one gets somewhere, by what it walked itself, or that it was there."""
    ways, here = talk.mind.ways, talk.situation.location
    been = talk.meaning.texts[0] == "answer.been"
    exit_ = "" if been else talk.named(talk.situation.exits)
    if exit_ and (leads := ways.get(here, {}).get(exit_)):
        return talk.say(("answer.way",), "went there", thing=exit_, place=leads)
    place = talk.named(talk.mind.names(talk.situation).places)
    out = {"here", "out", "exit", "exits", "ways"} & set(talk.low) or not talk.interpreter.words.content(talk.topic)
    if (out and not place) or exit_:
        keys = ("answer.exits",) if talk.situation.exits else ("answer.no_exits",)
        return talk.say(keys, "sees the ways out", thing=listed(talk.situation.exits))
    if place and place == here:
        return talk.say(("answer.you_are_here",), "is there")
    if place and not been and (path := path_to(place, here, ways)):
        key = "answer.way" if len(path) == 1 else "answer.way_first"
        return talk.say((key,), "knows the way", thing=path[0], place=place)
    entries = yield from talk.recall(talk.topic or talk.meaning.words)
    if place := place or talk.named(list(dict.fromkeys(one.place for one in entries if one.place))):
        return talk.say(("answer.been" if been else "answer.way_far",), "was there", place=place)
    sure = yield from talk.surely()
    return sure or talk.say(("unknown.way",), "was never there", thing=place or talk.your(talk.topic))


def path_to(place: str, start: str, ways: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the exits to take from one place to another, by what was walked; empty when that is not known."""
    paths: dict[str, list[str]] = {start: []}
    for at in (queue := [start]):
        for exit_, to in ways.get(at, {}).items():
            if to not in paths:
                paths[to] = [*paths[at], exit_]
                queue.append(to)
    return paths.get(place, [])


def news(talk: Talk) -> Answering:
    """Tell something heard in the open from another, or seen to change, that was not told lately."""
    old: list[Fact] = []
    for entry in reversed(talk.recent):
        heard = entry.kind == "heard" and entry.actor not in (None, talk.asker, *talk.mind.minds)
        new = entry.mark == CHANGED or (heard and not is_private(entry, talk.interpreter.words))
        for fact in talk.facts_in(entry)[:1] if new else ():
            old += [fact] * (len(talk.interpreter.words.content(fact.words)) > 2)
    if old:
        fact = next((one for one in old if not talk.lately(one)), old[0])
        return talk.tell(fact, talk.asked(""), [fact])
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
    places = {key: listed(list(names)[:2]) for key, names in found.items()} | {"here": talk.situation.location}
    return talk.speak(("reply.day", "reply.day_quiet"), "was asked what it did", places)
    yield Recall("")


def spoken(talk: Talk) -> Answering:
    """Say what somebody said, on a topic or last."""
    person, words = talk.person or (talk.asker if {"i", "my", "we"} & set(talk.low) else ""), talk.interpreter.words
    topic = talk.meaning.slots.get("topic", "")
    wanted = words.content(topic) if topic != person else ()
    mine, to = person == talk.mind.name, talk.whom
    old: list[Fact] = []
    asked, best = set(map(words.stem, wanted)), (0.5, -1)
    told: list[Fact] = []
    entries = yield from talk.recall(f"{person} {topic}".strip(), own=mine)
    for entry, line in talk.lines(entries, person):
        if to and not calls(line, to):
            continue
        if to and not wanted:
            return talk.say_of("answer.overheard", entry, line, other=to)
        if mine and (not wanted or words.coverage(wanted, line) >= 0.5):
            return talk.say_of("answer.self", entry, line)
        facts = [] if mine else talk.facts_in(entry)
        for one in facts if wanted else ():  # where walnuts are asked of, any tree is one, but walnuts are best
            stems = map(words.stem, words.content(one.words))
            if (fits := (words.coverage(wanted, one.words), len(asked.intersection(stems)))) > best:
                best, told = fits, [one]
        if facts and not wanted and not talk.lately(facts[0]):
            return talk.tell(facts[0], talk.asked(topic), facts[:1])
        old += () if wanted else facts
    if old := told or old:
        return talk.tell(old[0], talk.asked(topic), old[:1])
    key = "unknown.not_told" if person == talk.asker else "unknown.said" if person else "unknown.plain"
    return talk.say((key, "unknown.plain"), "heard nothing of it", person=person)


def confidence(talk: Talk) -> Answering:
    """Say what was confided, to who did; to others always the same, whatever there is."""
    if other := next((one for one in (talk.person, talk.whom) if one not in ("", talk.asker, talk.mind.name)), ""):
        return talk.say(("answer.discreet",), "tells no confidences", person=other)
    entries = yield from talk.recall(f"{talk.asker} secret whisper between us")
    for entry, line in talk.lines(entries, talk.asker):
        if is_private(entry, talk.interpreter.words):
            fact = Fact("", 1.0, "told", talk.asker, entry.place or "", entry.at, entry.seq, private=True)
            return talk.say_of("answer.quoted_you", fact, line)
    return talk.say(("unknown.not_told", "unknown.plain"), "was told nothing in confidence")


def errand(talk: Talk) -> Answering:
    """Take an errand, or say how it stands."""
    mind, to = talk.mind, talk.person
    told = talk.meaning.slots.get("text") or talk.meaning.slots.get("topic") or ""
    if talk.meaning.texts[0] == "reply.errand":
        if not to or not told or to == mind.name or talk.asker in mind.minds:
            return None
        private = talk.said.private or talk.interpreter.words.is_secret(talk.said.words)
        mind.errands.append(Errand(talk.asker, to, told, private, heard_in(talk.situation.recent, talk.said)))
        return talk.say(("reply.errand",), "was asked to tell somebody something", person=to)
    mine = [one for one in (*mind.told, *mind.errands) if one.sender == talk.asker and one.to in ("", to or one.to)]
    if not mine:
        return (yield from talk.from_memory())
    key = "reply.errand_done" if mine[-1] in mind.told else "reply.errand_open"
    return talk.speak((key,), "was asked about an errand", {"person": mine[-1].to}, cites=(str(mine[-1].seq),))


def wish(talk: Talk) -> Answering:
    """Do a small thing: come along, stay, look at, take, give, put down, or make a gesture."""
    key, here = talk.meaning.texts[0], talk.situation
    if talk.asker in talk.mind.minds:
        return talk.say((), "a courtesy among minds")
    if key in ("reply.follow", "reply.stay"):
        talk.mind.following = talk.asker if key == "reply.follow" else ""
        return talk.say((key,), "was asked to come or stay")
    if key.startswith("emote."):
        to = next((name for name in talk.others if mentions(talk.meaning.words, name)), talk.asker)
        text = talk.mind.speaker.line(key, name=talk.mind.relations.called(to))
        return Decision(f"emote {text}", "was asked for a gesture", key) if text else None
    reach = (here.carrying, here.carrying, here.items, (*here.items, *talk.others))
    for (verb, marks), names in zip(_HANDS, reach, strict=True):
        if marks & set(talk.low) and (thing := talk.named(names)):
            behind = talk.mind.speaker.plain("reason.asked", name=talk.asker)
            to = f" to {talk.asker}" if verb == "give" else ""
            return Decision(f"{verb} {thing}{to}{f' | {behind}' if behind else ''}", "does as it was asked")
    return talk.say(("reply.wish",), "was asked for something")
    yield Recall("")


def itself(talk: Talk) -> Answering:
    """Say of itself what its profile says of it, with its name when it is asked who it is, or what it remembers."""
    words, here = talk.interpreter.words, talk.situation
    telling = [word for word in words.content(talk.meaning.words) if word not in words.of("polite")]
    fresh = (one for one in own_words(here.profile, words) if not talk.mind.speaker.said_lately(one))
    told = talk.of_itself(telling) if telling else ""
    keys = [one for one in talk.meaning.texts if not one.startswith("unknown.")] or ["answer.self"]
    named = not (words.of("name_head") & words.of("asked")).isdisjoint(talk.low)
    if keys[0] in ("self.who", "self.profile") and not named:
        told = told or next(fresh, "")
        keys = ["self.about", *keys] if keys[0] == "self.who" else keys
    elif keys[0] == "self.wearing":
        told = told or next((one for one in own_words(here.profile, words) if words.of("looks") & {*tokens(one)}), "")
    if told and not named and keys[0] not in ("self.about", "self.profile"):
        keys = ["self.profile"]
    places = {"words": told or ended(here.goal) if told or here.goal else ""}
    if keys[0] == "answer.self":
        return (yield from talk.from_memory())
    keys += ["unknown.self"] * (not places["words"])
    return talk.speak(keys, "says who it is", places)


def surroundings(talk: Talk) -> Answering:
    """Say what is here, whether a thing is, who is here, what it carries, or whom it has met."""
    here, texts = talk.situation, talk.meaning.texts
    known = {"answer.company": talk.others, "answer.carried": [talk.article(one) for one in here.carrying],
             "answer.acquainted": [name for name in talk.mind.known if name != talk.asker][-6:]}  # fmt: skip
    if texts[0] in known:
        have = listed(known[texts[0]])
        return talk.say(texts[:1] if have else texts[1:], "knows what is here", thing=have, person=have)
    if thing := talk.named((*here.items, *here.carrying)):
        key = "answer.thing_here" if thing in here.items else "answer.carried"
        return talk.say((key,), "sees it", thing=talk.article(thing))
    things = listed([talk.article(one) for one in here.items])
    asked = talk.meaning.slots.get("thing") or not things
    if seen := talk.in_sight(talk.asked(talk.topic or talk.meaning.words)) if asked else "":
        return talk.say(("answer.in_view",), "sees it", words=seen)
    keys = ("answer.things",) if things else ("answer.place_words", "answer.nothing_here")
    return talk.say(keys, "looks around", thing=things, words=talk.view())
    yield Recall("")


def _keys(keys: str, found: Callable[[Talk], Answering]) -> dict[str, Callable[[Talk], Answering]]:
    return dict.fromkeys(keys.split(), found)


WAYS: Mapping[str, Callable[[Talk], Answering]] = {
    **_keys("answer.source answer.source_you answer.telling answer.telling_you", source),
    **_keys("answer.person_here answer.seen unknown.unseen", whereabouts),
    **_keys("answer.met answer.met_first answer.met_last answer.first answer.first_you", meeting),
    **_keys("self.know self.stranger", asker),
    **_keys("answer.promise answer.promise_you unknown.promise unknown.promise_you unknown.promise_mine", deeds),
    **_keys("opinion.kind opinion.rude unknown.deed", deeds),
    **_keys("opinion.person opinion.you opinion.thing opinion.place opinion.plain", opinion),
    **_keys("answer.way answer.way_first answer.way_far answer.been answer.exits unknown.way", way),
    **_keys("talk.news reply.no_news reply.been", news),
    **_keys("reply.day reply.day_quiet", day),
    **_keys("answer.quoted answer.quoted_you", spoken),
    **_keys("unknown.said unknown.not_told", spoken),
    **_keys("answer.discreet", confidence),
    **_keys("reply.errand reply.errand_done reply.errand_open", errand),
    **_keys("reply.follow reply.stay reply.wish emote.sing emote.dance emote.greet emote.sit emote.hush", wish),
    **_keys("self.who self.profile self.goal self.wearing answer.self unknown.self", itself),
    **_keys("answer.things answer.carried answer.company answer.acquainted", surroundings),
    **_keys("answer.saw answer.thing_here answer.known answer.looked answer.looks", Talk.from_memory),
}
"""How the questions are answered that these texts answer."""
