// The page Map: all locations that one may know, who is where, and what is said.

import { byId } from "./dom.js";
import { Atlas } from "./atlas.js";
import { connect } from "./page.js";

let own = "";
let ways = {};

const atlas = new Atlas(byId("atlas"), {
  own: () => own,
  go: ({ id, name }) => send(`go ${ways[id] ?? name}`),
});

const { send } = connect("map", {
  hello: ({ who }) => (own = who),
  chart: (chart) => atlas.draw(chart),
  here: (here) => atlas.stand(here),
  ways: (value) => (ways = value),
  each_person: (changes) => atlas.place(changes),
  went: (moves) => moves.forEach((one) => atlas.leave(...one)),
  said: (words) => words.forEach((one) => atlas.say(...one)),
});

byId("zoom-in").addEventListener("click", () => atlas.zoom(0.8));
byId("zoom-out").addEventListener("click", () => atlas.zoom(1.25));
byId("fit").addEventListener("click", () => atlas.fit());
