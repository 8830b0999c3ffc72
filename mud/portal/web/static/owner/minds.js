// The page Minds. The address says what is shown: #eliza/lines/1805 is the line behind that memory of hers.

import { archive } from "./archive.js";
import { Stage, address, ask, empty, failed, h, inSight, many, show, size, tabs } from "./dom.js";
import { evening } from "./evening.js";
import { graph } from "./graph.js";
import { life } from "./life.js";
import { lines } from "./lines.js";
import { prompt } from "./prompt.js";
import { search } from "./search.js";

const VIEWS = { life, lines, search, prompt, graph, evening, archive };
const NAMES = {
  life: "Life", lines: "Lines", search: "Recall", prompt: "Prompt", graph: "Notes & people", evening: "Side by side",
  archive: "Archive",
};

const list = document.getElementById("everybody");
const place = document.getElementById("mind");
let everybody = [];
let shown = { agent: "", view: "" };
const stage = new Stage();

function where() {
  const [agent, view, ...rest] = address();
  return { agent, view: Object.hasOwn(VIEWS, view ?? "") ? view : "life", rest: rest.join("/") };
}

export function bar(tiers) {
  const parts = ["longterm", "recent", "verbatim"].filter((tier) => tiers[tier]);
  return h(
    "span",
    { class: "tiers", "aria-hidden": "true" },
    parts.map((tier) => h("span", { class: tier, style: { "flex-grow": Math.max(1, Math.sqrt(size(tiers[tier]))) } })),
  );
}

// How much somebody remembers, which is not known while their memory is closed.
function memories(one) {
  return one.memories === null ? (one.person ? "away" : "memory closed") : many(one.memories, "memory", "memories");
}

function card(one, current) {
  const state = one.asleep ? "asleep" : one.paused ? "paused" : one.person ? "person" : "";
  return h(
    "a",
    { href: `#${encodeURIComponent(one.slug)}`, "aria-current": one.slug === current && "true" },
    h("strong", {}, one.name),
    state && h("span", { class: "state" }, state),
    h("span", { class: "sub" }, `${one.place ?? "nowhere"} · ${memories(one)}`),
    bar(one.tiers),
  );
}

function head(one, view) {
  const about = [
    one.place ?? "nowhere",
    one.person ? "led by a person" : `brain: ${one.brain}`,
    one.asleep && "asleep",
    one.paused && "paused",
    memories(one),
  ].filter(Boolean);
  const thought = one.thought?.line && h(
    "p", { class: "lately" }, "Last thought: ", h("q", {}, one.thought.line),
    ` by ${one.thought.brain}${one.thought.why ? `, ${one.thought.why}` : ""}`,
  );
  return h(
    "header",
    { class: "head" },
    h("h1", {}, one.name),
    h("p", { class: "about" }, about.join(" · ")),
    one.description && h("p", { class: "description" }, one.description),
    thought,
    tabs(NAMES, view, `What to see of ${one.name}`, (key) => {
      location.hash = `#${encodeURIComponent(one.slug)}/${key}`;
    }),
  );
}

async function turn() {
  const { agent, view, rest } = where();
  const one = everybody.find((each) => each.slug === agent) ?? everybody[0];
  if (!one) {
    show(list);
    show(place, empty("Nobody lives here yet. Agents are folders in agents/ of the vault."));
    return;
  }
  show(list, everybody.map((each) => card(each, one.slug)));
  inSight(list.querySelector("[aria-current]"));
  if (shown.agent !== one.slug || shown.view !== view || !place.querySelector(".view")) {
    stage.clear();
    const focused = document.activeElement?.id;
    const body = h("div", { class: `view ${view}`, role: "tabpanel", "aria-labelledby": `tab-${view}` }, empty("Looking."));
    show(place, head(one, view), body);
    if (focused?.startsWith("tab-")) document.getElementById(`tab-${view}`)?.focus();
    document.title = `${one.name}, ${NAMES[view]}`;
    shown = { agent: one.slug, view };
  }
  const body = place.querySelector(".view");
  await stage.play(body, () => VIEWS[view](body, one, rest, everybody));
}

async function refresh() {
  everybody = await ask("minds");
}

// Before anything is awaited: whoever chooses somebody while the first mind is still looked up gets the one they chose.
addEventListener("hashchange", async () => {
  if (where().agent !== shown.agent) await refresh().catch(() => {});
  await turn();
});
try {
  await refresh();
  await turn();
} catch (error) {
  show(place, failed(error));
}
