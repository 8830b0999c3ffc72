"""`check`: lists every mistake in the vault, with file, line and key. It takes no lock and writes nothing."""

from __future__ import annotations

import argparse

from mud.cli import emit, shown, tell_links, tool
from mud.server.checks import check_vault
from mud.server.wiring import vault_in


@tool("check", "say what is wrong in the vault, file by file; exit 1 if anything is")
def check(args: argparse.Namespace) -> int:
    vault = vault_in(args.vault)
    problems = check_vault(vault)
    tell_links(vault)
    for problem in problems:
        if args.json:
            emit(shown(problem))
        else:
            print(problem)
    return 1 if problems else 0
