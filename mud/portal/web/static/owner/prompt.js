// The prompt of now as a bar by section, and what had no room in it.

import { ask, count, empty, h, many, show } from "./dom.js";

const COLOURS = {
  identity: "inward", commands: "faint", longterm: "longterm", recent: "recent", transcript: "verbatim", notes: "seen",
  experiences: "done", hints: "wrong", situation: "spoken", words: "rule", cue: "ink",
};
const NAMES = {
  identity: "who it is", commands: "commands", longterm: "long-term summary", recent: "recent summary",
  transcript: "word for word", notes: "related notes", experiences: "related past", hints: "hints",
  situation: "where it is", words: "words between", cue: "the cue",
};

export async function prompt(place, one) {
  const told = await ask("minds/prompt", { agent: one.slug });
  const text = h("div", { class: "sectiontext", "aria-live": "polite" });
  const free = told.window - told.reserve - told.tokens;
  const choose = (section, button) => {
    for (const each of place.querySelectorAll("[aria-pressed]")) each.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-pressed", "true");
    show(text, h("h2", {}, NAMES[section.name] ?? section.name), h("pre", { tabindex: 0 }, section.text));
  };
  const parts = told.sections.filter((section) => section.tokens > 0);
  const buttons = parts.map((section) => {
    const button = h(
      "button",
      {
        type: "button", "aria-pressed": "false", class: "part", title: `${NAMES[section.name] ?? section.name}, ${many(section.tokens, "token")}`,
        style: { "flex-grow": section.tokens, "--part": `var(--${COLOURS[section.name] ?? "soft"})` },
      },
      h("span", { class: "name" }, NAMES[section.name] ?? section.name),
      h("span", { class: "tokens" }, count(section.tokens)),
    );
    button.addEventListener("click", () => choose(section, button));
    return button;
  });
  show(
    place,
    h("p", { class: "hint" }, `What a model would be asked at the next thought: ${many(told.tokens, "token")} of ${count(told.window)}, `,
      `with ${count(told.reserve)} kept for the reply and ${count(free)} free.`),
    h("div", { class: "promptbar" }, buttons,
      h("span", { class: "free", style: { "flex-grow": Math.max(0, free) } }, h("span", { class: "name" }, "free"), h("span", { class: "tokens" }, count(free))),
      h("span", { class: "reply", style: { "flex-grow": told.reserve } }, h("span", { class: "name" }, "reply"), h("span", { class: "tokens" }, count(told.reserve)))),
    h("p", { class: "legend" }, parts.map((section) => h("span", { class: "key" },
      h("i", { style: { background: `var(--${COLOURS[section.name] ?? "soft"})` } }), `${NAMES[section.name] ?? section.name} ${count(section.tokens)}`))),
    h("section", {}, h("h2", {}, "Left out"),
      told.shed.length ? h("ul", { class: "plain" }, told.shed.map((each) => h("li", {}, each))) : empty("Nothing: everything has room.")),
    text,
  );
  if (buttons.length) choose(parts[0], buttons[0]);
}
