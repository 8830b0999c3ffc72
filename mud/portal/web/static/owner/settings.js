// Settings with their help, edited in place: what is saved here is a line of a file in config/.

import { ask, empty, h, many, send, show } from "./dom.js";

export async function settings(place, wanted) {
  const all = await ask("world/settings");
  const field = h("input", { type: "search", id: "find", placeholder: "name or words", "aria-label": "Find a setting" });
  const found = h("div", { class: "files" });
  const state = h("span", { class: "hint", role: "status" });
  const files = [...new Set(all.map((one) => one.file))];

  function draw() {
    const sought = field.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (one) => sought.every((word) => `${one.file}.${one.key} ${one.help}`.toLowerCase().includes(word));
    const some = all.filter((one) => (sought.length || !wanted ? true : one.file === wanted) && fits(one));
    state.textContent = many(some.length, "setting");
    show(found, some.length ? files.filter((file) => some.some((one) => one.file === file)).map((file) => group(
      file, some.filter((one) => one.file === file), sought.length > 0 || Boolean(wanted))) : empty("No setting is called so."));
  }

  function group(file, some, open) {
    const list = h("div", { class: "settings" });
    const details = h(
      "details",
      { open },
      h("summary", {}, h("strong", {}, `config/${file}.md`), h("span", { class: "sub" }, many(some.length, "setting"))),
      list,
    );
    const fill = () => details.open && !list.childElementCount && show(list, some.map(edited));
    details.addEventListener("toggle", fill);
    fill();
    return details;
  }

  field.addEventListener("input", draw);
  show(place, h("form", { class: "bar", onsubmit: (event) => event.preventDefault() }, h("label", { for: "find" }, "Find"), field, state), found);
  draw();
}

function edited(one) {
  const id = `${one.file}.${one.key}`;
  const input = control(one, id);
  const save = h("button", { hidden: true }, "Save");
  const back = h("button", { type: "button", class: "quiet", hidden: true }, "As it was");
  const reset = h("button", { type: "button", class: "quiet" }, "Default");
  const told = h("p", { class: "told", role: "status" });
  const origin = h("p", { class: "origin" });

  function shown() {
    origin.textContent = one.origin === "default" ? "the default" : `from ${one.origin}`;
    reset.hidden = one.typed === one.default;
    reset.title = `the default is ${one.default || "empty"}`;
    set(input, one.typed);
    changed();
  }

  function changed() {
    const differs = get(input) !== one.typed;
    save.hidden = back.hidden = !differs;
  }

  async function put(typed) {
    input.removeAttribute("aria-invalid");
    told.className = "told";
    told.textContent = "Saving.";
    try {
      const was = one.typed;
      Object.assign(one, await send("world/settings", { file: one.file, key: one.key, typed, was }));
      shown();
      told.textContent = `Saved, and in force. It was ${was || "empty"}.`;
    } catch (error) {
      told.className = "told wrong";
      told.textContent = error.message;
      input.setAttribute("aria-invalid", "true");
    }
  }

  input.addEventListener("input", changed);
  back.addEventListener("click", shown);
  reset.addEventListener("click", () => put(one.default));
  const form = h(
    "form",
    { class: "setting", id: `setting-${id}`, onsubmit: (event) => { event.preventDefault(); put(get(input)); } },
    h("label", { for: id }, h("code", {}, one.key)),
    h("div", { class: "field" }, input, save, back, reset),
    h("p", { class: "help", id: `${id}-help` }, `${one.help} `, h("span", { class: "expected" }, `Expected: ${one.expected}.`)),
    origin,
    one.own.length > 0 && h("p", { class: "origin" }, "Otherwise for ", one.own.map((own) => `${own.agent}: ${own.typed} (${own.origin})`).join(", ")),
    told,
  );
  shown();
  return form;
}

function control(one, id) {
  const common = { id, name: one.key, "aria-describedby": `${id}-help`, autocomplete: "off", spellcheck: "false" };
  const choices = one.type === "bool" ? ["true", "false"] : one.type === "text" && !one.or_address ? one.choices : [];
  if (choices.length) return h("select", common, choices.map((value) => h("option", { value }, value)));
  return h("input", { ...common, type: "text", inputmode: { int: "numeric", float: "decimal" }[one.type] });
}

const get = (input) => input.value.trim();

function set(input, typed) {
  if (input.tagName === "SELECT" && ![...input.options].some((option) => option.value === typed)) {
    input.append(h("option", { value: typed }, typed));
  }
  input.value = typed;
}
