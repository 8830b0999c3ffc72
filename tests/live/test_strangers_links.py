"""A vault that somebody else has filled with links: nothing outside of it is written, removed or read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mud.command_line import main
from mud.storage.files import lock_vault
from tests.processes import Running, loci, memories, texts
from tests.settings import put
from tests.vaults import copy_vault, without_vectors

PRECIOUS = "export SECRET=plum-orchard\n"
OWN_FILES = (
    (".lock",),
    (".index",),
    ("log",),
    ("log/ledger-0000000001.jsonl",),
    ("log/loci.log",),
    ("log/chronicle.md",),
    (
        "log/spending.json",
        "world/state.md",
        "agents/eliza/archive",
        "agents/moss/archive/0000000001.jsonl",
        *(
            NOT_REACHED := (
                ".index/lexical.sqlite3",
                "log/traces",
                "agents/eliza/mind.md",
                "agents/eliza/notes",
                "agents/eliza/summaries",
            )
        ),
    ),
)
"""What the program writes; of the last one greeting does not need them, or `reindex` has made them anew before."""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder of the person's own, with a file in it."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home/bashrc").write_text(PRECIOUS)
    return tmp_path / "home"


def trap(vault: Path, home: Path, name: str) -> None:
    """Put a link in the place of a file or folder of the program's."""
    path = vault / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(home / "bashrc" if path.suffix or name == ".lock" else home)


def untouched(home: Path) -> bool:
    return [path.name for path in home.iterdir()] == ["bashrc"] and (home / "bashrc").read_text() == PRECIOUS


