"""`bench doors`: what people at many doors cost, and how soon they are answered.

The world runs in a process of its own, as `run` does; this one holds all clients. Figures of the world are those that
Prometheus reads.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.benchmarks._bench import Report, Say, Table, bench, require_block, some_of, whole_number
from tests.benchmarks._doors import measuring
from tests.benchmarks._scratch import cached, scratch

PARTS = ("talk", "pace", "alone", "idle", "start", "together")
Record = dict[str, Any]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--parts", type=some_of(PARTS), default=list(PARTS), metavar=",".join(PARTS), help="measure these alone"
    )
    parser.add_argument("--clients", type=whole_number, default=50, metavar="50", help="clients that talk in one room")
    parser.add_argument("--seconds", type=whole_number, default=120, metavar="120", help="how long they talk")
    parser.add_argument(
        "--pace", type=whole_number, default=250, metavar="250", help="lines a second of all, where they pause"
    )
    parser.add_argument("--lines", type=whole_number, default=1000, metavar="1000", help="lines of one who is alone")
    parser.add_argument("--idle", type=whole_number, default=500, metavar="500", help="connections that do nothing")
    parser.add_argument("--starts", type=whole_number, default=7, metavar="7", help="pairs of starts")
    parser.add_argument("--each", type=whole_number, default=10, metavar="10", help="agents, and people among them")
    parser.add_argument("--minutes", type=float, default=10.0, metavar="10", help="how long these live together")
    parser.add_argument("--seed", type=int, default=1, metavar="1", help="seed of what is said")


@bench("doors", "what do people at many doors cost, and how soon are they answered", _arguments)
def doors(args: argparse.Namespace, say: Say) -> Report:
    require_block(args.table, "doors")
    measure: dict[str, Callable[[Path], Record]] = {
        "talk": lambda vault: asyncio.run(measuring.talk(vault, args.clients, args.seconds, 0, args.seed, say)),
        "pace": lambda vault: asyncio.run(measuring.talk(vault, args.clients, args.seconds, args.pace, args.seed, say)),
        "alone": lambda vault: asyncio.run(measuring.alone(vault, args.lines, say)),
        "idle": lambda vault: asyncio.run(measuring.idle(vault, args.idle, say)),
        "start": lambda vault: measuring.start(vault, args.starts, say),
        "together": lambda vault: asyncio.run(measuring.together(vault, args.each, args.minutes, args.seed, say)),
    }
    record: Record = {}
    with cached(None) as cache:
        for part in args.parts:
            with scratch(args.vault, cache) as vault:
                record[part] = measure[part](vault)
    return _report(record)


def _report(record: Record) -> Report:
    rows = [row for part, found in record.items() for row in ROWS[part](found)]
    told = (
        "All on one machine: the world is one process, all clients are another. An echo is timed from the typing of a "
        "line to the moment when its own client has the reply. Who talks as fast as echoes come waits for all others; "
        "at a pace, people type whether or not others are answered. What is remembered was counted in the archives "
        "afterwards. While a pass of the event loop lasts, nobody else is served; by cpu counts what it worked "
        "itself, the rest went to other threads and programs."
    )
    return Report("doors", record, [Table(("people at doors", "measured"), rows)], told)


def _talk_rows(name: str) -> Callable[[Record], list[tuple[str, str]]]:
    def rows(one: Record) -> list[tuple[str, str]]:
        echo = one["echo_ms"]
        return [
            (
                f"{one['clients']} clients {name}, {one['seconds']:.0f} s: says a second / a second of the world's cpu",
                f"{one['says_a_second']:,} / {one['says_a_cpu_second']:,}",
            ),
            ("own echo: p50 / p95 / p99, ms", f"{echo['p50']:.0f} / {echo['p95']:.0f} / {echo['p99']:.0f}"),
            ("memories of it / missing / twice", f"{one['memories']:,} / {one['missing']} / {one['twice']}"),
            ("folds / folds and words caught up after, s", f"{one['folds']:,} / {one['caught_up_s']:.1f}"),
            ("resident before / after / when caught up, MB", " / ".join(map(str, one["rss_mb"]))),
            ("processors busy: world / clients", f"{one['world_cpu']} / {one['clients_cpu']}"),
            _gaps(one),
        ]

    return rows


def _gaps(one: Record) -> tuple[str, str]:
    (wall, cpu), (gaps, own) = one["longest_ms"], one["gaps_over_30_ms"]
    return "event loop: longest pass / by cpu, ms; over 30 ms / by cpu", f"{wall} / {cpu}; {gaps:,} / {own:,}"


def _alone_rows(one: Record) -> list[tuple[str, str]]:
    return [
        (f"one client alone over {name}: p50 / p99, ms", f"{found['p50']:.2f} / {found['p99']:.2f}")
        for name, found in (("telnet", one["telnet_ms"]), ("the websocket", one["websocket_ms"]))
    ]


def _idle_rows(one: Record) -> list[tuple[str, str]]:
    before, after = one["rss_mb"]
    return [(f"{one['connections']} idle connections: resident before / after, MB", f"{before:.0f} / {after:.0f}")]


def _start_rows(one: Record) -> list[tuple[str, str]]:
    seconds = f"{one['without']:.2f} / {one['with']:.2f} / {one['more']:+.2f}"
    return [(f"first screen without / with doors / more, s (median of {one['pairs']})", seconds)]


def _together_rows(one: Record) -> list[tuple[str, str]]:
    name = f"{one['agents']} agents, {one['people']} people, {one['minutes']:g} min"
    answer = one["answer_ms"]
    return [(f"{name}: answer p50 / p99, ms", f"{answer['p50']:.1f} / {answer['p99']:.1f}"), _gaps(one)]


ROWS: dict[str, Callable[[Record], list[tuple[str, str]]]] = {
    "talk": _talk_rows("talk as fast as echoes come"),
    "pace": _talk_rows("talk at a pace"),
    "alone": _alone_rows,
    "idle": _idle_rows,
    "start": _start_rows,
    "together": _together_rows,
}
