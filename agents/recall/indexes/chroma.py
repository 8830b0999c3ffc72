"""Vectors in chromadb, embedded in this process: graphs and a SQLite file in one folder.

One process at a time may open a folder; after an unclean end opening it may crash the process (that is why it lives in
a child, which deletes the folder first).
"""

from __future__ import annotations

import resource

import chromadb
from chromadb.config import Settings

from agents.recall.indexes import Index, Place, index
from agents.recall.indexes._collections import Collections

HANDLES = 5
"""Files for each open collection: what chromadb itself divides its process's limit by to learn how many it may hold."""
ENOUGH = 1 << 19
"""Files that are never needed: so many as a limit is asked for where there is none."""


def _raised() -> int:
    """Raise the limit of open files as far as is allowed, and return how many collections chromadb will then hold open.

    It lets go of the others, and loses what they had not synced: of 40 agents with 20 allowed, every second question
    failed ("Error creating hnsw segment reader", "Error finding id"). So there must never be more.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return ENOUGH if soft == resource.RLIM_INFINITY else soft // HANDLES


@index("chroma", "chromadb, embedded: HNSW graphs in one folder.")
def CHROMA(place: Place, model: str, dimension: int) -> Index:
    """Open it."""
    place.folder.mkdir(parents=True, exist_ok=True)
    most = _raised()
    client = chromadb.PersistentClient(str(place.folder), settings=Settings(anonymized_telemetry=False))
    return Collections(client, "loci-", model, dimension, most=most)
