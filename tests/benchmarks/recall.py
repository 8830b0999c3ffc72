"""`bench recall`: whether memories are found again, and how fast.

`--data` names conversations or one long life with questions; without it, an index is filled with made-up memories and
timed. No text of the data is written.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

from mud.errors import LociError
from mud.storage.files import write_atomic
from tests.benchmarks._bench import Report, Say, bench, require_block, whole_number
from tests.benchmarks._recall.apart import Apart
from tests.benchmarks._recall.asking import Arm, RecalledLife, run_life
from tests.benchmarks._recall.grouping import Sizes, grouped, sizes
from tests.benchmarks._recall.lives import Data, read_data
from tests.benchmarks._recall.speed import Size, measure
from tests.benchmarks._recall.telling import (
    AMONG,
    CALLED,
    AnsweredQuestion,
    all_asked,
    block_of,
    tell_conversations,
    tell_life,
)
from tests.benchmarks._scratch import cached, scratch

DEEP = 400
"""Turns that are asked for: enough for every session and the largest budget."""
ARMS = {
    "locomo": (
        Arm("recall", "memories", "both"),
        Arm("words", "memories", "words"),
        Arm("vectors", "memories", "vectors"),
    ),
    "life": (
        Arm("recall", None, "both"),
        Arm("memories", "memories", "both"),
        Arm("words", None, "words"),
        Arm("vectors", None, "vectors"),
    ),
}
"""The ways of asking through `search`; the first is timed."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, metavar="FILE", help="LoCoMo's JSON, or a life as `remember` takes it")
    parser.add_argument(
        "--questions", type=Path, metavar="FILE", help="what a life is asked (default: beside it, NAME-questions.jsonl)"
    )
    parser.add_argument(
        "--grouped",
        nargs="?",
        type=sizes,
        const=Sizes(),
        metavar=str(Sizes()),
        help="with LoCoMo: make long memories of so many turns each",
    )
    parser.add_argument(
        "--arms",
        nargs="+",
        choices=CALLED,
        default=list(CALLED),
        metavar="ARM",
        help=f"ask in these ways alone, and by recall in any case: {' '.join(CALLED)}",
    )
    parser.add_argument("--cache", type=Path, metavar="DIR", help="keep computed vectors here for the next time")
    parser.add_argument("--details", type=Path, metavar="FILE", help="write a JSON line for each question of LoCoMo")
    parser.add_argument("--lives", type=whole_number, default=1, metavar="1", help="without --data: made-up lives")
    parser.add_argument("--memories", type=whole_number, default=100_000, metavar="100000", help="and memories of each")
    parser.add_argument("--seed", type=int, default=1, metavar="1", help="seed of what is made up, and of groups")


@bench("recall", "is what was lived through found again, and how fast", _arguments)
def recall(args: argparse.Namespace, say: Say) -> Report:
    with cached(args.cache) as cache:
        if args.data is None:
            size = Size(args.lives, args.memories, args.seed)
            require_block(args.table, size.block)
            return measure(args.vault, size, cache, say)
        data = read_data(args.data, args.questions)
        if args.grouped is not None:
            if data.form != "locomo":
                raise LociError("--grouped is for conversations; a life has no turns to group")
            data = grouped(data, args.grouped, args.seed)
        require_block(args.table, block_of(data, args.grouped))
        return _measure_lives(args, data, cache, say)


def _measure_lives(args: argparse.Namespace, data: Data, cache: Path, say: Say) -> Report:
    begun = time.perf_counter()
    lived: list[RecalledLife] = []
    deep = DEEP if data.form == "locomo" else AMONG
    first, *others = ARMS[data.form]
    arms = [first, *(arm for arm in others if arm.name in args.arms)]
    with Apart() as apart:
        for number, life in enumerate(data.lives, 1):
            say(f"life {number} of {len(data.lives)}")
            with scratch(args.vault, cache) as vault:
                lived.append(run_life(vault, life, arms, args.arms, deep, apart, say))
    seconds = time.perf_counter() - begun
    if data.form == "life":
        return tell_life(data, lived, seconds)
    asked = all_asked(data.lives, lived)
    if args.details is not None:
        _write_details(args.details, asked)
    return tell_conversations(data, lived, asked, seconds, args.grouped)


def _write_details(path: Path, asked: Sequence[AnsweredQuestion]) -> None:
    write_atomic(path, "".join(json.dumps(one.record()) + "\n" for one in asked))
