"""What there is, is explained: help for every command, and READMEs that name all one can type or choose."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agents.brains import Brain
from agents.compaction.strategies import Strategy
from agents.compaction.summarizer import Summarizer
from agents.hosts import HostKind
from agents.llm.backend import Backend
from agents.recall.embedders import EmbedderKind
from mud.cli import Tool
from mud.registry import HasName, collect, load
from mud.server.checks import FAMILIES, SCHEMAS
from mud.server.wiring import load_commands
from mud.storage.accounts import Account, AccountFiles
from mud.world.roles import Role
from tests.prepared import AT_HAND, lines_before
from tests.processes import loci
from tests.vaults import ROOT, SHIPPED, copy_vault, without_vectors

README = (ROOT / "README.md").read_text("utf-8")
CODE = (ROOT / "mud" / "README.md").read_text("utf-8")
COMMANDS = load_commands()

CHOICES: list[tuple[str, type[HasName]]] = [
    ("agents.brains", Brain),
    ("agents.hosts", HostKind),
    ("agents.compaction.strategies", Strategy),
    ("agents.compaction.summarizers", Summarizer),
    ("agents.llm.backends", Backend),
    ("agents.recall.embedders", EmbedderKind),
]


MINIWORLD = (ROOT / "docs" / "miniworld-commands.md").read_text("utf-8")
ANCESTORS = [
    "look", "say", "emote", "examine", "go", "think", "note", "@overwrite-note", "recall", "dream", "@my-profile",
    "@my-description", "@set-profile", "@set-description", "@dig", "@exit", "@teleport", "@migrate-connections", "who",
    "where", "rooms", "help", "commands", "@save", "@quit", "@impersonate", "@show-profile", "@edit-profile",
    "@edit-interval", "@reload-text", "@show-text", "@show-config", "@memory-status", "@compact-memories",
    "@bootstrap-summaries", "@migrate-agents", "@llm-status", "@llm-config", "@narrative", "@narrative-here",
    "@narrative-clear", "@training-status", "@training-export", "@training-clear", "@training-toggle",
]  # fmt: skip
"""The commands of Miniworld."""
FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
CODED = FENCED.findall(README) + re.findall(r"`([^`\n]+)`", FENCED.sub("", README))
"""What the README sets as code."""


def named(word: str) -> bool:
    """Say whether the README has a word as code, by itself or with more."""
    return any(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", code) for code in CODED)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Type every example of every command, and `help` for each, into one real world; return the replies by line."""
    vault = without_vectors(copy_vault(tmp_path_factory.mktemp("examples")))
    for item in AT_HAND:
        path = vault / "world" / "items" / f"{item.replace(' ', '-')}.md"
        path.write_text(re.sub(r"(?m)^location:.*$", 'location: "[[The Garden]]"', path.read_text("utf-8")), "utf-8")
    examples = [example for one in COMMANDS for example in one.examples if one.name != "quit"]
    lines = ["@channel-join town"]
    tried: dict[str, int] = {}
    for wanted in (*examples, *(f"help {one.name}" for one in COMMANDS)):
        lines += ["go The Garden", *lines_before(wanted), wanted]
        tried[wanted] = len(lines) - 1
    AccountFiles(vault).write(Account("Ann", Role.PLAYER, ""))
    asking = {"@accounts new Dora": "@accounts new Dora\n", "@password": "@password\n"}  # an empty line is no password
    asking |= {example: f"{example}\n..abort" for example in COMMANDS.get("@edit").examples}
    # What is thought in between parts the replies, as its own reply is known.
    typed = "".join(f"{asking.get(line, line)}\nthink MARK {number}\n" for number, line in enumerate(lines))
    done = loci("run", "--vault", vault, "--no-agents", stdin=typed + "quit\n")
    assert done.returncode == 0, done.stderr
    parts = re.split(r'^You think, "MARK \d+"$\n?', done.stdout, flags=re.M)
    return {wanted: parts[at].strip().splitlines() for wanted, at in tried.items()}


REFUSED = re.compile(
    r"^(?:There is no |You see no |Nobody |Something went wrong|.+ needs more: |Only the owner |You do not |"
    r"Nothing was changed)"
)


@pytest.mark.parametrize(
    ("name", "example"), [(one.name, line) for one in COMMANDS for line in one.examples if one.name != "quit"]
)
def test_every_example_of_the_help_works_in_a_real_world(played: dict[str, list[str]], name: str, example: str) -> None:
    reply = played[example]
    assert reply, f"{example} was not answered"
    assert not REFUSED.match(reply[0]), reply


@pytest.mark.parametrize("name", COMMANDS.names())
def test_the_help_of_a_command_shows_form_meaning_and_examples(played: dict[str, list[str]], name: str) -> None:
    one = COMMANDS.get(name)
    told = "\n".join(played[f"help {name}"])
    for needed in (one.usage, one.summary, *one.examples):
        assert needed in told


@pytest.mark.parametrize("name", COMMANDS.names())
def test_the_readme_names_every_command_of_the_world(name: str) -> None:
    assert named(name)


