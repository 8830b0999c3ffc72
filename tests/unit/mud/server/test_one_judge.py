"""Whoever is asked names the same mistakes of a vault: a world at its start, `@reload`, `check` and `status`."""

from __future__ import annotations

import asyncio
import io
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from mud.command_line import main
from mud.server.app import COME_IN
from mud.server.reloading import MISSING_FOR
from mud.server.requests import carry_out
from mud.world.events import Request
from tests.examples import NEW
from tests.houses import house
from tests.unit.agents.llm.stage import settle
from tests.unit.mud.server.stage import Edited, edited
from tests.vaults import copy_vault, without_vectors

EXAMPLES = 300 if NEW else 4

with TemporaryDirectory() as folder:
    _copy = copy_vault(Path(folder))
    FILES = sorted(path.relative_to(_copy).as_posix() for path in _copy.rglob("*.md"))
LINES = ("agents/eliza/archive/0000000001.jsonl", "log/ledger-0000000001.jsonl")
"""What the program writes as the world goes on; the ledger stands again in the archive."""
OF_A_LIFE = (
    "agents/eliza/journal.md",
    "agents/eliza/memories/childhood.md",
    "agents/eliza/notes/the-garden.md",
    "agents/eliza/summaries/longterm.md",
    "world/state.md",
)
"""What stands in the folders of a world that has lived: written by it, or by people for it to take up."""


class Mutation(NamedTuple):
    """What happens to a file.

    Args:
        name: what it is called when an example fails.
        where: the lines at which it can happen, as a pattern.
        made: takes the file's bytes and the bounds of the place, and returns what becomes of it; None for no file.
    """

    name: str
    where: str
    made: Callable[[bytes, int, int], bytes | None]


def _put(new: bytes) -> Callable[[bytes, int, int], bytes]:
    return lambda data, start, end: data[:start] + new + data[end:]


def _again(data: bytes, start: int, end: int) -> bytes:
    return data[:end] + b"\n" + data[start:end] + data[end:]


def _letter(data: bytes, start: int, end: int) -> bytes:
    middle = (start + end) // 2
    return data[:middle] + (b"x" if data[middle : middle + 1] != b"x" else b"y") + data[middle + 1 :]


KEY = r"(?<=^\*\*)[a-z_ ]+(?=\*\*:)|^ *[a-z_]+(?=:)"
"""The name of a key, in the front matter and below it."""

MUTATIONS = (
    Mutation("deleted", r"\A", lambda data, start, end: None),
    Mutation("emptied", r"\A", lambda data, start, end: b""),
    Mutation("cut", r"^|(?<=\w)(?=\w)", lambda data, start, end: data[:start]),
    Mutation("unclosed quotation", r"(?<=: ).*$", lambda data, start, end: data[:start] + b'"' + data[start:]),
    Mutation("unclosed bracket", r"(?<=: ).*$", lambda data, start, end: data[:start] + b"[" + data[start:]),
    Mutation("front matter's fence", r"^", _put(b"---\n")),
    Mutation("fence of code", r"^", _put(b"```\n")),
    Mutation("a letter of a key", KEY, _letter),
    Mutation("a letter of a heading", r"(?<=^## )\w+$|(?<=^# )\w+$", _letter),
    Mutation("no value", r"(?<=: ).*$", _put(b"")),
    Mutation("a senseless value", r"(?<=: ).*$", _put(b"qzx")),
    Mutation("a senseless number", r"(?<=: ).*$", _put(b"-12345.6")),
    Mutation("a senseless list", r"(?<=: ).*$", _put(b"[1, {a: 2}]")),
    Mutation("a key twice", r"^(?:\*\*)?[a-z_]+(?:\*\*)?:.*$", _again),
    Mutation("a section twice", r"^## .*(?:\n(?!## ).*)*", _again),
    Mutation("another place", r"(?<=\{)[a-z_]+(?=\})", _put(b"plaze")),
    Mutation("a place's brace", r"\{(?=[a-z_]+\})", _put(b"")),
    Mutation("no name", r"^# .*$", _put(b"")),
    Mutation("binary bytes", r"^", _put(bytes(range(32)) + b"\x7f\n")),
    Mutation("no UTF-8", r"^", _put(b"caf\xe9 \xff\xfe\n")),
)
OF_LINES = (
    Mutation("a lost line", r"^.*\n", _put(b"")),
    Mutation("a line twice", r"^.*$", _again),
    Mutation("another number", r"(?<=:)\d+(?=[,}])", _put(b"7")),
    Mutation("a number without bounds", r"(?<=:)\d+(?=[,}])", _put(b"9" * 30)),
    Mutation("a letter of a key", r'(?<=")[a-z]+(?=":)', _letter),
    Mutation("another id", r"(?<=#)\d+", _put(b"987654")),
    Mutation("a text that is none", r'(?<=:)"[^"\\]*"', _put(b"null")),
    Mutation("a list that is none", r"(?<=:)\[.*?\]", _put(b"5")),
    *(one for one in MUTATIONS if one.name in ("cut", "fence of code", "binary bytes", "no UTF-8")),
)
"""What happens to a line of the archive or the ledger. Nobody takes such a file from under a world that runs."""


