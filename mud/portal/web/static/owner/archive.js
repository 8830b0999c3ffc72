// The archive, word for word, from any number on.

import { ask, count, empty, h, show } from "./dom.js";
import { memory } from "./entry.js";

const NEWEST = 1e12; // as the number of a memory: the newest ones, where it is not known how many there are

export async function archive(place, one, rest) {
  const told = await ask("minds/archive", { agent: one.slug, first: Number.parseInt(rest, 10) || one.memories || NEWEST });
  const wanted = Number.parseInt(rest, 10);
  const go = (seq) => { location.hash = `#${encodeURIComponent(one.slug)}/archive/${Math.max(1, seq)}`; };
  if (!told.total) {
    show(place, empty(`The archive of ${one.name} is empty.`));
    return;
  }
  const last = told.first + told.entries.length - 1;
  const field = h("input", { type: "number", min: 1, max: told.total, value: wanted || told.first, id: "first" });
  show(
    place,
    h(
      "form",
      { class: "bar", onsubmit: (event) => { event.preventDefault(); go(Number(field.value)); } },
      h("label", { for: "first" }, "From memory"), field, h("button", {}, "Read"),
      h("button", { type: "button", class: "quiet", disabled: told.first <= 1, onclick: () => go(told.first - 50) }, "Earlier"),
      h("button", { type: "button", class: "quiet", disabled: last >= told.total, onclick: () => go(last + 1) }, "Later"),
      h("span", { class: "hint" }, `${count(told.first)} to ${count(last)} of ${count(told.total)}`),
    ),
    told.entries.map((entry) => {
      const element = memory(entry, one.slug);
      if (entry.seq === wanted) element.classList.add("wanted");
      return element;
    }),
  );
  place.querySelector(".wanted")?.scrollIntoView({ block: "center" });
}
