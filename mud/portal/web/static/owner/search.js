// Recall, as the agent itself does it.

import { ask, count, empty, failed, h, many, show, span, time } from "./dom.js";
import { kind } from "./entry.js";
import { score } from "./score.js";

const ONLY = { "": "everything", memories: "memories", summaries: "summaries", notes: "notes" };

export async function search(place, one, rest) {
  const field = h("input", {
    type: "search", id: "query", name: "query", value: rest, maxlength: 400, autocomplete: "off",
    placeholder: "Who gave you the key?",
  });
  const only = h("select", { id: "only" }, Object.entries(ONLY).map(([value, name]) => h("option", { value }, name)));
  const found = h("div", { "aria-live": "polite" });
  const go = async () => {
    show(found, empty("Searching."));
    try {
      show(found, results(await ask("minds/search", { agent: one.slug, query: field.value, only: only.value }), one));
    } catch (error) {
      show(found, failed(error));
    }
  };
  show(
    place,
    h(
      "form",
      { class: "bar", role: "search", onsubmit: (event) => { event.preventDefault(); go(); } },
      h("label", { for: "query" }, `Ask ${one.name}'s memory`), field,
      h("label", { for: "only", class: "unseen" }, "Look in"), only,
      h("button", {}, "Recall"),
    ),
    found,
  );
  if (rest) await go();
  else show(found, empty("The best hits come first, with everything that their score is made of."));
  field.focus();
}

function results(told, one) {
  if (!told.hits.length) return empty(`${one.name} remembers nothing of that.`);
  return [
    h("p", { class: "hint" }, many(told.hits.length, "hit"), told.behind ? "; some vectors are still missing, so words count for more." : "."),
    h("ol", { class: "hits" }, told.hits.map((hit) => h("li", {}, result(hit, one)))),
  ];
}

function result(hit, one) {
  const from = hit.covers
    ? h("span", {}, `memories ${span(hit.covers)}`)
    : hit.title
      ? h("a", { href: `#${encodeURIComponent(one.slug)}/graph/${encodeURIComponent(hit.title)}` }, hit.title)
      : h("a", { class: "seq", href: `#${encodeURIComponent(one.slug)}/lines/${hit.seq}` }, `#${count(hit.seq)}`);
  return [
    h("p", { class: "where" }, from, h("span", {}, kind(hit.kind)), hit.actor && h("span", {}, hit.actor), hit.at && time(hit.at),
      hit.times > 1 && h("span", {}, `${many(hit.times, "time")} alike`)),
    h("p", { class: "text" }, hit.text),
    score(hit.score, hit),
  ];
}
