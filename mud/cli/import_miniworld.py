"""`import-miniworld`: takes the vault of Miniworld, the ancestor of this program, into a vault of this one."""

from __future__ import annotations

import argparse
import asyncio
from datetime import tzinfo
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mud.cli import VectorProgress, emit, progress, tool
from mud.errors import LociError
from mud.sanitize import visible
from mud.server.importing import TakenLife, add_locations, keep_whole, prepare, take_lives
from mud.server.new_vaults import is_free
from mud.server.wiring import Parts, opened, vault_in
from mud.storage.files import lock_vault
from mud.storage.miniworld import OldVault, old_root
from mud.world.narration import counted


class _Imported(NamedTuple):
    lives: list[TakenLife]
    locations: int
    kept: str
    vectors: str  # why they are missing


def _zone(text: str) -> tzinfo:
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise argparse.ArgumentTypeError(f"{text!r} is no time zone; expected one such as Europe/Vienna") from None


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", type=Path, help="Miniworld's vault, or the folder that holds it")
    parser.add_argument(
        "--zone",
        type=_zone,
        metavar="ZONE",
        help="where its times were written, such as Europe/Vienna: they are local times (default: this machine's zone)",
    )
    parser.add_argument("--no-wait", action="store_true", help="do not wait for the vectors")


@tool(
    "import-miniworld",
    "take locations, characters, memories, notes and summaries of a Miniworld vault into the vault, which is made when "
    "there is none; what is there already stays",
    _arguments,
)
def import_miniworld(args: argparse.Namespace) -> int:
    root = old_root(args.folder)
    if root is None:
        raise LociError(
            f"{visible(str(args.folder))} is no vault of Miniworld; expected world/locations or agents in it"
        )
    old = OldVault(root, args.zone)
    if is_free(args.vault):
        prepare(old, args.vault)
    vault = vault_in(args.vault)
    if root == vault or root.is_relative_to(vault) or vault.is_relative_to(root):
        raise LociError(
            f"{visible(str(root))} and the vault {visible(str(vault))} are the same folder, or one in the other"
        )
    with lock_vault(vault):
        places, kept = add_locations(old, vault), keep_whole(root, vault)
    with opened(vault, writable=True) as parts:
        lives, vectors = asyncio.run(_take(parts, old, places, wait=not args.no_wait))
    _tell(args, old, _Imported(lives, len(old.locations), kept, vectors))
    return 0


async def _take(parts: Parts, old: OldVault, places: dict[str, str], *, wait: bool) -> tuple[list[TakenLife], str]:
    lives, missing = [], ""
    await parts.recall.start(vectors=wait)
    try:
        async for one in take_lives(parts, old, places):
            progress(_told(one))
            lives.append(one)
        if wait and not await parts.recall.complete(VectorProgress()):
            missing = parts.recall.trouble or "they are switched off"
            progress(f"the vectors are missing: {missing}")
    finally:
        await parts.recall.stop()
        await parts.queue.close(0)
    return lives, missing


def _told(one: TakenLife) -> str:
    rest = f"{counted(one.notes, 'note')}, {counted(one.summaries, 'summary', 'summaries')}"
    return f"{one.name}: {counted(one.new, 'new memory', 'new memories')} of {one.read:,}, {rest}"


def _tell(args: argparse.Namespace, old: OldVault, done: _Imported) -> None:
    if args.json:
        skipped = [{"file": visible(file), "why": visible(why)} for file, why in old.skipped]
        read = {"locations": done.locations, "characters": len(done.lives)}
        read |= {
            key: sum(len(getattr(one, key)) for one in old.characters) for key in ("memories", "notes", "summaries")
        }
        lives = [one._asdict() for one in done.lives]
        emit({"vault": str(args.vault), "read": read, "lives": lives, "skipped": skipped, "kept": done.kept})
        return
    for file, why in old.skipped:
        print(f"not taken: {visible(file)}: {visible(why)}")
    new = sum(one.new for one in done.lives)
    people = counted(len(done.lives), "character")
    print(f"{counted(done.locations, 'location')}, {people}, {counted(new, 'new memory', 'new memories')}; ", end="")
    print(f"the old vault is kept as it was in {done.kept}")
