// The story: pieces of text with marked parts, the newest at the bottom.

import { el } from "./dom.js";

const MOST = 1500; // pieces that stay on the page
const ROW = /^ +\S.*? {2,}\S/gm;
const DRAWN = "[@"; // where one is on a map that is drawn with characters
const HEARD = new Set(["speech", "shout", "whisper", "channel", "emote"]);

export class Story {
  #pending = new Map();

  constructor(box, button, page) {
    this.box = box;
    this.button = button;
    this.page = page;
    this.following = true;
    box.addEventListener("scroll", () => this.#scrolled());
    new ResizeObserver(() => this.following && this.follow()).observe(box);
    button?.addEventListener("click", () => this.follow());
  }

  // Shows pieces as they come. What was told before the page was there is not read aloud again.
  add(pieces) {
    const old = pieces.length > 20;
    if (old) this.box.setAttribute("aria-live", "off");
    for (const piece of pieces) {
      if (piece.kind === "typed" && piece.page === this.page()) this.#settle(piece.number);
      if (piece.kind !== "typed" || piece.text) this.#append(drawn(piece, !old));
    }
    if (old) requestAnimationFrame(() => this.box.setAttribute("aria-live", "polite"));
  }

  pend(line, number) {
    const shown = drawn({ kind: "typed", text: line }, true);
    shown.classList.add("pending");
    this.#pending.set(number, shown);
    this.#append(shown);
  }

  note(text) {
    this.#append(drawn({ kind: "notice", text }, true));
  }

  clear() {
    this.#pending.clear();
    this.box.replaceChildren();
  }

  follow() {
    this.following = true;
    this.box.scrollTop = this.box.scrollHeight;
    if (this.button) this.button.hidden = true;
  }

  #settle(number) {
    this.#pending.get(number)?.remove();
    this.#pending.delete(number);
  }

  #append(node) {
    const first = [...this.#pending.values()].find((one) => one.isConnected && one !== node);
    if (first && !node.classList.contains("pending")) first.before(node);
    else this.box.append(node);
    while (this.box.childElementCount > MOST) this.box.firstElementChild.remove();
    if (this.following) this.follow();
    else if (this.button) this.button.hidden = false;
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.box;
    this.following = scrollHeight - scrollTop - clientHeight < 40;
    if (this.following && this.button) this.button.hidden = true;
  }
}

// Marks count characters as people do; strings of this language count halves of some.
function drawn({ kind, text, marks = [] }, fresh) {
  const node = el("p", { class: `piece ${kind}${fresh ? " fresh" : ""}` });
  if (HEARD.has(kind)) node.classList.add("heard");
  if (kind === "reply" && text.includes(DRAWN)) {
    node.classList.add("drawing");
    node.append(text);
    return node;
  }
  if (text.match(ROW)?.length > 1) {
    node.append(...tabled(text));
    return node;
  }
  const letters = [...text];
  let at = 0;
  for (const [start, end, mark] of marks) {
    const titled = mark === "place" && (start === 0 || letters[start - 1] === "\n") && letters[end] === "\n";
    const before = letters.slice(at, start).join("");
    node.append(titled ? before.trimEnd() : before);
    node.append(el("span", { class: titled ? "place title" : mark }, letters.slice(start, end).join("")));
    at = titled ? end + 1 : end; // a title stands on a line of its own
  }
  node.append(letters.slice(at).join(""));
  return node;
}

// Columns that a terminal makes of spaces.
function tabled(text) {
  return text.split("\n").map((line) => {
    const [, name, meaning] = line.match(/^ +(\S.*?) {2,}(\S.*)$/) ?? [];
    if (!name) return el("span", { class: "plain-line" }, line);
    return el("span", { class: "row" }, el("span", { class: "column" }, name), el("span", {}, meaning));
  });
}
