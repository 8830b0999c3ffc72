from __future__ import annotations

import re
import tomllib

from mud.packages import NEEDED, check_packages
from tests.vaults import ROOT


def test_the_packages_that_are_looked_for_are_those_that_the_project_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert list(NEEDED) == [re.split(r"[<>=]", wanted)[0] for wanted in project["dependencies"]]


def test_where_all_is_installed_nothing_is_said() -> None:
    check_packages()
