from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agents.definition import AgentDefinition, check_name, find_location, misplaced
from mud.errors import Problem, Refusal
from mud.server.checks import (
    FAMILIES,
    SCHEMAS,
    check_files,
    check_names,
    check_profiles,
    check_texts,
    check_vault,
    load_phrases,
    names_said,
    unknown_styles,
)
from mud.server.wiring import opened
from mud.storage.configuration import Configuration
from mud.storage.paths import SHIPPED
from mud.storage.settings import Scalar, Value
from mud.storage.texts import TextStore
from tests.houses import house
from tests.settings import put
from tests.unit.mud.server.stage import edited
from tests.vaults import copy_vault
from tests.worlds import GARDEN, LOBBY, LOCATIONS

ELIZA = AgentDefinition("eliza", "#2001", "Eliza", location="[[Atlantis]]", lines={"location": 4, "voice": 5})


def test_a_location_is_meant_by_link_name_alias_or_id() -> None:
    for wanted in ("[[The Garden]]", "the garden", "garden", "sundial court", GARDEN, f"[[{GARDEN}]]", f" {GARDEN} "):
        found = find_location(wanted, LOCATIONS)
        assert found is not None
        assert found.id == GARDEN, wanted
    assert find_location("[[The Lobby|hall]]", LOCATIONS) == next(one for one in LOCATIONS if one.id == LOBBY)
    for wanted in ("", "gard", "[[]]"):
        assert find_location(wanted, LOCATIONS) is None


def test_a_vault_without_profiles_voices_and_locations_says_that_there_is_none(tmp_path: Path) -> None:
    configuration, texts = Configuration(tmp_path, SCHEMAS, FAMILIES), TextStore(tmp_path / "text")
    told = [str(problem) for problem in check_names(configuration, texts, [ELIZA], ())]
    assert told == [
        "config/thinking.md: think_profile: there is no 'think', and whoever thinks with it lives by instinct; "
        "there is none",
        "config/memory_compaction.md: profile: there is no 'summarizer', and summaries are written by rules; "
        "there is none",
        "agents/eliza/agent.md:5: voice: there are no texts for 'default'; there is none",
    ]


def test_a_prompt_style_that_is_not_there_is_named_where_it_is_set(tmp_path: Path) -> None:
    configuration = Configuration(tmp_path, SCHEMAS, FAMILIES)
    value = Value("prompt_style", "narative", "agents/eliza/agent.md", 6)
    eliza = replace(ELIZA, overrides={"prompt_style": value})
    told = [str(problem) for problem in unknown_styles(configuration, ["narrative", "sections"], [eliza])]
    assert told == [
        "config/memory_compaction.md: prompt_style: there is no 'base_v2'; expected one of narrative, sections",
        "agents/eliza/agent.md:6: prompt_style: there is no 'narative'; expected one of narrative, sections; "
        "did you mean narrative?",
    ]
    assert unknown_styles(configuration, ["base_v2"], [ELIZA]) == []


@pytest.mark.parametrize(
    ("said", "line"),
    [("**max_tokens**: 8192\n", 2), ("**num_ctx**: 512\n\n**max_tokens**: 400\n", 4), ("**max_tokens**: 7937\n", 2)],
)
def test_a_profile_whose_replies_leave_no_room_for_a_prompt_is_told(tmp_path: Path, said: str, line: int) -> None:
    (problem,) = profiles_of(tmp_path, "dream", said)
    assert (problem.file, problem.line, problem.key) == ("config/llm/dream.md", line, "max_tokens")
    assert problem.message.endswith("lower max_tokens or raise num_ctx")


def test_a_profile_with_room_is_in_order_and_vectors_have_no_replies(tmp_path: Path) -> None:
    assert profiles_of(tmp_path, "dream", "**max_tokens**: 7936\n") == []
    assert profiles_of(tmp_path, "dream", "**max_tokens**: many\n") == []
    assert profiles_of(tmp_path, "embed", "**num_ctx**: 512\n\n**max_tokens**: 512\n") == []


def profiles_of(folder: Path, name: str, said: str) -> list[Problem]:
    """Return what is wrong with a vault's profiles when one says this."""
    file = folder / "config" / "llm" / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"# {name}\n{said}")
    configuration = Configuration(folder, SCHEMAS, FAMILIES)
    configuration.load()
    return list(check_profiles(configuration))


def test_who_is_put_nowhere_is_told_where_there_is() -> None:
    problem = misplaced(AgentDefinition("eliza", "#2001", "Eliza", location="[[The Gardn]]"), LOCATIONS)
    assert "there is no location '[[The Gardn]]'; expected one of " in problem.message
    assert problem.message.endswith("; did you mean The Garden?")


