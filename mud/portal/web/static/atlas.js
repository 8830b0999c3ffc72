// The large map: a card for each location, with the names of who is there, who walks from card to card.

import { el, svg } from "./dom.js";

const CELL = { x: 226, y: 158 };
const CARD = { width: 178, height: 106 };
const BUBBLE = { width: 220, height: 130 };
const LEAST = 0.62; // scale at which letters can still be read
const ROWS = 3; // names on a card; the others are counted
const END = 18; // length of a way that leads off the map
const STEPS = {
  north: [0, -1], south: [0, 1], east: [1, 0], west: [-1, 0],
  northeast: [1, -1], northwest: [-1, -1], southeast: [1, 1], southwest: [-1, 1], up: [1, -1], down: [-1, 1],
};

export class Atlas {
  #box;
  #layers;
  #spots = new Map();
  #people = new Map();
  #bubbles = new Map();
  #view = null;
  #own = null;
  #here = null;

  constructor(box, { own, go }) {
    this.#box = box;
    this.#own = own;
    this.go = go;
    this.#layers = Object.fromEntries(
      ["ways", "cards", "people", "words"].map((name) => [name, svg("g", { class: name })]),
    );
    box.replaceChildren(...Object.values(this.#layers));
    this.#movable();
  }

  draw([spots, paths, open]) {
    const before = JSON.stringify([...this.#spots.values()].map(({ x, y }) => [x, y]));
    this.#spots = new Map(
      spots.map(([id, name, x, y]) => [id, { id, name, x: x * CELL.x, y: y * CELL.y, card: null }]),
    );
    this.#layers.ways.replaceChildren(
      ...paths.flatMap((path) => this.#way(path)),
      ...this.#openEnds(open),
    );
    this.#layers.cards.replaceChildren(...[...this.#spots.values()].map((spot) => this.#card(spot)));
    this.#mark();
    this.#arrange();
    if (before !== JSON.stringify([...this.#spots.values()].map(({ x, y }) => [x, y]))) this.fit();
  }

  stand(here) {
    this.#here = here;
    this.#mark();
    this.#arrange();
  }

  // Takes who is where; null stands for somebody who is not to be seen any more.
  place(changes) {
    for (const [id, value] of Object.entries(changes)) {
      if (value === null) {
        this.#fade(id);
        continue;
      }
      const [name, at, thinks, asleep] = value;
      const person = this.#people.get(id) ?? this.#newcomer(id);
      Object.assign(person, { name, at, thinks, asleep, gone: false });
      person.node.classList.remove("gone");
      person.node.classList.toggle("mind", thinks);
      person.node.classList.toggle("asleep", asleep);
      person.node.classList.toggle("self", id === this.#own());
      person.text.textContent = name;
    }
    this.#arrange();
  }

  // Somebody was seen leaving for a place that is on the map.
  leave(id, to) {
    const person = this.#people.get(id);
    if (person && this.#spots.has(to)) person.at = to;
    this.#arrange();
  }

  say(id, at, words, spoken) {
    const spot = this.#spots.get(at);
    if (!spot) return;
    const name = this.#people.get(id)?.name ?? "";
    const shown = words.length > 180 ? `${words.slice(0, 177)}...` : words;
    const [x, y] = [spot.x - BUBBLE.width / 2, spot.y - CARD.height / 2 - BUBBLE.height + 8];
    const bubble = svg("foreignObject", { class: "bubble", x, y, ...BUBBLE },
      el("div", { class: "hold" }, el("p", {}, spoken && name ? el("b", {}, `${name} `) : null, shown)));
    this.#bubbles.get(at)?.remove();
    this.#bubbles.set(at, bubble);
    this.#layers.words.append(bubble);
    spot.card?.classList.add("speaking");
    setTimeout(() => {
      bubble.remove();
      if (this.#bubbles.get(at) === bubble) {
        this.#bubbles.delete(at);
        this.#spots.get(at)?.card?.classList.remove("speaking");
      }
    }, 3500 + shown.length * 45);
  }

  fit() {
    const all = [...this.#spots.values()];
    if (!all.length) return;
    const [xs, ys] = [all.map(({ x }) => x), all.map(({ y }) => y)];
    const [margin, above] = [44, 64]; // for loose ends, and for words above the topmost cards
    const wide = Math.max(...xs) - Math.min(...xs) + CARD.width + 2 * margin;
    const width = Math.max(wide, 3 * CARD.width); // a single card does not fill the window
    const left = Math.min(...xs) - CARD.width / 2 - margin - (width - wide) / 2;
    const top = Math.min(...ys) - CARD.height / 2 - above;
    const height = Math.max(...ys) + CARD.height / 2 + margin - top;
    const { clientWidth, clientHeight } = this.#box;
    this.#view = { x: left, y: top, width, height };
    const at = this.#spots.get(this.#here);
    if (at && Math.min(clientWidth / width, clientHeight / height) < LEAST) {
      // A large world on a small screen: its part around where one is.
      const [w, h] = [clientWidth / LEAST, clientHeight / LEAST];
      this.#view = { x: at.x - w / 2, y: at.y - h / 2, width: w, height: h };
    }
    this.#look();
  }

  zoom(by, at = { x: 0.5, y: 0.5 }) {
    const view = this.#view;
    if (!view) return;
    const factor = Math.min(Math.max(by, 260 / view.width), 20000 / view.width);
    view.x += view.width * (1 - factor) * at.x;
    view.y += view.height * (1 - factor) * at.y;
    view.width *= factor;
    view.height *= factor;
    this.#look();
  }

  pan(x, y) {
    if (!this.#view) return;
    this.#view.x += x * this.#view.width;
    this.#view.y += y * this.#view.height;
    this.#look();
  }

  #look() {
    const { x, y, width, height } = this.#view;
    this.#box.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  }

  #way([start, end, name, both]) {
    const [from, to] = [this.#spots.get(start), this.#spots.get(end)];
    if (!from || !to) return [];
    // A way that is longer than to the next card bends around what lies between.
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const bend = Math.max(Math.abs(dx) / CELL.x, Math.abs(dy) / CELL.y) > 1.01 || (dx && dy) ? 0.16 : 0;
    const [middle, side] = [{ x: from.x + dx / 2, y: from.y + dy / 2 }, { x: -dy * bend, y: dx * bend }];
    const line = svg("path", {
      class: both ? "way" : "way one",
      d: `M${from.x} ${from.y} Q${middle.x + side.x} ${middle.y + side.y} ${to.x} ${to.y}`,
    });
    if (STEPS[name.toLowerCase()] && both) return [line];
    const [x, y] = [middle.x + side.x / 2, middle.y + side.y / 2];
    return [line, svg("text", { class: "way-name", x, y: y - 5 }, both ? name : `${name} \u2192`)];
  }

  // Ways into what is not on the map: short ends where they lead, with their names when those are no directions.
  #openEnds(open) {
    const named = new Map();
    const ends = open.flatMap(([id, name]) => {
      const spot = this.#spots.get(id);
      const step = STEPS[name.toLowerCase()];
      if (spot && !step) named.set(spot, [...(named.get(spot) ?? []), name]);
      return spot && step ? [stub(spot, step)] : [];
    });
    for (const [spot, names] of named) {
      const y = spot.y + CARD.height / 2 + END + 13;
      ends.push(stub(spot, [0, 1]), svg("text", { class: "way-name", x: spot.x, y }, names.join(", ")));
    }
    return ends;
  }

  #card(spot) {
    const go = () => this.go(spot);
    const card = svg("g", {
      class: "card", tabindex: 0, role: "button", transform: `translate(${spot.x} ${spot.y})`,
      onclick: go,
      onkeydown: (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          go();
        }
      },
    },
    svg("rect", { x: -CARD.width / 2, y: -CARD.height / 2, width: CARD.width, height: CARD.height, rx: 3 }),
    svg("text", { class: "name", y: -CARD.height / 2 + 23 }, fitted(spot.name, 22)),
    svg("text", { class: "more", y: CARD.height / 2 - 9 }),
    svg("title", {}, spot.name));
    spot.card = card;
    return card;
  }

  #mark() {
    for (const { id, card } of this.#spots.values()) card?.classList.toggle("here", id === this.#here);
  }

  #newcomer(id) {
    const text = svg("text", { x: 11, y: 4 });
    const node = svg("g", { class: "person" }, svg("circle", { r: 4 }), text);
    const person = { id, node, text, gone: false };
    this.#people.set(id, person);
    this.#layers.people.append(node);
    return person;
  }

  #fade(id) {
    const person = this.#people.get(id);
    if (!person) return;
    person.gone = true;
    person.node.classList.add("gone");
    setTimeout(() => {
      if (!person.gone) return;
      person.node.remove();
      this.#people.delete(id);
    }, 1600);
  }

  // Gives everybody a row on the card of where they are, and says who is there to those who do not see.
  #arrange() {
    const there = new Map();
    const own = this.#own();
    const sorted = [...this.#people.values()].filter(({ at, gone }) => this.#spots.has(at) && !gone)
      .sort((one, other) =>
        (other.id === own) - (one.id === own) || one.asleep - other.asleep || one.name.localeCompare(other.name));
    for (const person of sorted) there.set(person.at, [...(there.get(person.at) ?? []), person]);
    for (const person of this.#people.values()) {
      const spot = this.#spots.get(person.at);
      person.node.classList.toggle("hidden", !spot);
      if (spot && person.gone) this.#put(person, spot, 0);
    }
    for (const spot of this.#spots.values()) {
      const people = there.get(spot.id) ?? [];
      const rows = people.length > ROWS ? ROWS - 1 : ROWS;
      people.forEach((person, at) => {
        person.node.classList.toggle("hidden", at >= rows);
        this.#put(person, spot, Math.min(at, rows));
      });
      const more = spot.card.querySelector(".more");
      more.textContent = people.length > rows ? `and ${people.length - rows} more` : "";
      const who = people.map(({ name, asleep }) => (asleep ? `${name}, asleep` : name)).join("; ");
      const here = spot.id === this.#here ? ", where you are" : "";
      spot.card.setAttribute("aria-label", `${spot.name}${here}. ${who || "Nobody"}.`);
    }
  }

  #put({ node }, { x, y }, row) {
    const at = `translate(${x - CARD.width / 2 + 20}px, ${y - CARD.height / 2 + 44 + row * 19}px)`;
    if (node.style.transform !== at) node.style.transform = at;
  }

  #movable() {
    const box = this.#box;
    let held = null;
    box.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { left, top, width, height } = box.getBoundingClientRect();
      this.zoom(1.0015 ** event.deltaY, { x: (event.clientX - left) / width, y: (event.clientY - top) / height });
    }, { passive: false });
    box.addEventListener("pointerdown", (event) => (held = { x: event.clientX, y: event.clientY, far: false }));
    box.addEventListener("pointermove", (event) => {
      if (!held || !this.#view || event.buttons === 0) return;
      const [x, y] = [event.clientX - held.x, event.clientY - held.y];
      if (!held.far && Math.hypot(x, y) < 6) return;
      const scale = Math.max(this.#view.width / box.clientWidth, this.#view.height / box.clientHeight);
      this.#view.x -= x * scale;
      this.#view.y -= y * scale;
      held = { x: event.clientX, y: event.clientY, far: true };
      this.#look();
    });
    // What ends a drag is no click on a card.
    box.addEventListener("click", (event) => held?.far && event.stopPropagation(), true);
    new ResizeObserver(() => this.#view && this.#look()).observe(box);
    box.addEventListener("keydown", (event) => {
      const moves = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
      if (moves[event.key]) this.pan(...moves[event.key]);
      else if (event.key === "+" || event.key === "=") this.zoom(0.8);
      else if (event.key === "-") this.zoom(1.25);
      else if (event.key === "0") this.fit();
      else return;
      event.preventDefault();
    });
  }
}

function stub({ x, y }, [dx, dy]) {
  const [x1, y1] = [x + (dx * CARD.width) / 2, y + (dy * CARD.height) / 2];
  return svg("line", { class: "way open", x1, y1, x2: x1 + dx * END, y2: y1 + dy * END });
}

function fitted(text, most) {
  return [...text].length > most ? `${[...text].slice(0, most - 1).join("")}\u2026` : text;
}
