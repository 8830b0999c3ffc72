"""What `@why` says to who asks for a line that cannot be."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from agents.agent import Agent
from agents.llm.backends.scripted import ScriptedModel
from agents.mind.traces import Trace
from mud.errors import Refusal, Unavailable
from mud.world.events import Request
from mud.world.roles import Role
from tests.evening.stage import Stage, staged
from tests.houses import House, house, puppet

EVENING = 100
"""Lines of the minds that are asked for."""
TOLD = (
    "the brass key is under the third flowerpot",
    "my sister sells honey in Elm Street",
    "the ferry leaves at nine",
    "Mr Abel keeps bees behind the church",
    "the red boat belongs to Harriet",
    "my grandmother was born in Lisbon",
)
ASKED = (
    "where is the brass key?",
    "who told you?",
    "what does my sister do?",
    "when does the ferry leave?",
    "who keeps bees?",
    "whose is the red boat?",
    "where was my grandmother born?",
    "what did I say about the ferry?",
    "who is Bartholomew?",
    "what do you like about this place?",
    "what is new?",
)
FROM_MEMORY = re.compile(r"answer\.(?:fact|part|told|quoted|near|hearsay|saw|seen|looked|note|source)")
"""Texts that pass on a memory."""


def row(reply: str, word: str) -> list[str]:
    """Return the lines of a row of an explanation."""
    lines = reply.splitlines()
    found = next((at for at, line in enumerate(lines) if line.startswith(f"  {word}  ")), None)
    if found is None:
        return []
    width = len(lines[found]) - len(lines[found][2 + len(word) :].lstrip())
    more = lines[found + 1 :]
    end = next((at for at, line in enumerate(more) if line[:width].strip()), len(more))
    return [line[width:] for line in (lines[found], *more[:end])]


async def explained(home: House, asker: Agent, what: str, role: Role = Role.OWNER) -> str:
    step = await home.ask(asker, f"@why {what}".strip(), role)
    assert not step.failed, step.reply
    return step.reply


async def refused(home: House, asker: Agent, what: str, role: Role = Role.OWNER) -> str:
    step = await home.ask(asker, f"@why {what}".strip(), role)
    assert step.failed, step.reply
    return step.reply


Act = Callable[[str], Awaitable[None]]


async def spoke(home: House, lines: list[str], name: str = "Eliza") -> Agent:
    """Have an agent say lines, one after another."""
    left = iter(lines)
    living = home.living(brains=[puppet(lambda here: next(left))], override="puppet")
    agent = home.agent(name)
    living.begin(agent)
    for _ in lines:
        await living.act(agent, waiting=False)
    return agent


# which line


async def test_alone_it_explains_the_line_that_was_heard_last_whoever_acted_since(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        await spoke(home, ["say The pears are ripe.", "say The bees are out.", "note Bees -> They are out."])
        home.type(ann, "say I see.")
        assert "  say The bees are out.\n" in await explained(home, ann, "")


async def test_a_name_a_number_words_and_a_quotation_name_a_line(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        await spoke(home, ["say The bees are out.", "say The bees sleep.", "say Good night, Ann. | it is late", "look"])
        for what, line in {
            "Eliza": "look",
            "eliza 2": "say Good night, Ann.",
            "Eliza, 4": "say The bees are out.",
            "Eliza bees": "say The bees sleep.",
            "Eliza bees out": "say The bees are out.",
            "Eliza OUT the bees": "say The bees are out.",
            'Eliza says, "The bees are out."': "say The bees are out.",
            '"the bees"': "say The bees sleep.",
            "the bees": "say The bees sleep.",
            "Eliza late": "say Good night, Ann.",
            "3": "say The bees sleep.",
        }.items():
            assert f"\n  {line}\n" in await explained(home, ann, what), what
        assert row(await explained(home, ann, "Eliza 2"), "Reason") == ["it is late"]


async def test_a_memory_names_the_line_that_it_holds_ones_own_or_that_of_who_was_heard(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        eliza = await spoke(home, ["say The bees are out.", "say The bees sleep."])
        heard = next(one for one in ann.memory.tail if "are out" in one.text)
        own = next(one for one in eliza.memory.tail if "are out" in one.text)
        for what in (f"#{heard.seq}", f"ann#{heard.seq}", f"Eliza#{own.seq}"):
            assert "say The bees are out." in await explained(home, ann, what), what
        assert "There is no memory ann#999." in await refused(home, ann, "#999")
        home.type(ann, "say I see.")
        assert "Ann is played by a person" in await refused(home, ann, f"#{heard.seq + 2}")


async def test_of_several_minds_the_newest_line_that_holds_the_words_is_meant(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        await spoke(home, ["say The bees are out."])
        await spoke(home, ["say The bees sleep."], "Moss")
        await spoke(home, ["say Good night."])
        assert (await explained(home, ann, "bees")).startswith("Moss, just now, The Library (step ")
        assert "say The bees are out." in await explained(home, ann, "bees are out")


async def test_words_are_looked_for_among_all_and_only_who_said_them_is_opened(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await spoke(home, ["say The bees are out."])
        await spoke(home, ["say The bees sleep."], "Moss")
        assert home.parts.save() == ""
    async with house(tmp_path) as home:
        ann = home.enter("Ann", "The Kitchen")
        assert home.minds.in_use() == [ann]
        assert (await explained(home, ann, "bees are out")).startswith("Eliza, ")
        assert [one.name for one in home.minds.in_use()] == ["Ann", "Eliza"]


async def test_what_is_not_there_is_said_with_what_is(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        assert "You have heard nobody lately" in await refused(home, ann, "")
        assert await refused(home, ann, "Eliza") == "No line of Eliza is kept."
        await spoke(home, [f"say Pear {number} is ripe." for number in range(12)])
        for what, called in (("Eliza zeppelin", "zeppelin"), ("Eliza 13", "13"), ("Eliza " + "9" * 5000, "9999")):
            told = (await refused(home, ann, what)).splitlines()
            assert told[0].startswith(f'There is no line of Eliza for "{called}')
            assert len(told[0]) < 300
            assert told[2] == "  1. just now: say Pear 11 is ripe."
            assert len(told) == 10
        assert await refused(home, ann, "zeppelin") == 'Nobody here has a line for "zeppelin" that is kept.'
        assert "Ann is played by a person" in await refused(home, ann, "Ann")


async def test_a_line_without_a_trace_is_named_as_such_and_no_other_is_given_for_it(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        eliza = await spoke(home, ["say The bees are out."])
        home.type(eliza, "say I am somebody else.", Role.AGENT)  # as one who plays the agent types
        assert 'Of that line of Eliza nothing is kept: Eliza says, "I am somebody else."' in await refused(
            home, ann, ""
        )
        first, *rest = (await explained(home, ann, "Eliza")).splitlines()
        assert 'What was said last has no trace: "You say, "I am somebody else.""' in first
        assert "  say The bees are out." in rest


# who may ask


async def test_a_mind_and_a_guest_learn_about_themselves_alone(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        eliza = await spoke(home, ["say The bees are out. | nobody knows", "say The bees sleep."])
        moss = home.agent("Moss")
        assert "nobody knows" in await explained(home, eliza, "2", Role.GUEST)
        assert "bees sleep" in await explained(home, eliza, "", Role.GUEST)
        assert "bees are out" in await explained(home, eliza, "bees out", Role.GUEST)
        for asker, role in ((ann, Role.GUEST), (moss, Role.GUEST)):
            for what in ("Eliza", "Eliza bees", "eliza#2"):
                assert (
                    await refused(home, asker, what, role)
                    == "Only the owner of this world may look into another's mind."
                )
        heard = next(one for one in ann.memory.tail if "are out" in one.text)
        assert "nobody knows" not in await refused(home, ann, f"#{heard.seq}", Role.GUEST)
        for what in ("", "3", "bees"):
            assert "Ann is played by a person" in await refused(home, ann, what, Role.GUEST)
            assert await refused(home, moss, what, Role.GUEST) == "No line of Moss is kept."


# what is told


async def test_a_line_of_a_model_is_told_with_its_prompt_its_price_and_what_was_rejected(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        model = ScriptedModel(
            ["say Good morning, Ann.", "say Good morning, Ann.", "<think>hm</think>say The bees are out."]
        )
        living = home.living(model)
        living.answers["think"] = True
        eliza = home.agent("Eliza")
        living.begin(eliza)
        await living.act(eliza, waiting=False)
        await living.act(eliza, waiting=True)
        told = await explained(home, ann, "")
        assert row(told, "Decided by") == ["language: the model's second reply", "a person waited for it"]
        assert row(told, "Asked")[0].startswith("scripted at a, profile think")
        assert told.count("\n  Asked ") == 2
        assert "Good morning" in row(told, "Rejected")[0]
        assert row(told, "Replied") == ["say Good morning, Ann."]
        tokens, *sections = row(told, "Prompt")
        assert re.match(r"\d+ of 8\d+ tokens \(a window of 8192, \d+ kept for the reply\)|\d+ of \d+ tokens", tokens)
        assert {"identity", "transcript", "cue"} <= {line.split()[-1] for line in sections}
        assert row(told, "Left out") == ["nothing"]
        assert re.fullmatch(r"\d+ read, \d+ written", row(told, "Tokens")[0])
        assert "You did this a moment ago" in row(told, "Hint")[0]
        assert "~Eliza>" not in told

        whole = await explained(home, ann, "Eliza full")
        assert "| ~Eliza>" in whole
        assert "| <think>hm</think>say The bees are out." in whole
        prompt = "\n".join(line.partition("| ")[2] for line in row(whole, "Prompt") if "|" in line)
        assert all(line.strip() in model.prompts[1] for line in prompt.splitlines())


async def test_a_turn_that_the_instinct_took_over_says_what_the_model_did_wrong(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        living = home.living(ScriptedModel(["What a fine day it is.", *[Unavailable("it is on fire")] * 20]))
        living.answers["think"] = True
        eliza = home.agent("Eliza")
        living.begin(eliza)
        home.type(ann, "say Good morning, Eliza.")
        step = await living.act(eliza, waiting=True)
        assert step is not None
        told = await explained(home, ann, "Eliza")
        assert row(told, "Decided by")[0].startswith("instinct: ")
        assert "the reply holds no command" in row(told, "Because")[0]
        assert row(told, "Replied") == ["What a fine day it is."]
        assert "Good morning, Eliza." in row(told, "Answers")[0]
        while await living.act(eliza, waiting=False) is None:
            pass
        told = await explained(home, ann, "Eliza")
        assert "on fire" in row(told, "Because")[0]


async def test_an_instinct_that_thinks_because_no_model_answers_says_so(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        home.type(ann, "say Good morning, Eliza.")
        living = home.living()
        living.begin(eliza)
        await living.act(eliza, waiting=False)
        assert row(await explained(home, ann, "Eliza"), "Because") == ["no model answers"]
        living = home.living(override="instinct")
        living.begin(eliza)
        home.type(ann, "say Where are the pears, Eliza?")
        await living.act(eliza, waiting=False)
        assert row(await explained(home, ann, "Eliza"), "Because") == []


async def test_what_the_world_refused_and_what_goes_by_rule_is_told_too(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        eliza = await spoke(home, ["go Atlantis"])
        assert "Atlantis" in row(await explained(home, ann, "Eliza"), "World said")[0]
        living = home.living()
        living.begin(eliza)
        home.type(eliza, "sleep", Role.AGENT)
        home.parts.clock.advance(2 * 3600)  # type: ignore[attr-defined]  # longer than it naps
        living.sleep(eliza)
        told = await explained(home, ann, "Eliza")
        assert "\n  wake\n" in told
        assert row(told, "Decided by")[0].startswith("habit: it is time to wake")


async def test_a_line_of_before_a_restart_is_explained_and_one_of_a_broken_trace_is_refused(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        home.enter("Ann")
        await spoke(home, ["say The bees are out.", "say The bees sleep."])
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        assert "say The bees are out." in await explained(home, ann, "Eliza 2")
        (path,) = (tmp_path / "vault/log/traces/eliza").iterdir()
        path.write_text(path.read_text("utf-8").replace('"name":"Eliza"', '"name":'), "utf-8")
        assert await refused(home, ann, "Eliza") == "What was kept of that line is broken."


# an evening


async def why(stage: Stage, asker: str, what: str) -> str:
    try:
        request = Request("why", asker, 1, {"what": what, "may": "all"})
        return (await stage.parts.answerers.get("why").run(stage.parts.minds, request)).reply
    except Refusal as refusal:
        return f"refused: {refusal.text}"


async def played(stage: Stage) -> None:
    """Play an evening in which a visitor tells and asks two minds, until they have acted often enough."""
    stage.enter("Jonas")
    stage.enter("Anna")
    stage.place("Moss", "The Garden")
    await stage.live(20)
    stage.spoken.clear()
    await stage.type("Anna", "whisper Eliza the safe opens with 4711", 6)
    for number in range(99):
        teller = ("Jonas", "Anna")[number // 7 % 2]
        name = ("Eliza", "Moss")[number // 3 % 2]
        words = ASKED[number % len(ASKED)] if number >= len(TOLD) else TOLD[number]
        await stage.type(teller, f"say {name}, {words}", 8)
        await stage.live(15)
        if len(stage.spoken) >= EVENING:
            return


@pytest.mark.parametrize("seed", [1, 2])
async def test_every_one_of_a_hundred_lines_of_an_evening_is_explained(tmp_path: Path, seed: int) -> None:
    async with staged(tmp_path, seed, walking=False) as stage:
        await played(stage)
        jonas = stage.parts.minds.get("Jonas")
        lines = [(name, line) for _, name, line in stage.spoken][-EVENING:]
        assert len(lines) == EVENING
        asked: dict[str, int] = {}
        from_memory = 0
        for name, line in reversed(lines):
            asked[name] = asked.get(name, 0) + 1
            told = await why(stage, jonas.id, f"{name} {asked[name]} full")
            said, _, reason = line.partition(" | ")
            assert told.splitlines()[1] == f"  {said}"
            assert row(told, "Reason") == ([reason] if reason else [])
            assert (await why(stage, jonas.id, f"{name} {said}")).splitlines()[1] == f"  {said}"
            from_memory += holds(stage, name, told)
        assert from_memory >= 3, "an evening of questions has answers from memory"


def holds(stage: Stage, name: str, told: str) -> bool:
    """Hold an explanation to what the archive says; return whether the line was an answer from memory."""
    agent = stage.mind(name)
    (head,) = [one for one in agent.traces.heads(agent.id) if f"(step {one.step})" in told.splitlines()[0]]
    trace = head.trace()
    brain, _, cause = row(told, "Decided by")[0].partition(": ")
    assert brain == "instinct"
    assert cause
    shown = [*row(told, "Answers"), *row(told, "Rests on")]
    for line in shown:
        if note := re.fullmatch(r'the note "(.+)"', line):
            assert agent.notes.read(note[1]) is not None
            continue
        seq, text = re.findall(r"\[(\d+)\] [^:]+: (.*)", line)[0]
        (entry,) = agent.memory.read(int(seq), int(seq))
        assert text.removesuffix("...") in " ".join(entry.text.split())
    assert len(shown) == bool(trace.answers) + len(trace.cites)
    if trace.answers:
        (heard,) = agent.memory.read(trace.answers, trace.answers)
        assert heard.source < trace.step
        assert heard.actor is not None or heard.kind == "moved"
    for lookup in trace.lookups:
        assert all(set(found.parts) for found in lookup.found)
    if FROM_MEMORY.match(trace.text):
        assert trace.cites, told
        assert shares_words(agent, trace), told
        return True
    return False


def shares_words(agent: Agent, trace: Trace) -> bool:
    """Whether a line passes on words of a memory that it rests on, or names who told it."""
    words = re.findall(r"\w+", (trace.line or "").partition(" | ")[0].casefold())
    runs = {tuple(words[at : at + 3]) for at in range(len(words) - 2)}
    for cite in trace.cites:
        entry = None if cite.startswith("[[") else agent.memory.read(int(cite), int(cite))[0]
        note = agent.notes.read(cite.strip("[]"))
        memory = re.findall(r"\w+", (entry.text if entry else note.text if note else "").casefold())
        if runs & {tuple(memory[at : at + 3]) for at in range(len(memory) - 2)}:
            return True
        named = {"you", (entry.actor or "").casefold() if entry else ""} & set(words)
        if named and trace.text.startswith(("answer.source", "answer.part")):
            return True
    return trace.text.startswith("answer.seen")


@pytest.mark.parametrize("what", ["Eliza 0", "Eliza -1", "0", "-1", "eliza -12"])
async def test_lines_are_counted_from_one(tmp_path: Path, what: str) -> None:
    async with house(tmp_path) as home:
        await spoke(home, ["say On day -1 there were 0 bees and 12 wasps."])
        told = await refused(home, home.enter("Ann"), what)
        assert told.startswith(f"There is no line {what.split()[-1]}: 1 is the last one")


async def test_a_word_with_a_capital_finds_the_newest_line_that_holds_it(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await spoke(home, ["say Hello, Moss.", "say There is nobody in the garden but 3 herons."])
        ann = home.enter("Ann")
        for words in ("Hello", "hello", '"Hello"', "Hello full", "Eliza Hello"):
            assert "Hello, Moss." in await explained(home, ann, words)
        for words in ("Nobody", '"Nobody"', "nobody", "Eliza Nobody"):
            assert "nobody in the garden" in await explained(home, ann, words)


@pytest.mark.parametrize(("what", "told"), [("Nobody 3", '@why "Nobody"'), ("Wren", "no line with that word is kept")])
async def test_a_name_that_nobody_has_is_told_from_words(tmp_path: Path, what: str, told: str) -> None:
    async with house(tmp_path) as home:
        await spoke(home, ["say There is nobody in the garden but 3 herons."])
        refusal = await refused(home, home.enter("Ann"), what)
        assert refusal.startswith(f'There is no agent called "{what.split()[0]}"')
        assert "there is: Corvin, Eliza, Moss and Tamsin." in refusal
        assert told in refusal


async def test_marks_alone_are_no_words(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        await spoke(home, ["say Good evening."])
        assert "???" in await refused(home, home.enter("Ann"), "Eliza ???")


async def test_a_line_that_says_the_words_goes_before_one_that_has_them_in_its_private_reason(tmp_path: Path) -> None:
    only = 'Only the private reason of this line holds "{}".\n'
    async with house(tmp_path) as home:
        said = ["say Do come. | to be kind", "say Out and in.", "look | they come in here", "say Welcome. | I am glad"]
        await spoke(home, said)
        ann = home.enter("Ann")
        for words, line in {
            "come": "say Do come.",
            "in": "say Out and in.",
            "welcome": "say Welcome.",
        }.items():
            for asked in (f"Eliza {words}", f'"{words}"'):
                told = await explained(home, ann, asked)
                assert f"\n  {line}\n" in told
                assert "Only" not in told
        for words, line in {"come in": "look", "glad": "say Welcome."}.items():
            told = await explained(home, ann, f"Eliza {words}")
            assert f"\n  {line}\n" in told
            assert told.startswith(only.format(words))
        assert "Only" not in await explained(home, ann, "Eliza glad welcome")
        assert 'There is no line of Eliza for "com"' in await refused(home, ann, "Eliza com")