@pytest.mark.parametrize("tool", [one.name for one in load("mud.cli", Tool, "command")] + ["run"])
def test_the_readme_names_every_command_of_the_command_line_with_its_options(tool: str) -> None:
    assert named(tool)
    shown = loci(tool, "--help")
    assert shown.returncode == 0
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", shown.stdout)) - {"--help"}
    assert ("--vault" in options, "--json" in options) == (tool not in ("diff", "init"), True)
    assert [option for option in sorted(options) if not named(option)] == []


@pytest.mark.parametrize(("package", "kind"), CHOICES, ids=[package for package, _ in CHOICES])
def test_whatever_can_be_chosen_is_explained_to_people(package: str, kind: type[HasName]) -> None:
    """In the README, or where it is chosen: a config file shows its choices."""
    written = README + "".join(path.read_text("utf-8") for path in (SHIPPED / "config").rglob("*.md"))
    for one in collect(package, kind):
        assert re.search(rf"(?<![\w-]){re.escape(one.name)}(?![\w-])", written), one.name
        assert str(getattr(one, "help", "")).endswith(".")


def test_the_readme_names_every_config_file_and_folder_of_the_vault() -> None:
    wanted = [*SCHEMAS, *FAMILIES, *(path.stem for path in (SHIPPED / "config" / "llm").glob("*.md"))]
    wanted += [path.name for path in SHIPPED.iterdir() if path.is_dir() and not path.name.startswith(".")]
    assert [name for name in wanted if not named(name)] == []


def _rows(table: str) -> list[list[str]]:
    """Return the cells of a table's rows, without its head."""
    rows = re.findall(r"^\|(.*)\|$", table, re.M)[2:]
    return [[cell.strip() for cell in row.split("|")] for row in rows]


def test_every_command_of_miniworld_is_here_or_has_a_reason() -> None:
    rows = _rows(MINIWORLD)
    assert [re.findall(r"`([^`]+)`", old)[0] for old, _, _ in rows] == ANCESTORS
    assert [old for old, new, why in rows if not new and not why] == []
    assert "docs/miniworld-commands.md" in README


def test_every_command_that_the_table_of_miniworld_names_is_there() -> None:
    words = {word.split()[0] for _, new, _ in _rows(MINIWORLD) for word in re.findall(r"`([^`]+)`", new)}
    words |= set(re.findall(r"`(@[\w-]+)", " ".join(why for _, _, why in _rows(MINIWORLD)))) | {"import-miniworld"}
    there = {*COMMANDS.words(), *(one.name for one in load("mud.cli", Tool, "command"))}
    assert words - there == set()


def test_the_readme_has_a_real_transcript_and_nothing_left_to_fill_in() -> None:
    assert re.findall(r"@[A-Z]{3,}@", README) == []
    pictures = re.findall(r"\]\((docs/pictures/\S+)\)", README)
    assert {Path(one).stem.partition("-")[0] for one in pictures} == {"terminal", "telnet", "web"}
    assert all((ROOT / one).is_file() for one in pictures)
    assert "Exits:" in (ROOT / "docs/pictures/terminal.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", [README, CODE], ids=["README.md", "mud/README.md"])
def test_every_path_that_a_readme_names_is_there(text: str) -> None:
    paths = re.findall(r"(?:\]\(|`)((?:mud|agents|tests|vault)/[\w./-]+)[`)]", text)
    assert paths
    assert [path for path in paths if "NAME" not in path and not (ROOT / path).exists()] == []


@pytest.mark.parametrize("top", ["mud", "agents"])
def test_the_map_of_the_code_names_every_folder_and_module(top: str) -> None:
    said = set(re.findall(r"`((?:mud|agents)/[\w./-]+)`", CODE))
    packages = {path.parent for path in (ROOT / top).rglob("__init__.py")} - {ROOT / top}
    assert {f"{path.relative_to(ROOT).as_posix()}/" for path in packages} - said == set()
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / top).glob("*.py") if path.name != "__init__.py"}
    assert modules - said == set()


def test_the_glossary_is_in_order_and_says_each_word_once() -> None:
    lines = CODE.partition("## Glossary")[2].strip().splitlines()[2:]
    found = [re.match(r"- \*\*([^*]+)\*\*.*: .+\.$", line) for line in lines]
    assert all(found), [line for line, one in zip(lines, found, strict=True) if one is None]
    words = [one[1].lower() for one in found if one is not None]
    assert words == sorted(set(words))


def _used(word: str, sources: str) -> bool:
    return re.search(rf"\b{word.replace('-', '[-_ ]?').replace(' ', '[_ ]?')}", sources, re.I) is not None


def test_the_glossary_has_only_words_that_the_code_uses() -> None:
    sources = "\n".join(path.read_text("utf-8") for top in ("mud", "agents") for path in (ROOT / top).rglob("*.py"))
    words = re.findall(r"^- (.+?): ", CODE.partition("## Glossary")[2], re.M)
    each = [word.strip("* ") for line in words for word in line.split(",")]
    assert [word for word in each if not _used(word, sources)] == []
