// The small map: where one has been, drawn as dots and lines around where one is.

import { svg } from "./dom.js";

const CELL = 34;
const REACH = 3; // cells to each side that are shown

export function drawChart(box, [spots, paths, open], here) {
  const center = spots.find(([id]) => id === here);
  if (!center) {
    box.replaceChildren();
    return;
  }
  const near = new Map(
    spots
      .filter(([, , x, y]) => Math.abs(x - center[2]) <= REACH && Math.abs(y - center[3]) <= REACH)
      .map(([id, name, x, y]) => [id, { name, x: x * CELL, y: y * CELL }]),
  );
  const lines = paths
    .filter(([start, end]) => near.has(start) && near.has(end))
    .map(([start, end, , both]) => line(near.get(start), near.get(end), both ? "way" : "way one"));
  const loose = new Map();
  for (const [id] of open) if (near.has(id)) loose.set(id, (loose.get(id) ?? 0) + 1);
  const dots = [...near].map(([id, { name, x, y }]) =>
    svg("g", { class: id === here ? "spot here" : "spot" },
      loose.has(id) ? svg("circle", { class: "unknown", cx: x, cy: y, r: id === here ? 11 : 9 }) : null,
      svg("circle", { cx: x, cy: y, r: id === here ? 6.5 : 4.5 }),
      svg("title", {}, loose.has(id) ? `${name}, from where more ways lead` : name)));
  const xs = [...near.values()].map(({ x }) => x);
  const ys = [...near.values()].map(({ y }) => y);
  const [left, top] = [Math.min(...xs) - CELL / 2, Math.min(...ys) - CELL / 2];
  const [width, height] = [Math.max(...xs) + CELL / 2 - left, Math.max(...ys) + CELL / 2 - top];
  box.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
  box.style.maxHeight = `${Math.min(260, height * 1.6)}px`;
  box.replaceChildren(svg("g", {}, ...lines), svg("g", {}, ...dots));
}

function line(from, to, kind) {
  return svg("line", { class: kind, x1: from.x, y1: from.y, x2: to.x, y2: to.y });
}
