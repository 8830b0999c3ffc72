// One time, as two remember it, side by side.

import { ask, empty, failed, h, many, show, time } from "./dom.js";
import { kind, words } from "./entry.js";

const local = (at) => {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "" : new Date(date - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
};
const world = (text) => (text ? new Date(text).toISOString() : "");

export async function evening(place, one, rest, everybody) {
  const others = everybody.filter((each) => each.slug !== one.slug);
  if (!others.length) {
    show(place, empty("Nobody else is here whose memory could stand beside this one."));
    return;
  }
  const other = h("select", { id: "other" }, others.map((each) => h("option", { value: each.slug, selected: each.slug === rest }, each.name)));
  const since = h("input", { type: "datetime-local", id: "since" });
  const until = h("input", { type: "datetime-local", id: "until" });
  const found = h("div", { "aria-live": "polite" });
  const go = async (last) => {
    show(found, empty("Looking."));
    try {
      const range = last ? {} : { since: world(since.value), until: world(until.value) };
      const told = await ask("minds/evening", { one: one.slug, other: other.value, ...range });
      [since.value, until.value] = [local(told.since), local(new Date(Date.parse(told.until) + 59999).toISOString())];
      show(found, table(told));
    } catch (error) {
      show(found, failed(error));
    }
  };
  other.addEventListener("change", () => go(true));
  show(
    place,
    h(
      "form",
      { class: "bar", onsubmit: (event) => { event.preventDefault(); go(false); } },
      h("label", { for: "other" }, `${one.name} and`), other,
      h("label", { for: "since" }, "from"), since, h("label", { for: "until" }, "to"), until,
      h("button", {}, "Show"),
      h("button", { type: "button", class: "quiet", onclick: () => go(true) }, "Their last meeting"),
    ),
    found,
  );
  await go(true);
}

function table(told) {
  if (!told.rows.length) return empty("Neither remembers anything of this time.");
  const both = told.rows.filter((row) => row.sides.every((side) => side.length)).length;
  return [
    h("p", { class: "hint" }, `${both} of ${many(told.rows.length, "moment")} are remembered by both`,
      told.cut ? "; what came earlier is left out." : "."),
    h(
      "table",
      { class: "sides" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "When"), told.names.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, told.rows.map((row) => h(
        "tr",
        { class: row.sides.every((side) => side.length) ? "both" : "" },
        h("th", { scope: "row" }, time(row.at, true), row.place && h("span", {}, row.place)),
        row.sides.map((side, at) => h("td", {}, side.length ? side.map((entry) => remembered(entry, told.slugs[at])) : h("span", { class: "unseen" }, "not witnessed"))),
      ))),
    ),
  ];
}

const remembered = (entry, slug) => h(
  "p",
  { class: `text ${entry.kind}` },
  h("a", { class: "seq", href: `#${encodeURIComponent(slug)}/lines/${entry.seq}` }, kind(entry.kind)),
  ` ${words(entry)}`,
  entry.reason && h("span", { class: "reason" }, ` because: ${entry.reason}`),
);
