// A life as a picture: tiers over time, what fills it, importance, folds, sleep, thoughts.

import { ask, count, empty, failed, h, many, moment, show, size, span, time } from "./dom.js";
import { memory } from "./entry.js";
import { chart } from "./plot.js";

const TIERS = [
  ["longterm", "long-term summary"],
  ["recent", "recent summary"],
  ["verbatim", "word for word"],
];
const FILLS = [
  { name: "spoken", colour: "spoken", kinds: ["said", "heard", "told"] },
  { name: "done", colour: "done", kinds: ["did", "moved"] },
  { name: "seen", colour: "seen", kinds: ["saw", "result"] },
  { name: "thought, noted, dreamed", colour: "inward", kinds: ["thought", "note", "dream"] },
];
const WIDE = 60; // bars at most
const REASONS = { automatic: "when it was due", manual: "asked for", sleep: "asleep", pressure: "for want of room" };

export async function life(place, one) {
  const told = await ask("minds/life", { agent: one.slug });
  if (!told.memories) {
    show(place, empty(`${one.name} remembers nothing yet. The first memory comes with the first thing that happens.`));
    return;
  }
  const pictures = h("div", {});
  let charts = [];
  const draw = (along) => {
    charts.forEach(([, , made]) => made.end());
    charts = told.segments.length > 1 ? drawn(told, one, along) : [];
    show(pictures, charts.length ? charts.map(([title, hint, made]) => figure(title, hint, made)) : empty(
      "There is too little to draw yet."));
  };
  show(
    place,
    now(told),
    along(draw),
    pictures,
    h("div", { class: "columns" }, h("div", {}, folds(told, one), heavy(told, one)), inner(told, one)),
  );
  draw("memories");
  return () => charts.forEach(([, , made]) => made.end());
}

// What goes from left to right: the memories, or time, in which sleep is as long as it was.
function along(draw) {
  const names = { memories: "by memory", time: "by time" };
  const buttons = Object.entries(names).map(([key, name]) => h(
    "button", { type: "button", class: "quiet", "aria-pressed": String(key === "memories"), onclick: (event) => {
      for (const each of buttons) each.setAttribute("aria-pressed", String(each === event.currentTarget));
      draw(key);
    } }, name));
  return h("p", { class: "along" }, h("span", {}, "From left to right"), buttons);
}

const figure = (title, hint, made) => h("section", {}, h("h2", {}, title), h("p", { class: "hint" }, hint), made.place);

function now(told) {
  const due = told.next_fold && told.next_fold > told.memories
    ? `The next fold is due at ${count(told.next_fold)} memories, in ${many(told.next_fold - told.memories, "memory", "memories")}.`
    : told.next_fold ? "A fold is due now." : `The strategy ${told.strategy} does not go by the number of memories.`;
  const parts = TIERS.filter(([tier]) => told.tiers[tier]);
  return h(
    "section",
    { class: "now" },
    h("h2", {}, "Now"),
    h(
      "div",
      { class: "nowbar" },
      parts.map(([tier, name]) =>
        h(
          "div",
          { class: tier, style: { "flex-grow": Math.max(1, Math.sqrt(size(told.tiers[tier]))) } },
          h("strong", {}, name),
          h("span", {}, many(size(told.tiers[tier]), "memory", "memories")),
          h("span", { class: "range" }, span(told.tiers[tier])),
        ),
      ),
    ),
    h("p", { class: "hint" }, due, " ", told.all_folds ? `Folded ${many(told.all_folds, "time")} so far.` : "Nothing folded yet: everything is still shown word for word."),
    told.summaries.map((summary) =>
      h(
        "details",
        { class: "summary" },
        h("summary", {}, `What the ${summary.tier === "recent" ? "recent" : "long-term"} summary says`),
        h("p", { class: "text" }, summary.text),
      ),
    ),
  );
}

const seconds = (at) => Date.parse(at) / 1000;

// Numbers that never go back: of memories that were brought in, later ones may be of earlier times.
function rising(numbers) {
  let most = -Infinity;
  return numbers.map((number) => (most = Math.max(most, number)));
}

function drawn(told, one, along) {
  const open = (seq) => { location.hash = `#${encodeURIComponent(one.slug)}/archive/${Math.max(1, Math.floor(seq))}`; };
  const parts = told.segments;
  const wide = joined(parts, Math.ceil(parts.length / WIDE));
  const points = tierPoints(told);
  const time = along === "time";
  const ends = (some) => (time ? rising(some.map((part) => seconds(part.ends))) : some.map((part) => part.last));
  const marks = told.folds.map((fold) => (time ? seconds(fold.at) : fold.after));
  const bands = told.sleeps.map(({ from, to }) => {
    const until = to ?? parts.at(-1).ends;
    return time ? [seconds(from), seconds(until)] : [seqAt(told, from), seqAt(told, until)];
  });
  const at = (part) => `${span(part)}, ${moment(part.begins)}`;
  return [
    ["Tiers over time", "Ticks are folds, shaded is sleep. Drag to look closer; a double click shows all again.",
      chart({
        label: "How many memories were in which tier, after each fold. Arrow keys move, Enter opens the archive.",
        x: time ? rising(points.map((point) => seconds(point.when))) : points.map((point) => point.at),
        time, stacked: true, height: 200, marks, bands,
        series: TIERS.map(([tier, name]) => ({
          name, colour: tier, shape: "area", values: points.map((point) => point[tier]),
        })).toReversed(),
        told: (place) => `at ${count(Math.floor(points[place].at))}: ${TIERS.map(([tier, name]) =>
          `${name} ${count(Math.floor(points[place][tier]))}`).join(", ")}`,
        open: (place) => open(points[place].at),
      })],
    ["What fills it", "The share of each kind of memory. Click to read them in the archive.",
      chart({
        label: "The share of each kind of memory in each part. Arrow keys move, Enter opens the archive.",
        x: ends(wide), time, stacked: true, height: 120, max: 100, bands,
        series: FILLS.map((fill) => ({
          name: fill.name, colour: fill.colour, shape: time ? "area" : "bars",
          values: wide.map((part) => (100 * fill.kinds.reduce((sum, each) => sum + (part.kinds[each] ?? 0), 0)) / size(part)),
        })),
        told: (place) => `${at(wide[place])}: ${Object.entries(wide[place].kinds).map(([kind, n]) => `${kind} ${n}`).join(", ")}`,
        open: (place) => open(wide[place].first),
      })],
    ["Importance", "The mean of each part, and its weightiest memory; from 1, a trifle, to 10, never to be forgotten.",
      chart({
        label: "How important the memories of each part are. Arrow keys move, Enter opens the archive.",
        x: ends(parts), time, height: 120, max: 10, bands,
        series: [
          { name: "mean", colour: "accent", shape: "line", values: parts.map((part) => part.mean) },
          { name: "highest", colour: "inward", shape: "points", values: parts.map((part) => part.highest) },
        ],
        told: (place) => `${at(parts[place])}: mean ${parts[place].mean}, highest ${parts[place].highest}`,
        open: (place) => open(parts[place].first),
      })],
  ];
}