class Asked:
    """A running world whose vault is spoilt under it, one file at a time, and mended again."""

    def __init__(self, runner: asyncio.Runner, on: Edited) -> None:
        self._runner, self._on = runner, on
        self.vault = on.vault

    def notice(self, file: str) -> str:
        """Have a file noticed as the watcher does, wait for what waits for it, and return what is told of it."""
        return self._runner.run(self._notice(file))

    async def _notice(self, file: str) -> str:
        self._on.told.clear()
        self._on.noticed(file)
        await settle()
        self._on.clock.advance(MISSING_FOR)
        await settle()
        return "\n".join(self._on.told)

    def reload(self) -> str:
        """Have everything read again, as the owner does, and return the answer."""
        return self._runner.run(self._reload())

    async def _reload(self) -> str:
        parts = self._on.home.parts
        outcome = await carry_out(parts, Request("reload", "#1", 1), self._on.reloading.everything)
        assert not isinstance(outcome, Exception), outcome
        return outcome.reply


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the shipped vault in which much was said, remembered, folded and noted."""
    folder = tmp_path_factory.mktemp("lived")
    eliza = copy_vault(folder) / "agents/eliza"
    (eliza / "memories").mkdir()
    (eliza / "memories/childhood.md").write_text("# Childhood\n\nI was born in the loft.\n\nMy brother rows.\n")

    async def live() -> Path:
        async with house(folder) as home:
            ann = home.enter("Ann")
            await home.ask(ann, "@compaction strategy sleep Eliza")  # the one that keeps a journal
            for number in range(160):
                home.type(ann, f"say I counted {number} pears.")
            await home.ask(home.agent("Eliza"), "note The Garden -> Ann counts pears here.")
            await home.ask(ann, "@compact-memories Eliza")
            home.parts.save()
            return home.parts.vault

    vault = without_vectors(asyncio.run(live()))
    assert all((vault / file).is_file() for file in OF_A_LIFE)
    return vault


@pytest.fixture(scope="module")
def running(lived: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """Run a world on a copy of that vault."""
    folder = tmp_path_factory.mktemp("running")
    shutil.copytree(lived, folder / "vault")
    with asyncio.Runner() as runner:
        stage = edited(folder)
        on = runner.run(stage.__aenter__())
        yield Asked(runner, on)
        runner.run(stage.__aexit__(None, None, None))


def told_by(*words: object) -> tuple[str, str]:
    """Return what a command of the command line writes to stdout and to stderr."""
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        main([str(word) for word in words])
    return out.getvalue(), errors.getvalue()


def as_lines(records: list[dict[str, object]]) -> list[str]:
    """Return problems as they are shown."""
    told = []
    for one in records:
        where = f"{one['file']}:{one['line']}" if one["line"] else f"{one['file']}"
        told.append(f"{where}: {one['key']}: {one['message']}" if one["key"] else f"{where}: {one['message']}")
    return told


def told_at_the_start(vault: Path, seconds: float) -> str:
    """Run a world on a vault for a moment, without a player, and return what it says."""
    _, errors = told_by("run", "--headless", "--no-agents", "--seconds", seconds, "--vault", vault)
    assert "Traceback" not in errors + (vault / "log/loci.log").read_text("utf-8")
    return errors


def in_order(told: str, problems: list[str], mark: str, repaired: Iterable[str] = ()) -> None:
    """Hold what was told to problems: each is told once, and nothing else behind the mark but what was repaired."""
    for problem in problems:
        assert told.count(problem) == 1, (problem, told)
    for problem in (*problems, *repaired):
        told = told.replace(problem, "")
    assert not re.search(rf"^{mark}\S+\.(md|jsonl):", told, re.M), told


def spoilt(data: bytes, mutation: Mutation, place: int) -> bytes | None:
    """Return what becomes of a file; the file itself where there is no place for the mutation."""
    text = data.decode()
    places = [found.span() for found in re.finditer(mutation.where, text, re.M)]
    if not places:
        return data
    start, end = (len(text[:at].encode()) for at in places[place % len(places)])
    return mutation.made(data, start, end)


def put(path: Path, data: bytes | None) -> None:
    """Have a file hold this; None takes it away."""
    if data is None:
        path.unlink()
    else:
        path.write_bytes(data)


def checked(vault: Path) -> list[str]:
    """Return what `check` names, each once."""
    told = as_lines([json.loads(line) for line in told_by("check", "--json", "--vault", vault)[0].splitlines()])
    assert len(told) == len(set(told))
    return told


def hold_to_one_judge(running: Asked, vault: Path, file: str, mutation: Mutation, place: int) -> list[str]:
    """Spoil a file, ask everybody what is wrong, and return it.

    A world may write into the file, such as an id, which shifts its lines, or write it anew where it is its own: it is
    held to what `check` says then, and may have told what it said before.
    """
    made = spoilt((vault / file).read_bytes(), mutation, place)
    put(vault / file, made)
    expected = checked(vault)
    agent = "Moss" if "/moss/" not in file else "Eliza"
    record = json.loads(told_by("status", agent, "--json", "--vault", vault)[0])
    assert as_lines(record["problems"]) == expected
    hold_running(running, file, mutation, place)
    seconds = 0.01 if file.endswith(".md") else 2 * COME_IN  # archives are looked through when the player is in
    told = told_at_the_start(vault, seconds)
    in_order(told, now(vault / file, made, expected, vault), "loci: (?:.the vault. )?", expected)
    return expected


def hold_running(running: Asked, file: str, mutation: Mutation, place: int) -> None:
    """Spoil a file under the running world and mend it; of archive and ledger only `@reload` tells at once."""
    path = running.vault / file
    before = path.read_bytes()
    put(path, spoilt(before, mutation, place))
    try:
        found = checked(running.vault)
        noticed = running.notice(file) if file.endswith(".md") else None
        problems = checked(running.vault)
        if noticed is not None:
            in_order(noticed, problems, "(?:.the vault. )?", found)
        in_order(running.reload(), problems, "")
    finally:
        put(path, before)
    if file.endswith(".md"):
        mended = running.notice(file)
        assert (f"nothing is wrong in {file} any more" in mended) == any(one.startswith(file) for one in problems)
    assert running.reload() == "Everything was read again; nothing is wrong."


def now(path: Path, made: bytes | None, expected: list[str], vault: Path) -> list[str]:
    """Return what is wrong by now, when a file may have been written since."""
    return expected if (path.read_bytes() if path.exists() else None) == made else checked(vault)


SPOILT = st.one_of(
    st.tuples(st.sampled_from(FILES), st.sampled_from(MUTATIONS)),
    st.tuples(st.sampled_from(OF_A_LIFE), st.sampled_from(MUTATIONS)),
    st.tuples(st.sampled_from(LINES), st.sampled_from(OF_LINES)),
)


# An example is as small as it can be, and takes most of a second: none is shrunk.
@settings(max_examples=EXAMPLES, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(SPOILT, st.integers(0, 10_000))
def test_of_a_spoilt_vault_everybody_says_the_same(
    running: Asked, lived: Path, spoils: tuple[str, Mutation], place: int
) -> None:
    with TemporaryDirectory() as folder:
        hold_to_one_judge(running, shutil.copytree(lived, Path(folder) / "vault"), *spoils, place)


@pytest.mark.parametrize(
    ("file", "name", "place"),
    [
        ("prompts/think.md", "deleted", 0),  # nothing can be thought with, and a memory stands all the same
        ("prompts/dream.md", "another place", 5),
        ("agents/moss/agent.md", "no UTF-8", 4),
        ("config/llm/think.md", "deleted", 0),
        ("text/instinct/default.md", "cut", 60),
        ("world/locations/the-garden.md", "emptied", 0),
        ("world/items/long-table.md", "front matter's fence", 0),
        ("world/state.md", "a letter of a key", 3),
        ("agents/eliza/summaries/longterm.md", "no UTF-8", 4),
        (LINES[0], "a lost line", 4),
        (LINES[1], "a list that is none", 2),
    ],
)
def test_of_what_was_once_told_by_some_alone_everybody_says_the_same(
    running: Asked, lived: Path, tmp_path: Path, file: str, name: str, place: int
) -> None:
    mutation = next(one for one in (*MUTATIONS, *OF_LINES) if one.name == name)
    assert hold_to_one_judge(running, shutil.copytree(lived, tmp_path / "vault"), file, mutation, place)
