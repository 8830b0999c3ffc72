// What is wrong in the files of the vault, as the command check says it.

import { ask, empty, h, many, show } from "./dom.js";

export async function problems(place) {
  show(place, empty("Reading every file of the vault."));
  const found = await ask("world/problems");
  const again = h("button", { type: "button", class: "quiet", onclick: () => problems(place) }, "Look again");
  show(
    place,
    h("p", { class: "bar" }, h("span", {}, found.length ? many(found.length, "problem") : "Nothing is wrong in the files of the vault."), again),
    found.length > 0 && h("ul", { class: "problems" }, found.map((one) => h(
      "li",
      {},
      h("code", {}, one.line ? `${one.file}:${one.line}` : one.file),
      one.key && h("strong", {}, one.key),
      h("p", {}, one.message),
    ))),
  );
}
