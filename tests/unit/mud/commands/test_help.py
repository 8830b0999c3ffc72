"""Help, made from the commands."""

from __future__ import annotations

import pytest

from mud.commands._command import CATEGORIES
from mud.server.wiring import load_commands
from mud.world.roles import Role
from tests.worlds import commands, do, make_engine, refused


def test_help_shows_ten_things_to_do() -> None:
    engine = make_engine(registry=load_commands())
    first, *rows, rest = do(engine, "help").reply.split("\n")
    assert first.startswith("Things to begin with")
    assert len(rows) == 10
    assert all(row.startswith("  ") for row in rows)
    assert rest.startswith("help all lists the rest")
    guests = do(engine, "help", role=Role.AGENT).reply
    assert "  look [name]" in guests
    assert "  quit" not in guests


def test_help_all_names_every_command_that_one_may_use_and_no_other() -> None:
    for role in Role:
        reply = do(make_engine(), "help all", role=role).reply
        for one in commands():
            may = role >= one.role and (one.for_models or role is not Role.AGENT)
            assert (f"  {one.usage} " in reply or f"  {one.usage}\n" in reply) == may, one.name


def test_every_command_has_a_page_with_its_examples() -> None:
    for one in commands():
        page = do(make_engine(), f"help {one.name}").reply
        assert page.startswith(one.usage)
        assert one.summary in page
        assert all(f"Example: {example}" in page for example in one.examples)


def test_the_page_of_an_owners_command_says_so() -> None:
    assert "Only the owner" in do(make_engine(), "help @save").reply
    assert "Also: l" in do(make_engine(), "? look").reply


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_section_has_a_page_when_there_is_something_in_it(category: str) -> None:
    filled = any(one.category == category for one in commands())
    step = make_engine().step("#3001", f"help {category.upper()}", Role.OWNER)
    assert step.failed != filled
    assert step.reply


def test_a_section_without_anything_one_may_use_is_refused_and_never_empty() -> None:
    assert refused(make_engine(), "help admin", role=Role.AGENT).reply.startswith('There is no help on "admin".')


def test_help_on_a_wrong_name_suggests_the_nearest() -> None:
    assert refused(make_engine(), "help examin").reply == 'There is no help on "examin". (did you mean examine?)'


def test_where_no_name_is_near_help_says_what_lists_all() -> None:
    assert refused(make_engine(), "help dance").reply == 'There is no help on "dance". (help all lists every command)'
    assert len(refused(make_engine(), "help " + "x" * 5000).reply) < 200


def test_the_list_of_commands_is_a_line_for_each_section() -> None:
    reply = do(make_engine(), "commands", role=Role.GUEST).reply
    assert "social: say, whisper, emote" in reply
    assert "@save" not in reply
