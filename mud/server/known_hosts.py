"""Model hosts that have answered; the owner is told of each the first time, because it sees every prompt or memory.

They are kept in `log/model_hosts.json` with the inode of the vault's folder, so that a copied vault starts anew.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path

from mud.commands import Say
from mud.errors import VaultProblem
from mud.storage.files import read_if_there, write_atomic
from mud.storage.paths import make_folder
from mud.world.narration import phrase, shortened

MODEL_ANSWERS = phrase("app.models.answers", "host")
MODEL_SILENT = phrase("app.models.silent", "host")
MET = phrase("app.models.met", "host", "model")
MET_UNNAMED = phrase("app.models.met_unnamed", "host")

log = logging.getLogger(__name__)

FILE = "log/model_hosts.json"
MOST = 100  # hosts kept; the oldest is dropped first and reported again
LONGEST = 100  # most characters shown of an address or a model name


class KnownHosts:
    """Tells the owner of hosts that answer for the first time; not `writable`, it tells at every start."""

    def __init__(self, vault: Path, say: Say, *, writable: bool = True) -> None:
        self._vault, self._say, self._writable = vault, say, writable
        self._seen: set[str] = set()
        self.tell: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True)

    def __call__(self, host: str, model: str) -> None:
        """Note that a host answered; tell the owner once for each host and model. `model` may be empty."""
        if host in self._seen or "://" not in host:  # without an address, the model runs inside this program
            return
        self._seen.add(host)
        shown = [_plain(host), _plain(model)]
        met = self._read()
        if shown in met:
            return
        self.tell(self._say(MET, host=shown[0], model=shown[1]) if shown[1] else self._say(MET_UNNAMED, host=shown[0]))
        if not self._writable:
            return
        try:
            told = {"folder": self._vault.stat().st_ino, "met": [*met, shown][-MOST:]}
            make_folder((self._vault / FILE).parent)
            write_atomic(self._vault / FILE, json.dumps(told, ensure_ascii=False) + "\n")
        except OSError as error:  # then the owner is told again at the next start
            log.warning("which hosts of models have answered cannot be written: %s", error)

    def _read(self) -> list[list[str]]:
        try:
            known = json.loads(read_if_there(self._vault / FILE, file=FILE) or "{}")
            here = known.get("folder") == self._vault.stat().st_ino
            return [list(map(str, one)) for one in known["met"]] if here else []
        except (VaultProblem, OSError, ValueError, RecursionError, AttributeError, KeyError, TypeError):
            return []


def _plain(text: str) -> str:
    """Return untrusted text as one short line without control characters."""
    clean = "".join(sign if sign.isprintable() else " " for sign in text)
    return shortened(" ".join(clean.split()), LONGEST)
