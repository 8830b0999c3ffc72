"""What is installed: every archive is known by its hash, and nothing is missing of what is imported."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import venv
from importlib.metadata import packages_distributions
from pathlib import Path
from zipfile import ZipFile

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
EXTRA = {"mud.portal.mcp.bridge": "mcp", "mud.portal.mcp.serving": "mcp"}
sys.meta_path.insert(0, Refuse())

for path in sorted([*Path("mud").rglob("*.py"), *Path("agents").rglob("*.py")]):
    if path.stem == "__main__":
        continue
    name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    try:
        import_module(name)
    except ModuleNotFoundError:
        if EXTRA.pop(name, "") not in REFUSED:
            raise

from mud.errors import LociError
from mud.portal.mcp import optional

assert not EXTRA
try:
    optional("mud.portal.mcp.serving")
except LociError as error:
    print(error)

from agents.recall.documents import MEMORY, Record
from agents.recall.child import Store

store = Store(Path(sys.argv[1]), "minilm")
lines = ["The brass key is under the blue ladder.", "Moss waters the fern."]
store.put([Record(f"#1|{at}", one, {"agent": "#1", "type": MEMORY}) for at, one in enumerate(lines, 1)])
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


def _wheel(folder: Path) -> Path:
    """Make the archive of a distribution that holds one empty module, and return it."""
    folder.mkdir()
    archive = folder / "pebble-1.0-py3-none-any.whl"
    with ZipFile(archive, "w") as wheel:
        wheel.writestr("pebble.py", "")
        wheel.writestr("pebble-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: pebble\nVersion: 1.0\n")
        wheel.writestr("pebble-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("pebble-1.0.dist-info/RECORD", "pebble.py,,\n")
    return archive


@pytest.mark.parametrize("installer", ["uv", "pip"])
def test_set_up_refuses_an_archive_of_another_hash_or_none_with_uv_and_with_pip_alike(
    tmp_path: Path, installer: str
) -> None:
    venv.create(tmp_path / "venv", with_pip=installer == "pip")
    uv = Path(sys.executable).parent / "uv"
    if installer == "uv":
        assert uv.exists(), "set-up installs uv; where it cannot run, pip does all"
        (tmp_path / "venv/bin/uv").symlink_to(uv)
    archive = _wheel(tmp_path / "archives")
    told = {"NO_INDEX": "1", "FIND_LINKS": str(archive.parent)}
    settings = {f"{tool}_{key}": value for tool in ("UV", "PIP") for key, value in told.items()}
    right = hashlib.sha256(archive.read_bytes()).hexdigest()
    installed = []
    for pin in ("", f" --hash=sha256:{'0' * 64}", f" --hash=sha256:{right}"):
        (tmp_path / "pinned.txt").write_text(f"pebble==1.0{pin}\n")
        rule = f"try:\n\t$(call INSTALL,{tmp_path / 'pinned.txt'})\n"
        command = ["make", "-f", str(ROOT / "Makefile"), "-f", "-", "try", f"BIN={tmp_path / 'venv/bin'}"]
        done = subprocess.run(
            command, input=rule, text=True, capture_output=True, cwd=ROOT, env=os.environ | settings, check=False
        )
        found = any((tmp_path / "venv").glob("lib/*/site-packages/pebble.py"))
        assert found == (done.returncode == 0), done.stderr
        installed.append(found)
    assert installed == [False, False, True]


def test_every_requirements_file_is_installed_so() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
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
    missing, count, *_ = done.stdout.splitlines() or [done.stderr, ""]
    assert "make mcp installs it" in missing, done.stderr
    assert count == "2", done.stderr
    assert "Could not connect to a Chroma server" in done.stdout
