// How a memory is written down on these pages.

import { count, h, time } from "./dom.js";

const KINDS = {
  said: "said", heard: "heard", did: "did", saw: "saw", moved: "went", result: "looked", thought: "thought",
  note: "noted", dream: "dreamed", told: "was told",
};

export const kind = (name) => KINDS[name] ?? name;

export const words = (entry) =>
  entry.text || (entry.kind === "result" ? "(what a search of its own memory showed)" : "(nothing)");

export function memory(entry, agent) {
  return h(
    "article",
    { class: `memory ${entry.kind}${entry.failed ? " failed" : ""}` },
    h(
      "p",
      { class: "where" },
      h("a", { class: "seq", href: `#${encodeURIComponent(agent)}/lines/${entry.seq}` }, `#${count(entry.seq)}`),
      h("span", { class: "kind" }, entry.failed ? `${kind(entry.kind)}, in vain` : kind(entry.kind)),
      time(entry.at),
      entry.place && h("span", {}, entry.place),
      weight(entry.importance),
    ),
    h("p", { class: "text" }, words(entry)),
    entry.reason && h("p", { class: "reason" }, `because: ${entry.reason}`),
  );
}

export const weight = (importance) =>
  h(
    "span",
    { class: "weight", title: `importance ${importance} of 10` },
    h("span", { class: "unseen" }, `importance ${importance} of 10`),
    h("span", { class: "dots", "aria-hidden": "true" }, "●".repeat(Math.ceil(importance / 2))),
  );
