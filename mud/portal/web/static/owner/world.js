// The page World. The address says what is shown: #settings/recall is one file of settings.

import { chronicle } from "./chronicle.js";
import { cost } from "./cost.js";
import { empty, failed, show, tabs } from "./dom.js";
import { models } from "./models.js";
import { problems } from "./problems.js";
import { settings } from "./settings.js";

const VIEWS = { chronicle, models, cost, settings, problems };
const NAMES = { chronicle: "Chronicle", models: "Models", cost: "Cost", settings: "Settings", problems: "Problems" };

const bar = document.getElementById("tabs");
const place = document.getElementById("view");
let leave = () => {};

async function turn() {
  const [name, ...rest] = location.hash.slice(1).split("/").map(decodeURIComponent);
  const view = VIEWS[name] ? name : "chronicle";
  leave();
  leave = () => {};
  const focused = document.activeElement?.getAttribute("role") === "tab";
  show(bar, tabs(NAMES, view, "What to see of the world", (key) => { location.hash = `#${key}`; }));
  if (focused) document.getElementById(`tab-${view}`)?.focus();
  place.className = `view ${view}`;
  place.setAttribute("aria-labelledby", `tab-${view}`);
  document.title = `World, ${NAMES[view]}`;
  show(place, empty("Looking."));
  try {
    leave = (await VIEWS[view](place, rest.join("/"))) ?? leave;
  } catch (error) {
    show(place, failed(error));
  }
}

addEventListener("hashchange", turn);
await turn();
