"""Vectors in chromadb, embedded, in a folder that only one process may open. May crash after an unclean end."""

from __future__ import annotations

import resource

import chromadb
from chromadb.config import Settings

from agents.recall.indexes import Index, Place, index
from agents.recall.indexes._collections import Collections

HANDLES = 5
"""Files per open collection; chromadb divides the process's limit by this number."""
ENOUGH = 1 << 19


def _raised() -> int:
    """Raise the limit of open files; return how many collections chromadb can then hold open.

    Beyond that, it loses unsynced entries: with 40 agents and 20 allowed, every second query failed.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return ENOUGH if soft == resource.RLIM_INFINITY else soft // HANDLES


@index("chroma", "chromadb, embedded: HNSW graphs in one folder.")
def CHROMA(place: Place, model: str, dimension: int) -> Index:
    place.folder.mkdir(parents=True, exist_ok=True)
    most = _raised()
    client = chromadb.PersistentClient(str(place.folder), settings=Settings(anonymized_telemetry=False))
    return Collections(client, "loci-", model, dimension, most=most)
