// How the language models are doing, looked at again every few seconds.

import { ask, count, empty, h, show } from "./dom.js";

const EVERY = 3000;
const STATES = { up: "answers", unknown: "never asked", shaky: "shaky", down: "down" };

export async function models(place) {
  const draw = async () => show(place, table(await ask("world/models")));
  await draw();
  const timer = setInterval(() => document.hidden || draw().catch(() => {}), EVERY);
  return () => clearInterval(timer);
}

function table(told) {
  if (!told.profiles.length) return empty("No model is set up. The agents live by instinct, and rules write their summaries.");
  return [
    h(
      "table",
      { class: "grid" },
      h("thead", {}, h("tr", {}, ["profile", "waiting", "running", "asked", "answered", "failed", "cancelled", "mean"].map(
        (name, at) => h("th", { scope: "col", class: at ? "number" : "" }, name)))),
      told.profiles.map((one) => h(
        "tbody",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "row" }, one.name),
          [one.waiting, one.hosts.reduce((sum, host) => sum + host.running, 0), one.asked, one.answered, one.failed, one.cancelled]
            .map((number) => h("td", { class: "number" }, count(number))),
          h("td", { class: "number" }, one.mean === null ? "none yet" : `${one.mean.toFixed(1)} s`),
        ),
        one.hosts.map((host) => h("tr", { class: "host" }, h("td", { colspan: 8 },
          h("span", { class: `state ${host.state}` }, STATES[host.state] ?? host.state), ` ${host.host || host.backend}, `,
          host.model ?? "the first model listed", h("span", { class: "sub" }, ` ${host.words}`),
          host.error && h("p", { class: "trouble" }, host.error)))),
        one.hosts.length ? null : h("tr", { class: "host" }, h("td", { colspan: 8 }, "Its backend does not exist.")),
      )),
    ),
    h("p", { class: "hint" }, told.embeds.by ? "A server makes the embeddings. " : "Embeddings are made on this machine. ",
      told.embeds.trouble ? `They are missing now: ${told.embeds.trouble}` : ""),
  ];
}
