"""`bench compaction`: what each strategy keeps of a life, how long its views are, and what it costs.

`--data` names a life with questions; without it, a life with planted facts is made up. No text of the data is written.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mud.errors import LociError
from mud.registry import plug_in_names
from tests.benchmarks._bench import Report, Say, Table, bench, require_block, some_of, whole_number, whole_numbers
from tests.benchmarks._compaction import archive, micro, summaries, threshold
from tests.benchmarks._compaction.living import LivingMode, live
from tests.benchmarks._compaction.made_up import LEAST, made_up_life
from tests.benchmarks._compaction.telling import facts, row_of, sizes, told, verdict
from tests.benchmarks._compaction.watching import COUNTED_BY
from tests.benchmarks._recall.lives import BenchmarkLife, read_data
from tests.benchmarks._scratch import NONE, cached

STRATEGIES = plug_in_names("agents.compaction.strategies")
PARTS = ("strategies", "micro", "threshold", "archive", "summaries")


def _rows_before(text: str) -> list[dict[str, Any]]:
    try:
        return list(json.loads(Path(text).read_text("utf-8"))["summaries"])
    except (OSError, ValueError, KeyError, TypeError):
        raise argparse.ArgumentTypeError(f"{text!r} holds no such record of the part summaries") from None


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, metavar="FILE", help="a life as `remember` takes it")
    parser.add_argument(
        "--questions", type=Path, metavar="FILE", help="what it is asked (default: beside it, NAME-questions.jsonl)"
    )
    parser.add_argument(
        "--parts", type=some_of(PARTS), default=list(PARTS), metavar=",".join(PARTS), help="measure these alone"
    )
    parser.add_argument(
        "--strategies",
        type=some_of(STRATEGIES),
        default=list(STRATEGIES),
        metavar="A,B",
        help=f"live under these alone: {','.join(STRATEGIES)}",
    )
    parser.add_argument("--model", action="store_true", help="have the model of config/llm/summarizer write summaries")
    parser.add_argument("--lexical", action="store_true", help="recall goes by words alone; no vectors are made")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="keep computed vectors here for the next time")
    parser.add_argument("--memories", type=whole_number, default=2000, metavar="2000", help="without --data: how many")
    parser.add_argument("--seed", type=int, default=1, metavar="1", help="seed of what is made up")
    parser.add_argument(
        "--thresholds",
        type=whole_numbers,
        default=list(threshold.THRESHOLDS),
        metavar="N,M",
        help="of the part threshold: values of threshold_tokens",
    )
    parser.add_argument(
        "--savings", type=whole_numbers, default=list(threshold.SAVINGS), metavar="N,M", help="and of min_saving_tokens"
    )
    parser.add_argument(
        "--steps",
        type=whole_number,
        default=summaries.STEPS,
        metavar=str(summaries.STEPS),
        help="of the part summaries: lines submitted in the simulation",
    )
    parser.add_argument(
        "--before", type=_rows_before, default=[], metavar="FILE", help="and what --json printed earlier, to compare"
    )


@bench("compaction", "what each strategy keeps of a life, how long its views are, and what it costs", _arguments)
def compaction(args: argparse.Namespace, say: Say) -> Report:
    name = _name(args)
    require_block(args.table, name)
    life = _life(args)
    with cached(args.cache) as cache:
        begun = time.perf_counter()
        record, tables = _measured(args, life, LivingMode(args.vault, cache, args.model, not args.lexical), say)
        record["seconds"] = round(time.perf_counter() - begun, 1)
    text = told(record) + " " if "strategies" in record else ""
    text += f"{summaries.told(args.steps, args.seed)} " if "summaries" in record else ""
    return Report(name, record, tables, f"{text}Everything took {record['seconds']:.0f} s.")


def _name(args: argparse.Namespace) -> str:
    """Return the name of the block in a file; it names the parts, so that a partial run replaces no full one."""
    return " ".join(["compaction", *(["made-up"] if args.data is None else []), *args.parts])


def _life(args: argparse.Namespace) -> BenchmarkLife:
    if args.data is None:
        if args.memories < LEAST:
            raise LociError(f"a life of {args.memories} memories has no room for the facts; expected {LEAST} at least")
        return made_up_life(args.memories, args.seed)
    data = read_data(args.data, args.questions)
    if data.form != "life":
        raise LociError(f"{args.data} holds conversations; expected one life of JSON lines")
    return data.lives[0]


def _measured(
    args: argparse.Namespace, life: BenchmarkLife, way: LivingMode, say: Say
) -> tuple[dict[str, Any], list[Table]]:
    record: dict[str, Any] = {
        "bench": "compaction",
        "data": "life" if args.data is not None else "made-up",
        "entries": len(life.records),
        "counted_by": COUNTED_BY,
    }
    tables = []
    if "strategies" in args.parts:
        record |= _strategies(args.strategies, life, way, say)
        tables += [sizes(record["strategies"]), facts(life, record["strategies"])]
    if "micro" in args.parts:
        record["micro"] = micro.measure(way.vault, way.cache, say)
        tables.append(micro.table(record["micro"]))
    if "threshold" in args.parts:
        record["threshold"] = threshold.measure(life, way, say, args.thresholds, args.savings)
        tables.append(threshold.table(record["threshold"]))
    if "archive" in args.parts:
        record["archive"] = archive.measure(say)
        tables.append(archive.table(record["archive"]))
    if "summaries" in args.parts:
        record["summaries"] = summaries.measure(way, args.steps, args.seed, say)
        tables.append(summaries.table(record["summaries"], args.before))
    return record, tables


def _strategies(names: Sequence[str], life: BenchmarkLife, way: LivingMode, say: Say) -> dict[str, Any]:
    record: dict[str, Any] = {"questions": len(life.questions)}
    rows = []
    for number, name in enumerate(names, 1):
        say(f"strategy {number} of {len(names)}: {name}")
        lived = live(life, way, {"strategy": name}, ask=True)
        record |= {"window": lived.window, "by": "words" if lived.embedder == NONE else f"words and {lived.embedder}"}
        rows.append(row_of(life, name, lived))
        say(f"{lived.totals.folds} folds, {lived.seconds:.1f} s")
    return record | verdict(rows) | {"strategies": rows}