def test_a_person_is_put_nowhere_and_that_is_right(tmp_path: Path) -> None:
    configuration, texts = Configuration(tmp_path, SCHEMAS, FAMILIES), TextStore(tmp_path / "text")
    person = AgentDefinition("ann", "#3001", "Ann", person=True)
    assert "location" not in {one.key for one in check_names(configuration, texts, [person], LOCATIONS)}


def unreachable(tmp_path: Path, think: str, **compaction: Scalar) -> list[str]:
    vault = copy_vault(tmp_path)
    put(vault, "memory_compaction", **compaction)
    (vault / "config/llm/think.md").write_text(think)
    with opened(vault, writable=False) as parts:
        return [str(problem) for problem in parts.problems]


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"strategy": "layered", "threshold_tokens": 12_000}, "threshold_tokens"),
        ({"strategy": "waterfall", "immediate_window": 2000}, "immediate_window"),
        ({"strategy": "hybrid", "hybrid_entries": 5000}, "hybrid_entries"),
        ({"strategy": "sleep", "emergency_threshold": 1.0}, "emergency_threshold"),
        (
            {"strategy": "entry_summary", "max_chars_before_compaction": 90_000, "max_entries_before_compaction": 2000},
            "max_entries_before_compaction",
        ),
    ],
)
def test_a_threshold_that_the_window_cannot_reach_is_told_with_its_line(
    tmp_path: Path, values: dict[str, Scalar], key: str
) -> None:
    (told,) = unreachable(tmp_path, "**num_ctx**: 8192\n", **values)
    shown = (tmp_path / "vault/config/memory_compaction.md").read_text().splitlines()
    line = next(number for number, text in enumerate(shown, 1) if text.startswith(f"**{key}**"))
    assert told.startswith(f"config/memory_compaction.md:{line}: {key}: {values['strategy']} waits for ")


def test_in_a_window_that_holds_it_a_threshold_is_no_mistake(tmp_path: Path) -> None:
    assert unreachable(tmp_path, "**num_ctx**: 16384\n", strategy="layered", threshold_tokens=12_000) == []


def voices(folder: Path, **told: str) -> TextStore:
    """Return the texts of a vault whose voices say this of who they are."""
    for name, text in told.items():
        file = folder / "text" / "instinct" / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {name}\n\n## self\n\n**who**: {text}\n\n## ack\n\n**plain**: Yes, says Gerda.\n")
    texts = TextStore(folder / "text")
    assert texts.load() == []
    return texts


def test_a_voice_that_says_a_name_of_its_own_is_named_with_file_and_line(tmp_path: Path) -> None:
    texts = voices(
        tmp_path, eliza="I am Eliza, {name}.", moss="Moss grows on one, and Gerda knows.", plain="I am {me}."
    )
    gerda, ann = (
        AgentDefinition("gerda", "#2001", "Gerda", voice="eliza"),
        AgentDefinition("ann", "#3001", "Ann", person=True),
    )
    told = [str(problem) for problem in names_said(texts, [gerda, ann])]
    assert [line.split(",")[0] for line in told] == [
        "text/instinct/eliza.md:9: ack.plain: it says the name Gerda",
        "text/instinct/eliza.md:5: self.who: it says the name Eliza",
        "text/instinct/moss.md:5: self.who: it says the name Gerda",
    ]
    assert told[1].endswith("; expected {me}: I am Eliza, {name}.")


