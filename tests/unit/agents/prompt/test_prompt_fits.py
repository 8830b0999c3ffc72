"""The prompt as a contract: never over its window, whoever counts; what must be there is, and what is not is listed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.llm.tokens import at_most, estimate
from agents.prompt.prompt import (
    MINIMUM,
    TEMPLATES,
    Experience,
    Prompt,
    PromptParts,
    Template,
    build_prompt,
    parse_template,
)
from tests.examples import examples
from tests.live_server import LiveServer, live_server
from tests.scripts import SCRIPTS

__all__ = ["live_server"]

WINDOWS = (512, 131_072)


def shipped(order: str) -> Template:
    path = Path("vault/prompts") / TEMPLATES[order]
    return parse_template(path.read_text("utf-8"), f"prompts/{path.name}")


SHIPPED = {order: shipped(order) for order in TEMPLATES}


def most(text: str) -> int:
    """Count as no tokenizer can exceed that works on bytes: each of them a token. Shares nothing with the program."""
    return len(text.encode("utf-8", "surrogatepass"))


def words(text: str) -> int:
    """Count as a coarse tokenizer might: a token a word."""
    return len(text.split())


texts = st.text(max_size=200) | st.sampled_from(sorted(SCRIPTS.values())) | st.text("abc äß 你 1.\n", max_size=1500)
huge = st.builds(lambda text, times: (text + " ") * times, texts, st.sampled_from((0, 1, 1, 40, 3000)))
few = st.lists(texts, max_size=5).map(tuple)
pairs = st.lists(st.tuples(st.text(max_size=40), huge), max_size=5).map(tuple)
names = st.sampled_from(
    ("Eliza", "Ann of the Third Stone by the Culvert", "钥匙在第三块石头下面", "Բարի", "😀" * 60, "~x>")
)


def many(line: str, times: int) -> tuple[str, ...]:
    return tuple(f"{line} {number}" for number in range(times))


def life(lines: tuple[str, ...], longterm: str, recent: str, rest: PromptParts) -> PromptParts:
    """Return parts whose ranges belong together: summaries first, then what is told word for word."""
    recent_range = (66, 129) if recent else None
    shown = (130, 129 + len(lines)) if lines else None
    return PromptParts(
        **{name: getattr(rest, name) for name in PromptParts.__slots__}
        | {
            "transcript": lines,
            "longterm": longterm,
            "recent": recent,
            "recent_range": recent_range,
            "transcript_range": shown,
        }
    )


rests = st.builds(
    PromptParts,
    name=names,
    profile=huge,
    commands=pairs,
    notes=pairs,
    experiences=st.lists(st.builds(Experience, huge, st.just((5, 9))), max_size=3).map(tuple),
    hints=st.lists(huge, max_size=4).map(tuple),
    location=texts,
    description=huge,
    exits=few,
    people=few,
    items=few | st.builds(many, st.just("thing"), st.just(2000)),
    carried=few | st.builds(many, st.just("thing"), st.just(2000)),
    now=texts,
    passed=st.just(()) | st.builds(many, st.just("Hours later"), st.just(5000)),
    hidden=st.none() | st.just((1, 129)),
    notes_crowded_out=st.integers(0, 2),
    experiences_crowded_out=st.integers(0, 2),
)
lives = st.builds(
    life,
    st.lists(huge, max_size=12).map(tuple) | st.builds(many, texts, st.sampled_from((60, 700, 5000))),
    huge,
    huge,
    rests,
)
windows = st.sampled_from(WINDOWS) | st.integers(512, 4096) | st.integers(*WINDOWS)
rooms = windows.flatmap(lambda window: st.tuples(st.just(window), st.integers(1, window - MINIMUM)))


@settings(max_examples=examples(80), suppress_health_check=list(HealthCheck))
@given(lives, st.sampled_from(sorted(TEMPLATES)), rooms, st.sampled_from((at_most, estimate, most, words)))
def test_a_prompt_is_never_over_its_window_has_what_it_must_and_lists_what_it_sheds(
    parts: PromptParts, order: str, room: tuple[int, int], count: object
) -> None:
    assert callable(count)
    window, reserve = room
    prompt = build_prompt(parts, SHIPPED[order], window=window, reserve=reserve, count=count)
    assert count(prompt.text) == prompt.tokens <= window - reserve
    assert prompt.text.startswith("You are ")
    cue = next(one.text for one in reversed(prompt.sections) if one.name == "cue")
    assert prompt.text.endswith(f"\n{cue}") or prompt.text == cue
    assert parts.name.startswith(cue.removeprefix("~").removesuffix(">"))
    assert len(cue) > len("~>")
    assert newest_is_there(parts, prompt)
    assert list(unlisted(parts, prompt)) == []
    assert list(out_of_order(parts, prompt)) == []


def set_in(line: str) -> str:
    return "\n  ".join(line.rstrip().splitlines())


def newest_is_there(parts: PromptParts, prompt: Prompt) -> bool:
    """Whether the last line of the transcript is the newest memory, or at least twelve signs of its beginning."""
    newest = set_in(parts.transcript[-1]) if parts.transcript else ""
    if not newest.strip():
        return True
    told = next(one.text for one in prompt.sections if one.name == "transcript").removesuffix("\n---")
    if told.endswith(newest):
        return True
    _, mark, rest = told.rpartition(newest[:11].rstrip())
    return bool(mark) and told.endswith("…") and newest.startswith((mark + rest).removesuffix("…").rstrip())


KINDS = (
    "related text",
    "related note",
    "related experience",
    "hint",
    "oldest line",
    "summary of older memories",
    "summary of the recent past",
    "what the commands do",
    "the commands",
    "who and where one is after",
    "texts after",
)


SUMMARIES = {"longterm", "recent"}
INSTEAD = {
    "oldest line": {"texts after"},
    "what the commands do": {"the commands"},
    "texts after": {"who and where one is after"},
}
"""What else may be listed for what is gone."""


def listed(prompt: Prompt) -> set[str]:
    """Return which kinds of thing a prompt says were left out."""
    return {kind for kind in KINDS for shed in prompt.shed if shed.lstrip("0123456789 ").startswith(kind)}


def flat(text: str) -> str:
    return " ".join(text.split())


def unlisted(parts: PromptParts, prompt: Prompt) -> Iterator[str]:
    """Yield what is neither in a prompt nor listed as left out."""
    text, shed = flat(prompt.text), listed(prompt)
    own = [("related note", f"- {title}: {flat(note)}") for title, note in parts.notes]
    own += [("hint", flat(hint)) for hint in parts.hints]
    own += [("oldest line", set_in(line)) for line in parts.transcript]
    own += [("summary of older memories", parts.longterm), ("summary of the recent past", parts.recent)]
    own += [("what the commands do", f"{usage}: {summary}") for usage, summary in parts.commands]
    own += [("the commands", f"- {usage}") for usage, _ in parts.commands]
    own += [("texts after", one) for one in (parts.name, parts.profile, parts.location, parts.description, parts.now)]
    own += [("texts after", ", ".join(some)) for some in (parts.exits, parts.people, parts.items, parts.carried)]
    for kind, words in own:
        instead = INSTEAD.get(kind, set())
        if flat(words) not in text and not shed & {kind, *instead}:
            yield f"{kind}: {words[:60]!r} is gone, and only {prompt.shed} is listed"


def out_of_order(parts: PromptParts, prompt: Prompt) -> Iterator[str]:
    """Yield what was left out although something that goes before it is still there."""
    shed, there = listed(prompt), {one.name for one in prompt.sections}
    goes_after = {
        "hint": {"notes", "experiences"},
        "oldest line": {"notes", "experiences", "hints"},
        "summary of older memories": {"notes", "experiences", "hints"},
        "summary of the recent past": {"notes", "experiences", "hints", "longterm"},
        "texts after": {"notes", "experiences", "hints"},
        "the commands": {"notes", "experiences", "hints"},
    }
    for kind in shed & set(goes_after):
        yield from (f"{before} stays, {kind} went" for before in there & goes_after[kind])
    if shed & {"texts after", "the commands"} and "oldest line" in shed:
        yield from (f"{summary} stays, though lines and what goes after it went" for summary in there & SUMMARIES)


@pytest.mark.parametrize("script", SCRIPTS)
def test_no_text_takes_more_tokens_of_a_real_model_than_are_counted(script: str, live_server: LiveServer) -> None:
    text = SCRIPTS[script]
    for one in (text, text * 7, f"{text}\n" * 3, f'Ann says, "{text}"'):
        assert live_server.tokens(one) <= at_most(one), one


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(rests, rests, st.lists(huge, max_size=12).map(tuple), st.lists(texts, min_size=1, max_size=8).map(tuple))
def test_between_two_folds_the_prompt_only_grows_at_the_end_of_its_transcript(
    before: PromptParts, after: PromptParts, lived: tuple[str, ...], arriving: tuple[str, ...]
) -> None:
    same = ("name", "profile", "commands", "hidden")
    before = replace(before, passed=(), transcript=("You wake.", *lived))
    after = replace(after, passed=(), **{one: getattr(before, one) for one in same})
    old, new = (
        build_prompt(one, SHIPPED["stable"], window=1 << 24, reserve=96, count=estimate)
        for one in (before, replace(after, transcript=(*before.transcript, *arriving)))
    )
    at = next(at for at, section in enumerate(old.sections) if section.name == "transcript")
    stable = "\n\n".join(section.text for section in old.sections[: at + 1]).removesuffix("\n---")
    assert new.text.startswith(stable)
    assert old.text.startswith(stable)


def evening(script: str, lines: int) -> PromptParts:
    told = SCRIPTS[script]
    return PromptParts(
        name=told.split()[0][:20],
        profile=told * 3,
        commands=(("say <words>", "Say something."), ("go <way>", told)),
        longterm=told * 4,
        recent=told * 4,
        transcript=tuple(f'Ann says, "{told} {number}"' for number in range(lines)),
        notes=((told[:20], told),),
        hints=(told,),
        location=told[:30],
        description=told * 2,
        exits=("north", told[:20]),
        people=("Ann", told[:20]),
        recent_range=(66, 129),
        transcript_range=(130, 129 + lines),
    )


@pytest.mark.parametrize("window", [512, 700, 1024, 2048, 8192])
def test_the_real_tokenizer_agrees_that_a_prompt_fits_in_any_script(window: int, live_server: LiveServer) -> None:
    for number, script in enumerate(SCRIPTS):
        order, reserve = sorted(TEMPLATES)[number % 2], 96
        prompt = build_prompt(evening(script, 400), SHIPPED[order], window=window, reserve=reserve, count=at_most)
        assert live_server.tokens(prompt.text) <= window - reserve, script
        assert any("oldest line" in shed for shed in prompt.shed), script


def test_the_real_tokenizer_agrees_that_the_longest_prompt_fits(live_server: LiveServer) -> None:
    mixed = evening("English", 9000)
    lines = tuple(
        f"{line} {list(SCRIPTS.values())[number % len(SCRIPTS)]}" for number, line in enumerate(mixed.transcript)
    )
    parts = life(lines, mixed.longterm, mixed.recent, mixed)
    prompt = build_prompt(parts, SHIPPED["stable"], window=WINDOWS[1], reserve=2000, count=at_most)
    assert live_server.tokens(prompt.text) <= WINDOWS[1] - 2000
    assert any("oldest line" in shed for shed in prompt.shed)


def test_of_the_newest_line_more_is_kept_than_of_what_stands_around_it() -> None:
    question = "Ann asks, " + "where is the key of my grandmother's desk, and who had it last, " * 3
    parts = PromptParts("Eliza", "Kind. " * 900, transcript=(question,), description="Bare. " * 900)
    prompt = build_prompt(parts, SHIPPED["stable"], window=512, reserve=200, count=most)
    (told,) = [one.text for one in prompt.sections if one.name == "transcript"]
    (who,) = [one.text for one in prompt.sections if one.name == "identity"]
    assert len(told) > 2 * len(who)
