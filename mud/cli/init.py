"""`init`: makes a vault: an empty place, an example, or what `export` wrote."""

from __future__ import annotations

import argparse
from pathlib import Path

from mud.cli import emit, tool
from mud.sanitize import visible
from mud.server.new_vaults import EMPTY, LENT, examples, fill_from_example, new_vault
from mud.storage.paths import below


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", type=Path, help="the new vault; a new name, or an empty folder")
    parser.add_argument("--example", choices=examples(), help=f"what is in it at first (default: {EMPTY}, one place)")
    parser.add_argument(
        "--texts",
        action="store_true",
        help="copy text/, prompts/ and instinct/ too, to reword them. Without this the vault borrows those that came "
        "with the program, which grow with it, while copies stay as they are",
    )


@tool("init", "make a vault that runs: with one empty place, or an example", _arguments)
def init(args: argparse.Namespace) -> int:
    example = args.example or EMPTY
    with new_vault(args.folder) as made:
        fill_from_example(made, example, texts=args.texts)
        files = sum(not isinstance(one, OSError) and one.is_file() for one in below(made))
    if args.json:
        lent = [] if args.texts else list(LENT)
        emit({"vault": str(args.folder), "example": example, "files": files, "borrowed": lent})
    else:
        shown = visible(str(args.folder))
        print(f"{shown} is a vault now ({example}); python -m mud run --vault {shown} opens it.")
    return 0
