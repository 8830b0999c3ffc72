// What both pages for owners share: elements from values, asking, words, tabs.

import { counted, el } from "../dom.js";

// An element; children may be nested lists, and what is empty or false is left out. Styles are set by their names.
export function h(name, { style = {}, ...attributes } = {}, ...children) {
  const node = el(name, attributes, ...children.flat(3).filter((child) => child || child === 0));
  for (const [key, value] of Object.entries(style)) node.style.setProperty(key, value);
  return node;
}

export function show(place, ...children) {
  place.replaceChildren(...children.flat(3).filter(Boolean));
  return place;
}

export const empty = (text) => h("p", { class: "empty" }, text);
export const failed = (error) => h("p", { class: "wrong", role: "alert" }, error.message);

// ---- asking ----

const token = document.querySelector('meta[name="token"]').content;

async function answer(response) {
  const text = await response.text();
  if (response.headers.get("content-type")?.startsWith("application/json")) {
    const told = JSON.parse(text);
    if (!told.error) return told;
    throw new Error(told.hint ? `${told.error} (${told.hint})` : told.error);
  }
  throw new Error(response.status === 403 ? "You are no longer signed in as an owner here." : text || "No answer.");
}

async function reach(path, options) {
  try {
    return await fetch(`/api/${path}`, { credentials: "same-origin", ...options });
  } catch {
    throw new Error("The world does not answer. Is it still running?");
  }
}

export const ask = async (path, query = {}) => answer(await reach(`${path}?${new URLSearchParams(query)}`));

export const send = async (path, body) =>
  answer(
    await reach(path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-token": token },
      body: JSON.stringify(body),
    }),
  );

export function socket(path) {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return new WebSocket(`${scheme}://${location.host}/api/${path}?token=${token}`);
}

// ---- words ----

export const count = (number) => number.toLocaleString("en");
export const many = counted;
export const span = ({ first, last }) => (first === last ? count(first) : `${count(first)} to ${count(last)}`);
export const size = ({ first, last }) => last - first + 1;

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const nearDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

export function moment(at) {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : `${day.format(date)}, ${clock.format(date)}`;
}

export function timeOfDay(at) {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : clock.format(date);
}

export const time = (at, short = false) =>
  h("time", { datetime: at, title: moment(at) }, short ? timeOfDay(at) : moment(at));

// The time of day, and before it the day unless that is today.
export function recently(at) {
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  return h("time", { datetime: at, title: moment(at) }, today ? timeOfDay(at) : `${nearDay.format(date)}, ${timeOfDay(at)}`);
}

// ---- tabs ----

export function tabs(names, current, label, choose) {
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": label });
  const buttons = Object.entries(names).map(([key, name]) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${key}`,
        "aria-selected": String(key === current),
        tabindex: key === current ? 0 : -1,
        onclick: () => choose(key),
      },
      name,
    ),
  );
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = buttons.indexOf(document.activeElement);
    const to = event.key === "Home" ? 0 : event.key === "End" ? buttons.length - 1 : step ? at + step : -1;
    if (to < 0 && !step) return;
    event.preventDefault();
    const next = buttons[(to + buttons.length) % buttons.length];
    next.focus();
    next.click();
  });
  requestAnimationFrame(() => inSight(list.querySelector('[aria-selected="true"]')));
  return show(list, buttons);
}

// Scrolls a row that is too long for a small screen to what is chosen in it.
export const inSight = (chosen) => chosen?.scrollIntoView({ block: "nearest", inline: "center" });

// ---- colours ----

export const colour = (name) => getComputedStyle(document.querySelector(".owner")).getPropertyValue(`--${name}`).trim();

// Calls back when the page turns dark or light, so that what is drawn on a canvas can follow.
export function onTheme(redraw) {
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", redraw);
  const watch = new MutationObserver(redraw);
  watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => {
    media.removeEventListener("change", redraw);
    watch.disconnect();
  };
}
