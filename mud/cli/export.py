"""`export`: writes all of a vault into one zip file, also while a world runs; `init --from` makes a vault of it."""

from __future__ import annotations

import argparse
from pathlib import Path

from mud.cli import emit, progress, tool
from mud.sanitize import visible
from mud.server.exporting import export_vault
from mud.server.wiring import vault_in
from mud.world.narration import counted


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="the zip file, a new name; init DIR --from FILE opens it"
    )
    parser.add_argument(
        "--accounts",
        action="store_true",
        help="pack the accounts too, with hashed passwords and keys; without this they stay out, and who comes in "
        "at the copy makes a new one",
    )


@tool("export", "write everything of the vault into one zip file, also while a world runs", _arguments)
def export(args: argparse.Namespace) -> int:
    vault = vault_in(args.vault)
    done = export_vault(vault, args.file, accounts=args.accounts)
    for file in done.left_out:
        progress(f"left out: {visible(file)} is a link or no ordinary file")
    if args.json:
        emit({"file": str(args.file), "accounts": args.accounts, **done._asdict()})
        return 0
    shown, accounts = visible(str(args.file)), "with" if args.accounts else "without"
    print(f"{shown}: {counted(done.files, 'file')}, {done.bytes:,} bytes, {accounts} accounts")
    return 0
