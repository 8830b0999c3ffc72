// Notes and people as a graph. The list beside it says the same, for keyboards and for those who do not see it.

import cytoscape from "../vendor/cytoscape.mjs";
import { ask, colour, empty, h, many, moment, onTheme, show } from "./dom.js";

const SHADES = { self: "accent", character: "spoken", location: "done", item: "seen", note: "inward" };

export async function graph(place, one, rest) {
  const told = await ask("minds/graph", { agent: one.slug });
  if (told.nodes.length < 2) {
    show(place, empty(`${one.name} has met nobody and noted nothing yet.`));
    return;
  }
  const canvas = h("div", { class: "net", role: "img", "aria-label": `Notes and people of ${one.name}; the list beside it has them all.` });
  const detail = h("section", { class: "node", "aria-live": "polite", tabindex: -1 });
  const names = h("ul", { class: "names" }, [...told.nodes].sort(before).map((node) => h("li", {}, h(
    "button", { type: "button", class: `quiet ${node.kind}`, onclick: () => choose(node.id) }, h("i", { "aria-hidden": "true" }), node.name,
    node.note !== undefined && h("span", { class: "sub" }, "note")))));
  show(place, h("div", { class: "split wide" }, h("div", {}, canvas, detail), h("nav", { "aria-label": "Notes and people" }, names)));
  const net = cytoscape({
    container: canvas,
    elements: [
      ...told.nodes.map((node) => ({ data: { id: node.id, name: node.name, kind: node.kind, size: node.kind === "self" ? 44 : 14 + 5 * Math.log2(1 + node.times) } })),
      ...told.edges.map((edge) => ({ data: { source: edge.from, target: edge.to, kind: edge.kind, width: 1 + Math.log2(1 + edge.times) / 2 } })),
    ],
    layout: { name: "cose", animate: false, randomize: false, nodeRepulsion: () => 900000, idealEdgeLength: () => 110, edgeElasticity: () => 60, nodeOverlap: 30, padding: 24 },
    style: looks(),
    maxZoom: 3,
    minZoom: 0.2,
  });
  net.on("tap", "node", (event) => choose(event.target.id()));
  const unwatch = onTheme(() => net.style(looks()));

  function choose(id) {
    const node = told.nodes.find((each) => each.id === id);
    net.elements().removeClass("chosen near");
    net.getElementById(id).addClass("chosen").neighborhood().addClass("near");
    const near = told.edges.filter((edge) => edge.from === id || edge.to === id).map((edge) => (edge.from === id ? edge.to : edge.from));
    show(detail, about(node, told.nodes.filter((each) => near.includes(each.id)), one, choose));
  }

  const wanted = told.nodes.find((node) => node.name.toLowerCase() === rest.toLowerCase());
  choose(wanted?.id ?? told.nodes[0].id);
  return () => {
    unwatch();
    net.destroy();
  };
}

const ORDER = ["self", "character", "note", "location", "item"];
const before = (a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || b.times - a.times || a.name.localeCompare(b.name);

function about(node, near, one, choose) {
  return [
    h("h2", {}, node.name),
    node.times > 0 && h("p", { class: "hint" }, `acted in ${many(node.times, "memory", "memories")}, from `,
      h("a", { href: `#${encodeURIComponent(one.slug)}/archive/${node.first}` }, `#${node.first}`), " to ",
      h("a", { href: `#${encodeURIComponent(one.slug)}/archive/${node.last}` }, `#${node.last}`)),
    node.note !== undefined ? [h("p", { class: "hint" }, node.updated ? `noted ${moment(node.updated)}` : "a note"), h("pre", { class: "prose", tabindex: 0 }, node.note)]
      : node.kind !== "self" && empty("No note about this."),
    near.length > 0 && h("p", { class: "near" }, "Connected with ", near.map((each) => h(
      "button", { type: "button", class: "quiet", onclick: () => choose(each.id) }, each.name))),
  ];
}

const looks = () => [
  {
    selector: "node",
    style: {
      label: "data(name)", width: "data(size)", height: "data(size)", color: colour("ink"), "font-size": 11,
      "font-family": "Literata, Georgia, serif", "text-valign": "bottom", "text-margin-y": 4, "background-color": colour("soft"),
      "text-background-color": colour("sheet"), "text-background-opacity": 0.75, "text-background-padding": 2,
    },
  },
  ...Object.entries(SHADES).map(([kind, name]) => ({ selector: `node[kind="${kind}"]`, style: { "background-color": colour(name) } })),
  { selector: "edge", style: { width: "data(width)", "line-color": colour("rule"), "curve-style": "haystack", opacity: 0.9 } },
  { selector: 'edge[kind="noted"]', style: { "line-style": "dotted", width: 1 } },
  { selector: "edge.near", style: { "line-color": colour("accent") } },
  { selector: "node.chosen", style: { "border-width": 3, "border-color": colour("ink") } },
];
