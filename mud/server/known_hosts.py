"""Hosts of models that have answered, each told to the owner the first time: it reads every prompt or memory.

They are kept in `log/model_hosts.json` of the vault, with the number of the vault's folder on this disk: what a vault
that came from elsewhere has in its log says nothing of what the owner has been told here.
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

MET = phrase("app.models.met", "host", "model")
MET_UNNAMED = phrase("app.models.met_unnamed", "host")

log = logging.getLogger(__name__)

FILE = "log/model_hosts.json"
MOST = 100
"""Hosts and models that are remembered; the oldest is forgotten first, and told of again."""
LONGEST = 100
"""Characters that are shown of an address, and of what a host says that it is."""


class KnownHosts:
    """Tells of hosts that answer for the first time.

    Args:
        vault: the vault's folder, whose lock is held.
        say: renders phrases.
        writable: what was told may be written down; else it is told at every start.
    """

    def __init__(self, vault: Path, say: Say, *, writable: bool = True) -> None:
        self._vault, self._say, self._writable = vault, say, writable
        self._seen: set[str] = set()
        """Hosts that have answered since the start."""
        self.tell: Callable[[str], None] = lambda text: print(text, file=sys.stderr, flush=True)
        """Tells the owner."""

    def __call__(self, host: str, model: str) -> None:
        """Take note that a host answered; tell the owner once for each host and model.

        Args:
            host: its address, as people are told of it.
            model: what it says that its model is called; empty when it does not say.
        """
        if host in self._seen or "://" not in host:  # a model without an address is inside this program
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
        except OSError as error:  # then it is told again at the next start
            log.warning("which hosts of models have answered cannot be written: %s", error)

    def _read(self) -> list[list[str]]:
        """Return the hosts told of here, each with its model; none when the file cannot be used."""
        try:
            known = json.loads(read_if_there(self._vault / FILE, file=FILE) or "{}")
            here = known.get("folder") == self._vault.stat().st_ino
            return [list(map(str, one)) for one in known["met"]] if here else []
        except (VaultProblem, OSError, ValueError, RecursionError, AttributeError, KeyError, TypeError):
            return []


def _plain(text: str) -> str:
    """Return a text of somebody else's as one short line that does nothing to a terminal."""
    clean = "".join(sign if sign.isprintable() else " " for sign in text)
    return shortened(" ".join(clean.split()), LONGEST)
