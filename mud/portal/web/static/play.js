// The page Play: the story, and beside it what is around.

import { byId, counted, el } from "./dom.js";
import { drawChart } from "./chart.js";
import { connect } from "./page.js";

let here = null;
let chart = null;

const { send } = connect("play", {
  hello: ({ name, now, offset }) => {
    byId("self").textContent = name;
    startClock(Date.parse(now) - performance.now(), offset);
  },
  place: (place) => {
    here = place?.id ?? null;
    showPlace(place);
    showChart();
  },
  chart: (value) => {
    chart = value;
    showChart();
  },
  memory: showMemory,
});

function showPlace(place) {
  byId("place").textContent = place ? place.name : "Nowhere";
  const ways = place?.ways ?? [];
  for (const box of [byId("ways"), byId("ways-below")]) {
    box.replaceChildren(...ways.map(([name, , to]) => way(name, to)));
  }
  const people = place?.people ?? [];
  byId("people").replaceChildren(
    ...people.map(([, name, thinks, asleep]) =>
      el("li", { class: asleep ? "person asleep" : "person" }, name, note(asleep ? "asleep" : thinks ? "a mind" : ""))),
  );
  byId("nobody").hidden = people.length > 0;
  byId("nobody").textContent = place?.asleep ? "You are asleep." : "Nobody but you.";
  list("items", place?.items ?? []);
  list("carrying", place?.carrying ?? []);
}

function way(name, to) {
  const button = el("button", { type: "button", class: "way", onclick: () => send(`go ${name}`) }, name);
  if (to) {
    button.append(el("span", { class: "to" }, to));
    button.setAttribute("aria-label", `${name}, to ${to}`);
  }
  return button;
}

function note(text) {
  return text ? el("span", { class: "aside" }, ` ${text}`) : null;
}

function list(id, names) {
  byId(id).replaceChildren(...names.map((name) => el("li", { class: "item" }, name)));
  byId(id).previousElementSibling.hidden = names.length === 0;
  byId("nothing").hidden = byId("items").childElementCount + byId("carrying").childElementCount > 0;
}

function showChart() {
  if (chart) drawChart(byId("chart"), chart, here);
}

function showMemory(memory) {
  byId("memory-panel").hidden = !memory;
  if (!memory) return;
  const [longterm, recent, verbatim, next] = memory;
  const total = longterm + recent + verbatim;
  for (const [id, count] of Object.entries({ longterm, recent, verbatim })) {
    byId(id).style.flexGrow = count;
    byId(id).hidden = count === 0;
    byId(`${id}-count`).textContent = count.toLocaleString("en");
  }
  byId("total").textContent = counted(total, "memory", "memories");
  byId("next").textContent = next ? `The next fold comes at ${next.toLocaleString("en")}.` : "";
}

function startClock(start, offset) {
  clearInterval(startClock.timer);
  const tick = () => {
    const there = new Date(start + performance.now() + offset * 60000);
    const day = { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" };
    byId("time").textContent = there.toISOString().slice(11, 16);
    byId("time").dateTime = there.toISOString().slice(0, 16);
    byId("day").textContent = there.toLocaleDateString("en-GB", day);
  };
  tick();
  startClock.timer = setInterval(tick, 5000);
}

// Panels that were put away stay so.
for (const panel of document.querySelectorAll("details.panel")) {
  const key = `panel-${panel.id}`;
  try {
    if (localStorage.getItem(key) === "shut") panel.open = false;
  } catch {
    // Then all are open.
  }
  panel.addEventListener("toggle", () => {
    try {
      localStorage.setItem(key, panel.open ? "open" : "shut");
    } catch {
      // Then it holds for this page.
    }
  });
}

const around = byId("around");
byId("show-around").addEventListener("click", () => {
  const shown = document.body.classList.toggle("around-shown");
  byId("show-around").setAttribute("aria-expanded", shown);
  if (shown) around.focus();
});
around.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    document.body.classList.remove("around-shown");
    byId("show-around").setAttribute("aria-expanded", false);
  }
});
