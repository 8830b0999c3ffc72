"""`init`: makes a vault: an empty place, an example, or what `export` wrote."""

from __future__ import annotations

import argparse
from pathlib import Path

from mud.cli import emit, tool
from mud.errors import LociError
from mud.sanitize import visible
from mud.server.new_vaults import EMPTY, LENT, examples, fill_from_example, new_vault
from mud.storage.zip_files import unpack_zip


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", type=Path, help="the new vault; a new name, or an empty folder")
    parser.add_argument("--example", choices=examples(), help=f"what is in it at first (default: {EMPTY}, one place)")
    parser.add_argument(
        "--from", dest="file", metavar="FILE", type=Path, help="what export wrote, instead of an example"
    )
    parser.add_argument(
        "--texts",
        action="store_true",
        help="copy text/, prompts/ and instinct/ too, to reword them. Without this the vault borrows those that came "
        "with the program, which grow with it, while copies stay as they are",
    )


@tool("init", "make a vault that runs: with one empty place, or an example", _arguments, of_a_vault=False)
def init(args: argparse.Namespace) -> int:
    if args.file is not None and (args.example or args.texts):
        raise LociError("--from takes what is in the file; leave out --example and --texts")
    example = None if args.file is not None else args.example or EMPTY
    with new_vault(args.folder) as made:
        files = fill_from_example(made, example, texts=args.texts) if example else unpack_zip(args.file, made)
        lent = [name for name in LENT if not (made / name).is_dir()]
    if args.json:
        emit({"vault": str(args.folder), "example": example, "files": files, "borrowed": lent})
    else:
        shown = visible(str(args.folder))
        print(f"{shown} is a vault now; python -m mud run --vault {shown} opens it.")
    return 0
