// A brain for agents of a Loci world: it answers who speaks to it, greets who comes, and walks about.
//
// Start the world with `run --minds websocket`, give an agent `brain: remote`, then:
//
//     node examples/brain.mjs ws://127.0.0.1:8020 TOKEN Eliza
//
// Node 22 or newer; older ones from 20.10 on with `node --experimental-websocket`. No package is needed.
// The messages are described in docs/brains.md.

const [address, token, ...agents] = process.argv.slice(2);
if (!token) {
  console.error("usage: brain.mjs ADDRESS TOKEN [AGENT ...]");
  process.exit(2);
}

const names = new Map();
const world = new WebSocket(address);
const send = (message) => world.send(JSON.stringify(message));

// The line to submit for a turn, and a few words on why; null lets the turn pass.
function decide(turn, name) {
  const { people, exits } = turn.situation;
  for (const { actor, kind, text, at } of turn.memories.toReversed()) {
    if (["heard", "told"].includes(kind) && text.includes(name)) {
      return [`say ${actor}, you said that to me at ${at.slice(11, 16)}. | somebody spoke to me`, "was spoken to"];
    }
    if (kind === "saw" && text.includes("arrives")) {
      return [`say Good day, ${actor}.`, "somebody came"];
    }
  }
  if (people.length || !exits.length) {
    return [null, "waits for somebody to speak"];
  }
  return [`go ${exits[Math.floor(Math.random() * exits.length)]}`, "nobody is here"];
}

function answer(turn) {
  const name = names.get(turn.id);
  const [line, why] = decide(turn, name);
  console.log(`${name} in ${turn.situation.location}: ${line ?? why}`);
  return { id: turn.id, epoch: turn.epoch, turn: turn.turn, line, why, pause: 1.0 };
}

world.onopen = () =>
  send({ type: "hello", version: 1, token, agents: agents.length ? agents : ["*"], name: "brain.mjs" });

world.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if (message.type === "welcome") {
    message.agents.forEach(({ id, name }) => names.set(id, name));
    console.log(`thinks for ${[...names.values()].join(", ") || "nobody"}`);
  } else if (message.type === "tick") {
    send({ type: "lines", lines: message.turns.map(answer) });
  } else {
    // an error, a line that came too late, an agent that another brain thinks for now
    console.error(`${names.get(message.id) ?? "the world"}: ${message.message ?? "the line came too late"}`);
  }
};

world.onerror = world.onclose = ({ code }) => {
  if (code <= 1001) process.exit(); // the world has ended
  console.error(`no connection to ${address}`);
  process.exit(1);
};
