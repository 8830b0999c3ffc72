// The parts of a score of recall, as a bar and as words.

import { h } from "./dom.js";

const PARTS = {
  lexical: ["words", "spoken"], vector: ["meaning", "seen"], neighbours: ["what stands beside it", "done"],
  who: ["who said it", "accent"], when: ["when it was", "recent"], answer: ["answers the question", "longterm"],
  called: ["named in the question", "verbatim"], echoed: ["said first", "inward"], recency: ["how recent", "soft"],
  importance: ["importance", "inward"],
};

export function score(total, parts) {
  const told = Object.entries(PARTS)
    .map(([key, [name, colour]]) => ({ name, colour, value: parts[key] }))
    .filter((one) => typeof one.value === "number" && Math.abs(one.value) >= 0.0005);
  const bars = told.map((one) =>
    h(
      "li",
      {},
      h("span", { class: "part" }, one.name),
      h("span", { class: "track", "aria-hidden": "true" }, h("i", {
        style: { width: `${Math.min(100, Math.abs(one.value) * 100)}%`, background: `var(--${one.colour})` },
      })),
      h("span", { class: "value" }, one.value.toFixed(3)),
    ),
  );
  return h(
    "details",
    { class: "score" },
    h("summary", {}, h("strong", {}, total.toFixed(3)), h("span", { class: "sub" }, " what the score is made of")),
    bars.length ? h("ul", {}, bars) : h("p", { class: "hint" }, "No part of the score is kept."),
  );
}
