"""Whole sessions as transcripts: `> ` is what was typed, the rest what a pipe shows, word for word.

Times stand as `<time>`. The first lines, before the first `> `, are what one sees on entering. A line `...` stands for
any number of lines. Recall goes by words alone: when the vectors are there is up to the machine. The folder of a
transcript's name, if there is one, is the `world` of its vault.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.processes import loci
from tests.settings import put
from tests.vaults import copy_vault, without_vectors

HERE = Path(__file__).parent
_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d\.\d{3}Z)?|(?<=-)\d{8}-\d{6}(?=\.md| of )"
    r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} [A-Z][a-z]{2} \d\d:\d\d"
)


def _matches(wanted: list[str], said: list[str]) -> bool:
    """Whether lines are as wanted, `...` standing for any."""
    if not wanted:
        return not said
    if wanted[0] == "...":
        return any(_matches(wanted[1:], said[at:]) for at in range(len(said) + 1))
    return bool(said) and wanted[0] == said[0] and _matches(wanted[1:], said[1:])


@pytest.mark.parametrize("path", sorted(HERE.glob("*.txt")), ids=lambda path: path.stem)
def test_a_session_reads_as_its_transcript(path: Path, tmp_path: Path) -> None:
    script = path.read_text(encoding="utf-8").splitlines()
    typed = [line[2:] for line in script if line.startswith("> ")]
    wanted = [line for line in script if not line.startswith(("> ", "# "))]

    vault = without_vectors(copy_vault(tmp_path))
    if (world := path.with_suffix("")).is_dir():
        shutil.rmtree(vault / "world")
        shutil.rmtree(vault / "agents")
        shutil.copytree(world, vault / "world")
        put(vault, "world", start_location="The Hall")
    done = loci("run", "--vault", vault, "--no-agents", stdin="\n".join(typed) + "\n")

    assert done.returncode == 0, done.stderr
    said = [_TIME.sub("<time>", line) for line in done.stdout.splitlines()]
    assert _matches(wanted, said), "\n".join(said)
