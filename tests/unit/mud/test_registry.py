"""Names, what is near a wrong one, and the one plug-in pattern."""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.commands import Command
from mud.errors import UnknownName
from mud.registry import LazyRegistry, Registry, collect, hint, load, modules, plug_in_names, suggest
from tests.disks import open_files_left


@dataclass(frozen=True)
class Tool:
    name: str
    aliases: tuple[str, ...] = ()
    weight: int = 0


def test_a_value_is_found_by_name_and_alias_in_any_case() -> None:
    look = Tool("look", ("l",))
    registry = Registry("tool", [look])
    assert registry.get("LOOK") is look
    assert registry.find("L") is look
    assert "Look" in registry
    assert "lock" not in registry
    assert 5 not in registry
    assert registry.words() == ["l", "look"]


def test_a_wrong_name_is_told_what_there_is_and_what_is_near() -> None:
    registry = Registry("tool", [Tool("hammer"), Tool("saw")])
    with pytest.raises(UnknownName, match=r"no tool 'hamer'; there is: hammer, saw; did you mean hammer\?"):
        registry.get("hamer")


@pytest.mark.parametrize(
    "values",
    [
        [Tool("look"), Tool("look", weight=1)],
        [Tool("look", ("l",)), Tool("list", ("L",))],
        [Tool("look"), Tool("see", ("LOOK",))],
    ],
)
def test_two_values_never_answer_to_one_name(values: list[Tool]) -> None:
    with pytest.raises(ValueError, match="two tools"):
        Registry("tool", values)


def test_joining_makes_a_new_registry_and_the_same_value_twice_is_one() -> None:
    first = Registry("tool", [Tool("look")])
    both = first.joined([Tool("look"), Tool("go")])
    assert both.names() == ["go", "look"]
    assert first.names() == ["look"]
    assert len(both) == 2


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("lok", "look"),
        ("lokk", "look"),
        ("sya", "say"),
        ("LOKO", "look"),
        ("examin", "examine"),
        ("inventroy", "inventory"),
    ],
)
def test_a_slip_of_the_finger_is_understood(typed: str, meant: str) -> None:
    assert suggest(typed, ["look", "say", "go", "examine", "inventory", "i"]) == meant


@pytest.mark.parametrize("typed", ["ok", "the", "yes", "hello", "", "a", "talk", "xyzzy", "them"])
def test_a_word_that_is_merely_similar_suggests_nothing(typed: str) -> None:
    assert suggest(typed, ["look", "say", "take", "examine", "i", "themes"]) is None


def test_a_suggestion_is_written_as_the_choice_is() -> None:
    assert suggest("the gardn", ["The Garden", "The Library"]) == "The Garden"


@given(st.text(max_size=12), st.lists(st.text(max_size=12)))
def test_a_suggestion_is_always_one_of_the_choices_and_a_choice_suggests_one_like_itself(
    typed: str, choices: list[str]
) -> None:
    found = suggest(typed, choices)
    assert found is None or found in choices
    if typed in choices and len(typed) > 4 and typed.casefold() == typed:
        assert found is not None
        assert found.casefold() == typed


def test_the_loader_finds_every_module_of_a_folder_but_its_machinery() -> None:
    folder = Path(importlib.import_module("mud.commands").__file__ or "").parent
    files = sorted(f"mud.commands.{path.stem}" for path in folder.glob("*.py") if not path.stem.startswith("_"))
    assert [getattr(module, "__name__", "") for module in modules("mud.commands")] == files
    assert any(info.name.startswith("_") for info in pkgutil.iter_modules([str(folder)]))


def test_a_folder_that_cannot_be_listed_is_an_error_and_not_an_empty_one() -> None:
    with open_files_left(0), pytest.raises(OSError, match="Too many open files"):
        plug_in_names("mud.commands")
    registry = load("mud.commands", Command, "command")
    with open_files_left(0), pytest.raises(OSError, match="Too many open files"):
        registry.get("look")
    assert registry.get("look").name == "look"  # it is asked again


def test_every_plug_in_is_collected_once_and_in_the_same_order_each_time() -> None:
    first, second = collect("mud.commands", Command), collect("mud.commands", Command)
    assert [one.name for one in first] == [one.name for one in second]
    assert len({one.name for one in first}) == len(first)
    assert len(load("mud.commands", Command, "command")) == len(first)


def test_a_lazy_registry_loads_its_values_once_and_only_when_one_is_asked_for() -> None:
    loaded: list[str] = []

    def values() -> list[Tool]:
        loaded.append("now")
        return [Tool("look", ("l",)), Tool("take")]

    registry = LazyRegistry("command", values)
    assert registry.kind == "command"
    assert not loaded
    assert registry.get("L").name == "look"
    assert registry.names() == ["look", "take"]
    assert loaded == ["now"]


def test_a_lazy_registry_is_like_any_other_and_knows_nothing_else() -> None:
    registry = LazyRegistry("command", lambda: [Tool("look")])
    assert "LOOK" in registry
    with pytest.raises(UnknownName, match="did you mean look"):
        registry.get("lok")
    with pytest.raises(AttributeError):
        registry.nothing  # noqa: B018


def test_a_lazy_registry_is_whole_for_every_thread_that_asks_while_it_is_loaded() -> None:
    loading, go_on = threading.Event(), threading.Event()

    def values() -> Iterator[Tool]:
        yield Tool("look")
        loading.set()
        go_on.wait(10)
        yield Tool("take")

    registry = LazyRegistry("command", values)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(registry.names)
        loading.wait(10)
        second = pool.submit(registry.names)
        go_on.set()
        assert first.result() == second.result() == ["look", "take"]


def test_a_hint_ends_a_message_with_the_nearest_choice_in_its_own_form_or_with_nothing() -> None:
    assert hint("loo", ["look", "go"]) == "; did you mean look?"
    assert hint("LOOKS", ["look"], "{}.md".format) == "; did you mean look.md?"
    assert hint("garden", ["look"]) == ""
