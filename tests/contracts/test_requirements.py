"""What is installed: every archive is known by its hash, and nothing is missing of what is imported."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.vaults import ROOT

FILES = sorted(path.name for path in ROOT.glob("requirements*.txt"))

USED = """
import sys
from importlib import import_module
from pathlib import Path

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in REFUSED:
            raise ModuleNotFoundError(f"{name} is not pinned", name=name)

REFUSED = set(sys.argv[2:])
sys.meta_path.insert(0, Refuse())

for path in sorted([*Path("mud").rglob("*.py"), *Path("agents").rglob("*.py")]):
    if path.stem != "__main__":
        import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))

from agents.recall.documents import MEMORY, Record
from agents.recall.child import Store

store = Store(Path(sys.argv[1]), "minilm")
lines = ["The brass key is under the blue ladder.", "Moss waters the fern."]
store.put([Record(f"{at}", one, {"agent": "#1", "type": MEMORY}) for at, one in enumerate(lines, 1)])
print(store._index.count("#1"))
store.close()

import chromadb
try:
    chromadb.HttpClient(port=1)
except ValueError as error:
    print(error)
"""


def pins(name: str) -> dict[str, list[str]]:
    """Return the hashes of each line of a requirements file."""
    lines = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    return {line.split(" --hash=")[0]: line.split(" --hash=")[1:] for line in lines}


def distribution(pin: str) -> str:
    return re.split(r"==", pin)[0].strip().lower().replace("_", "-")


@pytest.mark.parametrize("name", FILES)
def test_every_distribution_is_pinned_with_the_hashes_of_its_files(name: str) -> None:
    for pin, hashes in pins(name).items():
        assert re.fullmatch(r"[a-z0-9-]+==[0-9][\w.]*( ; .+)?", pin.strip())
        assert hashes, f"{pin} has no hash; make hashes writes them"
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one.strip()) for one in hashes)


@pytest.mark.parametrize("name", FILES)
def test_no_requirements_file_says_where_to_download_from(name: str) -> None:
    assert "//" not in (ROOT / name).read_text(encoding="utf-8")


def test_set_up_checks_the_hashes_with_uv_and_with_pip_alike() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "PINNED  = --require-hashes " in makefile
    installs = [line for line in makefile.splitlines() if line.startswith(("INSTALL", "\t@$(PIP)"))]
    assert [line.count("$(UV_PIP)") + line.count("$(PIP)") for line in installs] == [3, 1]
    assert [line.count("PINNED") for line in installs] == [3, 1]
    assert all(f"$(call INSTALL,{name})" in makefile or f"$(call PINNED,{name})" in makefile for name in FILES)


def test_all_works_with_nothing_installed_but_what_is_pinned_for_use(tmp_path: Path) -> None:
    pinned = {distribution(pin) for pin in pins("requirements.txt")}
    refused = {
        module
        for module, names in packages_distributions().items()
        if not any(name.lower().replace("_", "-").replace(".", "-") in pinned for name in names)
    } - {"mud", "agents"}
    assert "pytest" in refused
    command = [sys.executable, "-c", USED, str(tmp_path / "index"), *sorted(refused)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)
    assert done.stdout.splitlines()[:1] == ["2"], done.stderr
    assert "Could not connect to a Chroma server" in done.stdout
