// What was spent on models: by day, by agent and task, and the limits.

import { ask, count, empty, h, many, show } from "./dom.js";

const SHADES = ["spoken", "longterm", "verbatim", "recent", "inward", "seen", "done", "accent"];
const tokens = (amount) => amount.prompt + amount.reply;

export async function cost(place) {
  const told = await ask("world/cost");
  show(
    place,
    told.used_up.map((sentence) => h("p", { class: "wrong" }, sentence)),
    told.rows.length ? [days(told), table(told)] : empty("Nothing was spent on models. Instinct and rules cost nothing."),
    h("section", {}, h("h2", {}, "Limits"),
      told.limits.length
        ? h("ul", { class: "plain" }, told.limits.map((limit) => h("li", {}, h("code", {}, limit.key), ` ${count(limit.most)}`, limit.whose && ` for ${limit.whose}`)))
        : h("p", { class: "hint" }, "No limit is set. ", h("a", { href: "#settings/budget" }, "They are settings of config/budget.md"), ".")),
  );
}

function days(told) {
  if (!told.days.length) return null;
  const owners = [...new Set(told.days.flatMap((day) => Object.keys(day.owners)))].sort();
  const shade = (owner) => `var(--${SHADES[owners.indexOf(owner) % SHADES.length]})`;
  const sums = told.days.map((day) => Object.values(day.owners).reduce((sum, one) => sum + tokens(one), 0));
  const most = Math.max(1, ...sums);
  return h(
    "section",
    {},
    h("h2", {}, "Tokens by day"),
    h("ol", { class: "days" }, told.days.map((day, at) => h(
      "li",
      {},
      h("span", { class: "day" }, day.day),
      h("span", { class: "track" }, Object.entries(day.owners).sort().map(([owner, one]) => h("i", {
        title: `${owner || "nobody"}: ${many(one.calls, "call")}, ${many(tokens(one), "token")}`,
        style: { width: `${(tokens(one) / most) * 100}%`, background: shade(owner) },
      }))),
      h("span", { class: "value" }, count(sums[at])),
      h("ul", { class: "unseen" }, Object.entries(day.owners).map(([owner, one]) => h("li", {}, `${owner || "nobody"}: ${count(tokens(one))}`))),
    ))),
    h("p", { class: "legend" }, owners.map((owner) => h("span", { class: "key" }, h("i", { style: { background: shade(owner) } }), owner || "nobody"))),
  );
}

function table(told) {
  const spans = { hour: "this hour", day: "today", total: "in all" };
  return h(
    "section",
    {},
    h("h2", {}, "By agent and task"),
    h(
      "table",
      { class: "grid" },
      h("thead", {},
        h("tr", {}, h("th", { scope: "col" }, "who"), h("th", { scope: "col" }, "for"),
          Object.values(spans).map((name) => h("th", { scope: "colgroup", colspan: 2, class: "number" }, name))),
        h("tr", { class: "sub" }, h("td"), h("td"), Object.keys(spans).map(() => [h("td", { class: "number" }, "calls"), h("td", { class: "number" }, "tokens")]))),
      h("tbody", {}, told.rows.map((row) => h("tr", {}, h("th", { scope: "row" }, row.owner || "nobody"), h("td", {}, row.task),
        Object.keys(spans).map((span) => [h("td", { class: "number" }, count(row[span].calls)), h("td", { class: "number" }, count(tokens(row[span])))])))),
    ),
    h("p", { class: "hint" }, "Hours and days are those of UTC."),
  );
}