def test_check_names_a_voice_with_a_name_of_its_own(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    path = vault / "text/instinct/eliza.md"
    path.write_text(path.read_text("utf-8").replace("- I am {me}. I ask", "- I am Eliza. I ask"), "utf-8")
    with opened(vault, writable=False) as parts:
        (problem,) = parts.problems
    assert (problem.file, problem.key) == ("text/instinct/eliza.md", "self.who")


def test_a_file_of_the_ledger_whose_number_is_out_of_bounds_is_told(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    file = "log/ledger-99999999999999999999999.jsonl"
    (vault / "log").mkdir()
    (vault / file).write_text("{}\n")
    (vault / "log/ledger-0000000001.jsonl").write_text("")
    message = "its number is none that a step may have; expected 10 to 16 digits, 100,000,000,000 at most"
    expected = [Problem(file, 0, "", message)]
    assert [one for one in check_files(vault) if one.file.startswith("log/")] == expected
    assert [one for one in check_vault(vault) if one.file.startswith("log/")] == expected


@pytest.mark.parametrize("name", ["{name}", "a}", "-x", "--vault"])
def test_a_name_that_a_text_or_the_command_line_would_take_otherwise_is_none(name: str) -> None:
    with pytest.raises(Refusal, match="may not begin with # or - nor hold any of"):
        check_name(name)


def test_the_shipped_words_fit_what_the_program_says() -> None:
    phrases = load_phrases()
    assert len({one.key for one in phrases}) == len(phrases) > 50
    assert {"app.save.saved", "commands.say.said", "minds.think.thought", "engine.events.enters"} <= {
        one.key for one in phrases
    }


def test_missing_unused_and_wrong_words_are_named_with_file_and_line(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    path = vault / "text/app.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("**saved**: Saved; step {step}", "**saved_**: Saved; step {step}"), encoding="utf-8")
    store = TextStore(vault / "text")
    assert store.load() == []
    told = {problem.key: problem for problem in check_texts(store)}
    assert set(told) == {"app.save.saved", "app.save.saved_"}
    assert told["app.save.saved_"].line > 1


def without(vault: Path, *keys: str) -> None:
    """Leave words out of a vault, as one from before they were needed has none."""
    for path in (vault / "text").glob("*.md"):
        lines = path.read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if not line.startswith(tuple(f"**{key}**:" for key in keys))]
        path.write_text("\n".join(kept) + "\n", encoding="utf-8")


async def test_an_older_vault_is_lent_the_words_it_lacks_and_its_owner_told_where_they_stand(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    without(vault, "neither", "goodbye")
    async with edited(tmp_path) as on:
        texts = on.home.parts.texts
        first, second = check_texts(texts)
        assert (first.file, second.file) == ("text/commands.md", "text/minds.md")
        assert "no words for commands.quit.goodbye; those that came with the program are used" in first.message
        assert second.message.endswith(f"copy them from {SHIPPED / 'text/minds.md'}")
        assert "keeps your shape" in on.home.type(on.home.enter("Ann"), "quit").reply
        on.replace("text/minds.md", "You think, ", "You muse, ")
        on.write("text/commands.md", "")
        assert on.told == []
        assert texts.variants("minds.think.thought") == ('You muse, "{words}"',)
        assert texts.variants("commands.say.said")
        on.replace("text/minds.md", "**thought**:", "**thougth**:")
        assert any("minds.think.thought" in line for line in on.told)
        assert texts.variants("minds.think.thought")


def test_the_words_of_minds_are_checked_too(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    path = vault / "text/instinct/default.md"
    lines = path.read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("**"))
    lines[at] = lines[at].replace("**", "**qqq_", 1)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    store = TextStore(vault / "text")
    store.load()
    told = check_texts(store)
    assert told
    assert all(problem.file.startswith("text") for problem in told)


@pytest.mark.parametrize(
    ("place", "bare", "name"),
    [("The Towpath", "Margery", "Margery the heron"), ("The Roofless Hall", "Simonides", "Simonides the cat")],
)
async def test_an_animal_is_told_as_one_and_answers_to_its_bare_name(
    tmp_path: Path, place: str, bare: str, name: str
) -> None:
    async with house(tmp_path) as home:
        ann, ben = home.enter("Ann", place), home.enter("Ben", "The Garden")
        assert name in home.type(ann, "look").reply
        assert f"{name}, in {place}" in home.type(ann, "who").reply
        for called in (bare, bare.lower(), name):
            assert home.type(ann, f"examine {called}").reply.startswith(f"{name}: ")
        assert home.type(ann, f"'{bare}, hello").reply == f'You say, "{bare}, hello"'
        assert home.type(ann, f"whisper {bare} hello").reply == f'You whisper to {name}, "hello"'
        assert f"({name} is not here; " in home.type(ben, f"'hello {bare}").reply


def test_a_rule_for_a_weather_that_never_comes_is_told_once_there_is_weather(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    barrel = vault / "world/items/rain barrel.md"
    barrel.write_text(
        '---\nid: "#2901"\nlocation: "[[The Garden]]"\n---\n# rain barrel\n\nIt is full.\n\n## Rules\n\n'
        "- when rainny begins: it becomes full\n- when night begins: it becomes cold\n"
    )
    assert check_files(vault) == []
    put(vault, "world", weather="clear 3, rainy 1")
    [wrong] = check_files(vault)
    assert (wrong.file, wrong.line) == ("world/items/rain barrel.md", 11)
    assert "did you mean rainy?" in wrong.message