@pytest.mark.parametrize("names", OWN_FILES)
def test_no_command_writes_through_a_link_and_none_crashes(
    vault: Path, home: Path, names: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    for name in names:
        trap(vault, home, name)
    assert main(["check", "--vault", str(vault)]) == 1
    checked = capsys.readouterr().out
    assert all(f"{name}: this is a link, and the program writes through none" in checked for name in names)
    for argv in (["prompt", "Eliza"], ["recall", "Eliza", "golden key"], ["compact", "Eliza"], ["reindex"]):
        assert main([*argv, "--vault", str(vault)]) in (0, 1)
    assert untouched(home)
    ran = loci("run", "--vault", vault, "--as", "Ann", "--brain", "instinct", stdin="look\nsay hello\nquit\n")
    assert untouched(home)
    assert "Traceback" not in ran.stderr
    assert [name for name in names if name not in NOT_REACHED and f"{name}: this " not in ran.stderr] == []


def test_the_world_goes_on_and_tells_when_a_link_comes_while_it_runs(vault: Path, home: Path, tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    archive = vault / "agents/eliza/archive"
    world = Running(vault, "--as", "Ann", "--no-agents", errors=errors)
    try:
        world.say("say before", 'You say, "before"')
        archive.rename(tmp_path / "archive")
        archive.symlink_to(home)
        world.say("say between", 'You say, "between"')
        archive.unlink()
        (tmp_path / "archive").rename(archive)
        world.say("say after", 'You say, "after"')
    finally:
        assert world.terminate() == 0
    assert untouched(home)
    lived = texts(memories(vault, "eliza"))
    for word in ("before", "between", "after"):
        assert lived.count(f'Ann says, "{word}"') == 1
    assert "agents/eliza/archive: this is a link" in errors.read_text() + (vault / "log/loci.log").read_text()


TO_BE_READ = (
    (
        "agents/eliza/memories/secret.md",
        "agents/eliza/notes/secret.md",
        "agents/eliza/summaries/recent.md",
        "agents/eliza/journal.md",
        "world/items/secret.md",
        "text/secret.md",
        "prompts/summaries/secret.md",
    ),
    ("agents/eliza/archive/0000000001.jsonl",),
)


@pytest.mark.parametrize("names", TO_BE_READ)
def test_nothing_from_outside_comes_into_a_mind(
    vault: Path, home: Path, names: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "bashrc").write_text("# Plum orchard\n\nThe secret is in the plum orchard.\n")
    for name in names:
        (vault / name).parent.mkdir(exist_ok=True)
        (vault / name).symlink_to(home / "bashrc")
    for argv in (["prompt", "Eliza"], ["recall", "Eliza", "what secret"], ["status", "Eliza"], ["check"]):
        main([*argv, "--vault", str(vault)])
    said = capsys.readouterr()
    assert "orchard" not in said.out.lower() + said.err.lower()
    assert all(f"{name}: this " in said.out for name in names)
    own = (path for path in vault.rglob("*") if path.is_file() and not path.is_symlink())
    assert not any(b"lum orchard" in path.read_bytes() for path in own)


def test_a_memory_from_outside_is_not_taken_up_where_links_are_followed_either(vault: Path, home: Path) -> None:
    put(vault, "vault", follow_links=True)
    (vault / "agents/eliza/memories").mkdir()
    (vault / "agents/eliza/memories/secret.md").symlink_to(home / "bashrc")
    (vault / "agents/moss/memories").symlink_to(home)
    (home / "more.md").write_text(PRECIOUS)
    checked = loci("check", "--vault", vault).stdout
    assert "agents/eliza/memories/secret.md: this leads out of the vault through a link, and is never read" in checked
    assert "agents/moss/memories: this leads out of the vault through a link, and is never read" in checked
    assert loci("compact", "Eliza", "--vault", vault).returncode == 0
    assert not any(b"plum-orchard" in path.read_bytes() for path in (vault / "agents").rglob("archive/*"))


def _state(vault: Path) -> Iterator[tuple[str, int, int, int]]:
    for path in sorted((vault, *vault.rglob("*"))):
        found = path.lstat()
        yield str(path), found.st_mtime_ns, found.st_size, found.st_ino


@pytest.mark.parametrize("lived", [False, True])
def test_whoever_only_reads_writes_nothing_at_all(vault: Path, lived: bool) -> None:
    if lived:
        loci("run", "--vault", vault, "--as", "Ann", "--no-agents", stdin="say hello\nquit\n")
    (vault / ".lock").unlink(missing_ok=True)
    before = list(_state(vault))
    for argv in (["status", "Eliza"], ["check"]):
        assert loci(*argv, "--vault", vault).returncode == 0
    assert list(_state(vault)) == before
    with lock_vault(vault):
        (vault / ".lock").unlink()
        before = list(_state(vault))
        for argv in (["prompt", "Eliza"], ["recall", "Eliza", "golden key"]):
            done = loci(*argv, "--vault", vault)
            assert (done.returncode, "the vault is in use" in done.stderr) == (0, True)
        assert list(_state(vault)) == before


def test_a_pipe_where_a_file_should_be_keeps_nobody_waiting(vault: Path) -> None:
    pipes = ("world/items/a.md", "agents/eliza/mind.md", "log/history", "text/a.md", ".index/lexical.sqlite3")
    for name in pipes:
        (vault / name).parent.mkdir(exist_ok=True)
        os.mkfifo(vault / name)
    checked = loci("check", "--vault", vault, timeout=60)
    assert checked.stdout.count("this is no ordinary file") == 5
    ran = loci("run", "--vault", vault, "--as", "Ann", "--no-agents", stdin="say hello\nquit\n", timeout=60)
    assert 'You say, "hello"' in ran.stdout
    assert loci("simulate", "--steps", "20", "--vault", vault, timeout=120).returncode == 0


def test_the_index_of_somebody_else_is_not_deleted_when_the_vaults_is_a_link_to_it(vault: Path, home: Path) -> None:
    (vault / ".index").symlink_to(home)
    done = loci("reindex", "--embed", "--vault", vault)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert ".index: this is a link" in done.stderr
    assert untouched(home)


@pytest.mark.parametrize("named", ["mud", ""])
def test_only_a_vault_is_a_vault(named: str) -> None:
    for argv in ("check", "run", "simulate --steps 5"):
        done = loci(*argv.split(), "--vault", named)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
        assert done.stderr.startswith("loci: ")
    assert not any(Path(named or ".").glob(".lock"))
