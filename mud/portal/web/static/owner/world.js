// The page World. The address says what is shown: #settings/recall is one file of settings.

import { chronicle } from "./chronicle.js";
import { cost } from "./cost.js";
import { Stage, address, empty, h, show, tabs } from "./dom.js";
import { models } from "./models.js";
import { problems } from "./problems.js";
import { settings } from "./settings.js";

const VIEWS = { chronicle, models, cost, settings, problems };
const NAMES = { chronicle: "Chronicle", models: "Models", cost: "Cost", settings: "Settings", problems: "Problems" };

const bar = document.getElementById("tabs");
const place = document.getElementById("view");
const stage = new Stage();

async function turn() {
  const [name, ...rest] = address();
  const view = Object.hasOwn(VIEWS, name) ? name : "chronicle";
  stage.clear();
  const focused = document.activeElement?.getAttribute("role") === "tab";
  show(bar, tabs(NAMES, view, "What to see of the world", (key) => { location.hash = `#${key}`; }));
  if (focused) document.getElementById(`tab-${view}`)?.focus();
  place.setAttribute("aria-labelledby", `tab-${view}`);
  document.title = `World, ${NAMES[view]}`;
  const body = h("div", { class: `view ${view}` }, empty("Looking."));
  show(place, body);
  await stage.play(body, () => VIEWS[view](body, rest.join("/")));
}

addEventListener("hashchange", turn);
await turn();