// Every so many segments as one, for what would only flicker otherwise.
function joined(parts, each) {
  const found = [];
  for (let at = 0; at < parts.length; at += each) {
    const some = parts.slice(at, at + each);
    const kinds = {};
    for (const part of some) for (const [kind, n] of Object.entries(part.kinds)) kinds[kind] = (kinds[kind] ?? 0) + n;
    found.push({ ...some[0], last: some.at(-1).last, ends: some.at(-1).ends, kinds });
  }
  return found;
}

// The tiers right before and after each fold, and now: at how many memories, and when.
function tierPoints(told) {
  const points = [{ at: 0, when: told.segments[0].begins, longterm: 0, recent: 0, verbatim: 0 }];
  let held = { longterm: 0, recent: 0 };
  const add = (at, when) =>
    points.push({ at, when, ...held, verbatim: Math.max(0, at - held.longterm - held.recent) });
  for (const fold of told.folds) {
    if (fold.after > points.at(-1).at) add(fold.after, fold.at);
    const { longterm, recent } = fold.tiers;
    held = { longterm: longterm ? size(longterm) : 0, recent: recent ? size(recent) : 0 };
    add(Math.max(fold.after, points.at(-1).at) + 0.001, fold.at);
  }
  if (told.memories > points.at(-1).at) add(told.memories, told.segments.at(-1).ends);
  return points;
}

function seqAt(told, at) {
  const part = told.segments.find((each) => each.ends >= at);
  if (!part) return told.memories;
  const [begin, end, here] = [part.begins, part.ends, at].map((each) => Date.parse(each));
  const share = end > begin ? Math.min(1, Math.max(0, (here - begin) / (end - begin))) : 0;
  return part.first + share * (part.last - part.first);
}

function folds(told, one) {
  const newest = told.folds.toReversed();
  const more = told.all_folds - newest.length;
  return h(
    "section",
    {},
    h("h2", {}, "Folds"),
    newest.length ? h("ol", { class: "folds" }, newest.map((fold) => h("li", {}, receipt(fold, one)))) : empty(
      "Nothing folded yet. Nothing is lost by folding: the archive keeps every word."),
    more > 0 && h("p", { class: "hint" }, `${many(more, "fold")} between these are left out here.`),
  );
}

function receipt(fold, one) {
  const { recent, longterm } = fold.tiers;
  const body = h("div", {});
  const line = h(
    "summary",
    {},
    time(fold.at),
    h("span", {}, span(recent ?? longterm)),
    h("span", { class: "sub" }, REASONS[fold.reason] ?? fold.reason ?? ""),
  );
  const details = h("details", { class: "fold" }, line, body);
  details.addEventListener("toggle", async () => {
    if (!details.open || body.childElementCount) return;
    try {
      const made = await Promise.all(
        Object.entries(fold.tiers).map(([tier, { file }]) => ask("minds/fold", { agent: one.slug, tier, file })),
      );
      show(body, made.map(summary));
    } catch (error) {
      show(body, failed(error));
    }
  });
  return details;
}

function summary(made) {
  const { source, summary: kept, prompt, completion } = made.tokens;
  const facts = [
    ["covers", span(made.covers)],
    ["written by", made.method === "model" ? made.model ?? "a model" : made.method === "edited" ? "a person" : "rules"],
    ["strategy", made.strategy],
    source !== undefined && ["tokens", `${count(source)} became ${count(kept ?? 0)}`],
    (prompt || completion) && ["cost", `${count(prompt + completion)} tokens of the model`],
    made.retention !== null && ["facts kept", `${Math.round(made.retention * 100)} %`],
    ["depth", String(made.depth)],
    made.faithful !== null && ["faithful", made.faithful ? "yes" : "no"],
  ].filter(Boolean);
  return h(
    "div",
    { class: `made ${made.tier}` },
    h("h3", {}, made.tier === "recent" ? "Recent summary" : "Long-term summary"),
    h("p", { class: "text" }, made.text),
    h("dl", { class: "facts" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
  );
}

const inner = (told, one) => h(
  "section",
  {},
  h("h2", {}, "Thoughts and dreams"),
  told.inner.length ? told.inner.map((entry) => memory(entry, one.slug)) : empty("No thought kept yet, and no dream."),
);

const heavy = (told, one) => h(
  "section",
  {},
  h("h2", {}, "What weighs most"),
  told.weightiest.map((entry) => memory(entry, one.slug)),
);
