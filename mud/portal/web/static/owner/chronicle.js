// What happens in the world, as it happens, filtered by place, person and kind.

import { h, recently, show, socket } from "./dom.js";

const MOST = 1000;
const KINDS = { speech: "speech", emote: "gestures", action: "deeds", departure: "departures", arrival: "arrivals" };
const RETRY = 2000;

export async function chronicle(place) {
  const events = [];
  const list = h("div", { class: "events", role: "log", "aria-live": "off", "aria-label": "Chronicle", tabindex: 0 });
  const state = h("span", { class: "hint", role: "status" });
  const filters = { place: pick("place", "any place"), actor: pick("actor", "anybody"), kind: pick("kind", "any kind") };
  const words = h("input", { type: "search", id: "words", placeholder: "words", "aria-label": "Words" });
  filters.kind.append(...Object.entries(KINDS).map(([value, name]) => h("option", { value }, name)));
  const known = { place: new Set(), actor: new Set() };
  let over = false;
  let wire;

  function pick(id, any) {
    return h("select", { id, "aria-label": any, onchange: () => draw() }, h("option", { value: "" }, any));
  }

  const fits = (event) =>
    Object.entries(filters).every(([key, filter]) => !filter.value || event[key] === filter.value) &&
    (!words.value || `${event.text} ${event.place}`.toLowerCase().includes(words.value.toLowerCase()));

  function learn(event) {
    for (const key of ["place", "actor"]) {
      if (!event[key] || known[key].has(event[key])) continue;
      known[key].add(event[key]);
      const after = [...filters[key].options].slice(1).find((one) => one.value > event[key]);
      filters[key].insertBefore(h("option", { value: event[key] }, event[key]), after ?? null);
    }
  }

  const item = (event) => h(
    "p",
    { class: event.kind ?? "earlier" },
    recently(event.at),
    h("span", { class: "place" }, event.place ?? "nowhere"),
    h("span", { class: "text" }, event.text),
  );

  function draw() {
    show(list, events.filter(fits).map(item));
    say();
    list.scrollTop = list.scrollHeight;
  }

  function say(extra = "") {
    const shown = list.childElementCount;
    const filtered = shown < events.length ? ` of ${events.length}` : "";
    state.textContent = extra || (events.length ? `${shown}${filtered} ${events.length === 1 ? "event" : "events"}, live` :
      "Nothing has happened yet. It shows here as soon as something does.");
  }

  function add(fresh) {
    const below = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    for (const event of fresh) {
      learn(event);
      events.push(event);
      if (fits(event)) list.append(item(event));
    }
    const gone = events.splice(0, Math.max(0, events.length - MOST));
    for (const event of gone) if (fits(event)) list.firstElementChild?.remove();
    say();
    if (below) list.scrollTop = list.scrollHeight;
  }

  function listen() {
    if (over) return;
    wire = socket("world/chronicle");
    let first = true;
    wire.addEventListener("message", ({ data }) => {
      const fresh = JSON.parse(data);
      if (first) {
        events.length = 0;
        list.replaceChildren();
        first = false;
      }
      add(fresh);
    });
    wire.addEventListener("close", ({ code }) => {
      if (over) return;
      say(code === 4403 ? "You are no longer signed in as an owner here." : "The connection is gone; trying again.");
      if (code !== 4403) setTimeout(listen, RETRY);
    });
  }

  words.addEventListener("input", draw);
  show(place, h("form", { class: "bar", onsubmit: (event) => event.preventDefault() }, Object.values(filters), words, state), list);
  listen();
  return () => {
    over = true;
    wire.close();
  };
}
