"""Without the package mcp the world runs, and whoever needs it is told what to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.vaults import ROOT

SCRIPT = """
import asyncio, os, sys
from pathlib import Path

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("mcp", "mcp_types", "httpx2", "sse_starlette"):
            raise ModuleNotFoundError(f"{name} is not installed", name=name)

sys.meta_path.insert(0, Refuse())

from mud.command_line import main
from tests.unit.mud.portal.web.stage import served, visiting
from mud.world.roles import Role

async def ask(folder):
    async with served(folder) as world, visiting(world) as browser:
        await world.account("Robin")
        token = world.portal.authenticator.new_token(world.people.accounts.find("Robin"))
        for _ in range(2):
            answer = await browser.client.post("/mcp", headers={"authorization": f"Bearer {token}"})
            print(answer.status_code, answer.json()["error"]["message"])
        print((await browser.get("/login")).status_code)

asyncio.run(ask(Path(sys.argv[1])))
os.environ["LOCI_TOKEN"] = "loci-x"
print(main(["mcp", "--url", "http://127.0.0.1:1"]))
"""


def test_without_the_package_everybody_is_told_and_the_pages_work(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        check=False,
    )
    missing = "MCP needs the package mcp, of version 2, which is not installed; make mcp installs it"
    assert done.stdout.splitlines() == [f"501 {missing}", f"501 {missing}", "200", "1"], done.stderr
    assert done.stderr.strip().splitlines() == [missing, f"loci: {missing}"]
