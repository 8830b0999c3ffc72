// The line where one types: history with the arrow keys, completion with the tab key.

import { el } from "./dom.js";

const MOST = 200;

export class Line {
  #history = [];
  #at = 0;
  #draft = "";
  #choices = [];
  #chosen = -1;
  #start = 0;
  #asked = null;
  #empty = "";
  #private = false;
  #wanted = false;
  #touch = matchMedia("(pointer: coarse)");

  constructor(form, input, list, { send, complete }) {
    Object.assign(this, { form, input, list, send, ask: complete });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#chosen >= 0) this.#take(this.#choices[this.#chosen]);
      else this.#submit();
    });
    input.addEventListener("keydown", (event) => this.#key(event));
    input.addEventListener("input", () => this.#typed());
    input.addEventListener("paste", (event) => this.#paste(event));
    input.addEventListener("blur", () => setTimeout(() => this.#close(), 150));
  }

  // A private line, such as a password, is neither shown nor kept.
  set private(value) {
    if (value === this.#private) return;
    this.#private = value;
    this.input.type = value ? "password" : "text";
    this.input.value = "";
    this.input.setAttribute("autocomplete", value ? "new-password" : "off");
    this.#close();
    this.input.focus();
  }

  // While lines are asked for, an empty one is a line too, and a paste is as many as it has.
  set asked(value) {
    this.#wanted = value;
  }

  // Keeps a line for the arrow keys.
  keep(line) {
    const newest = this.#at === this.#history.length;
    if (line !== this.#history.at(-1)) this.#history.push(line);
    const gone = Math.max(0, this.#history.length - MOST);
    this.#history.splice(0, gone);
    this.#at = newest ? this.#history.length : Math.max(0, this.#at - gone);
  }

  completed({ line, start, choices }) {
    if (line !== this.input.value || line !== this.#asked?.line) return;
    const { filling } = this.#asked;
    this.#asked = null;
    this.#start = [...line].slice(0, start).join("").length;
    if (!choices.length) {
      this.#empty = line;
      this.#close();
    } else if (choices.length === 1 && filling) {
      this.#take(choices[0]);
    } else {
      if (filling) this.#fill(choices);
      this.#show(choices);
    }
  }

  #submit() {
    const line = this.input.value;
    this.input.value = "";
    this.#close();
    if (!this.#private && !this.#wanted && !line.trim()) return;
    this.#at = this.#history.length;
    this.send(line, this.#private);
  }

  #paste(event) {
    const pasted = event.clipboardData.getData("text");
    if (!this.#wanted || !pasted.includes("\n")) return;
    event.preventDefault();
    const { value, selectionStart, selectionEnd } = this.input;
    const lines = (value.slice(0, selectionStart) + pasted + value.slice(selectionEnd)).split(/\r?\n/);
    this.#put(lines.pop());
    for (const line of lines) this.send(line, false);
  }

  #key(event) {
    const { key } = event;
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    if (key === "Tab" && !event.shiftKey && this.#mayComplete()) {
      event.preventDefault();
      if (this.#choices.length) this.#choose(this.#chosen + 1);
      else this.#request(true);
    } else if (key === "Escape") {
      if (this.#choices.length) this.#close();
      this.#empty = this.input.value; // so that the next tab key leads on
      event.stopPropagation();
    } else if (key === "ArrowUp" || key === "ArrowDown") {
      event.preventDefault();
      const step = key === "ArrowUp" ? -1 : 1;
      if (this.#choices.length) this.#choose(this.#chosen + step);
      else this.#recall(step);
    }
  }

  #mayComplete() {
    const line = this.input.value;
    return !this.#private && line.trim() !== "" && line !== this.#empty;
  }

  #typed() {
    this.#empty = "";
    this.#close();
    if (this.#touch.matches && this.#mayComplete()) this.#request(false);
  }

  #request(filling) {
    this.#asked = { line: this.input.value, filling };
    if (!this.ask(this.input.value)) this.#asked = null;
  }

  #recall(step) {
    if (this.#private || this.#at + step < 0 || this.#at + step > this.#history.length) return;
    if (this.#at === this.#history.length) this.#draft = this.input.value;
    this.#at += step;
    this.#put(this.#history[this.#at] ?? this.#draft);
  }

  #put(text) {
    this.input.value = text;
    this.input.setSelectionRange(text.length, text.length);
  }

  // Puts in what all choices begin with.
  #fill(choices) {
    const typed = this.input.value.slice(this.#start);
    let same = choices[0];
    for (const one of choices) {
      while (!one.toLowerCase().startsWith(same.toLowerCase())) same = same.slice(0, -1);
    }
    if (same.length > typed.length && same.toLowerCase().startsWith(typed.toLowerCase())) {
      this.#put(this.input.value.slice(0, this.#start) + same);
    }
  }

  #take(choice) {
    this.#put(`${this.input.value.slice(0, this.#start)}${choice} `);
    this.#close();
    this.input.focus();
  }

  #show(choices) {
    this.#choices = choices;
    this.#chosen = -1;
    this.list.replaceChildren(
      ...choices.map((choice, at) =>
        el("li", { id: `choice-${at}`, role: "option", onmousedown: (event) => {
          event.preventDefault();
          this.#take(choice);
        } }, choice)),
    );
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
  }

  #choose(at) {
    this.#chosen = (at + this.#choices.length) % this.#choices.length;
    [...this.list.children].forEach((one, index) => one.setAttribute("aria-selected", index === this.#chosen));
    this.list.children[this.#chosen].scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", `choice-${this.#chosen}`);
  }

  #close() {
    this.#choices = [];
    this.#chosen = -1;
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }
}
