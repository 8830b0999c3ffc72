"""A brain for agents of a Loci world: it answers who speaks to it, greets who comes, and walks about.

Start the world with `run --minds websocket`, give an agent `brain: remote`, then:

    python examples/brain.py ws://127.0.0.1:8020 TOKEN Eliza

It needs the package `websockets`. The messages are described in docs/brains.md.
"""

import json
import random
import sys

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect


def decide(turn, name):
    """Return the line to submit for a turn, and a few words on why; None lets the turn pass."""
    here = turn["situation"]
    for memory in reversed(turn["memories"]):
        other, text = memory["actor"], memory["text"]
        if memory["kind"] in ("heard", "told") and name in text:
            return f"say {other}, you said that to me at {memory['at'][11:16]}. | somebody spoke to me", "was spoken to"
        if memory["kind"] == "saw" and "arrives" in text:
            return f"say Good day, {other}.", "somebody came"
    if here["people"] or not here["exits"]:
        return None, "waits for somebody to speak"
    return f"go {random.choice(here['exits'])}", "nobody is here"


def answer(turn, names):
    line, why = decide(turn, names[turn["id"]])
    print(f"{names[turn['id']]} in {turn['situation']['location']}: {line or why}", flush=True)
    return {"id": turn["id"], "epoch": turn["epoch"], "turn": turn["turn"], "line": line, "why": why, "pause": 1.0}


def main(address, token, *agents):
    with connect(address) as world:
        hello = {"type": "hello", "version": 1, "token": token, "agents": agents or ["*"], "name": "brain.py"}
        world.send(json.dumps(hello))
        names = {}
        for message in map(json.loads, world):
            if message["type"] == "welcome":
                names = {agent["id"]: agent["name"] for agent in message["agents"]}
                print(f"thinks for {', '.join(names.values()) or 'nobody'}", flush=True)
            elif message["type"] == "tick":
                lines = [answer(turn, names) for turn in message["turns"]]
                world.send(json.dumps({"type": "lines", "lines": lines}))
            else:  # an error, a line that came too late, an agent that another brain thinks for now
                who = names.get(message.get("id"), "the world")
                print(f"{who}: {message.get('message', 'the line came too late')}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: brain.py ADDRESS TOKEN [AGENT ...]")
    try:
        main(*sys.argv[1:])
    except (OSError, WebSocketException):
        sys.exit(f"no connection to {sys.argv[1]}")
