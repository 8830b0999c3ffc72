"""`export`: writes all of a vault into one zip file, also while a world runs; `init --from` makes a vault of it.

With `--training` it writes thoughts as training data instead.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mud.cli import emit, progress, tool
from mud.cli._training import training_arguments, write_training
from mud.errors import LociError
from mud.sanitize import visible
from mud.server.exporting import export_vault
from mud.server.wiring import vault_in
from mud.world.narration import counted


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", type=Path, nargs="?", help="the zip file, a new name; init DIR --from FILE opens it"
    )
    parser.add_argument(
        "--accounts",
        action="store_true",
        help="pack the accounts too, with hashed passwords and keys; without this they stay out, and who comes in "
        "at the copy makes a new one",
    )
    parser.add_argument(
        "--training",
        metavar="FILE.jsonl",
        type=Path,
        help="instead, write what models were asked and replied; what was told in confidence stays out",
    )
    training_arguments(parser)


@tool("export", "write everything of the vault into one zip file, also while a world runs", _arguments)
def export(args: argparse.Namespace) -> int:
    if (args.file is None) == (args.training is None):
        raise LociError("nothing was written; expected one of: export FILE.zip, export --training FILE.jsonl")
    if args.training is not None:
        return write_training(args, args.training)
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
