from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agents.definition import write_definition
from mud.command_line import main
from mud.server.wiring import opened
from mud.storage.documents import replace_key
from mud.storage.files import lock_vault
from tests.vaults import copy_vault, without_vectors


def test_the_object_tells_the_window_the_tokens_and_every_section(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    assert main(["prompt", "eliza", "--json", "--vault", str(vault)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert list(record) == ["agent", "window", "reply_reserve", "tokens", "text", "sections", "shed"]
    assert record["agent"] == "Eliza"
    assert record["tokens"] <= record["window"] - record["reply_reserve"]
    assert all(set(one) == {"name", "tokens", "text"} for one in record["sections"])
    assert record["shed"] == []
    assert main(["prompt", "eliza", "--vault", str(vault)]) == 0
    assert capsys.readouterr().out == record["text"] + "\n"


def test_half_a_character_in_a_profile_is_no_trouble(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    profile = vault / "agents" / "eliza" / "agent.md"
    profile.write_text(replace_key(profile.read_text(), "goal", "find \ud83d and \ud83d\ude00"))
    assert "\\ud83d" in profile.read_text()
    assert main(["check", "--vault", str(vault)]) == 0
    assert main(["prompt", "eliza", "--vault", str(vault)]) == 0
    assert "find ? and \U0001f600" in capsys.readouterr().out


def test_a_sign_that_the_terminal_has_not_ends_no_command(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    profile = vault / "agents" / "eliza" / "agent.md"
    profile.write_text(replace_key(profile.read_text(), "goal", "find \U0001f600"))
    command = [sys.executable, "-m", "mud", "prompt", "eliza", "--vault", str(vault)]
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}, check=True)
    assert b"find \\U0001f600" in done.stdout


def test_one_who_has_left_has_a_prompt_and_a_vault_that_cannot_be_locked_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    with opened(vault, writable=True) as parts:
        slug = write_definition(vault / "agents", "Ann", parts.engine.world.new_id(), person=True)
        assert parts.minds.load_definition(slug) == []
        ann = parts.minds.open(slug).definition.thing()
        parts.engine.enter(ann, parts.engine.world.locations()[0].id)
        parts.engine.leave(ann)
        parts.save()
    (vault / ".lock").unlink()
    (vault / ".lock").mkdir()
    assert main(["prompt", "ann", "--vault", str(vault)]) == 0
    said = capsys.readouterr()
    assert said.out.endswith("~Ann>\n")
    assert "the vault cannot be written to (.lock: this is no ordinary file;" in said.err
    assert ": related notes and experiences are found by words alone" in said.err


def test_a_vault_in_use_is_read_by_words_alone_and_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = copy_vault(tmp_path)
    with lock_vault(vault):
        assert main(["prompt", "Eliza", "--vault", str(vault)]) == 0
    said = capsys.readouterr()
    assert said.out.endswith("~Eliza>\n")
    assert "words alone" in said.err


def test_a_person_in_play_is_seen_by_a_reader_beside_the_running_world(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    with opened(vault, writable=True) as parts:
        slug = write_definition(vault / "agents", "Ann", parts.engine.world.new_id(), person=True)
        assert parts.minds.load_definition(slug) == []
        here = parts.engine.world.location_of(parts.minds.get("Eliza").id)
        assert here is not None
        parts.engine.enter(parts.minds.open(slug).definition.thing(), here.id)
        parts.save()
        assert main(["prompt", "Eliza", "--vault", str(vault)]) == 0
        told = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("Also here: "))
        assert "Ann" in told
    with opened(vault, writable=True) as parts:
        assert parts.engine.world.location_of(parts.minds.definitions[slug].id) is None
