// Charts along a life: the memories from left to right. Arrow keys move the cursor, Enter opens the archive there.

import uPlot from "../vendor/uplot.mjs";
import { colour, count, h, onTheme } from "./dom.js";

const tone = (name) => colour(name);

const PATHS = {
  area: uPlot.paths.linear(),
  line: uPlot.paths.linear(),
  bars: uPlot.paths.bars({ size: [1, Infinity], gap: 0 }),
  points: () => null,
};

const axis = () => ({
  stroke: tone("soft"),
  grid: { stroke: tone("rule"), width: 1 },
  ticks: { stroke: tone("rule"), width: 1, size: 4 },
  font: "12px Literata, Georgia, serif",
});

// A chart whose x are numbers of memories, or seconds with `time`. `series` have a name, a colour, values and a shape.
export function chart({ label, x, series, told, open, height = 150, stacked = false, time = false, marks = [], bands = [], max }) {
  const place = h("figure", { class: "chart" });
  const canvas = h("div", { class: "canvas", tabindex: 0, role: "img", "aria-label": label });
  const legend = h("figcaption", {}, h("span", { class: "legend" }, series.map(key)), h("span", { class: "told" }));
  place.append(canvas, legend);
  const told_at = legend.querySelector(".told");
  let plot;

  function key(one) {
    return h("span", { class: "key" }, h("i", { style: { background: `var(--${one.colour})` } }), one.name);
  }

  function draw() {
    plot?.destroy();
    plot = new uPlot(options(), [x, ...(stacked ? sums(series) : series.map((one) => one.values))], canvas);
  }

  function options() {
    const drawn = series.map((one) => ({
      label: one.name,
      stroke: tone(one.colour),
      fill: ["area", "bars"].includes(one.shape) ? tone(one.colour) : undefined,
      width: one.shape === "line" ? 2 : 0,
      points: { show: one.shape === "points", size: 4, fill: tone(one.colour), stroke: tone(one.colour) },
      paths: PATHS[one.shape],
    }));
    return {
      width: canvas.clientWidth || 600,
      height,
      padding: [8, 28, 0, 0],
      scales: { x: { time }, y: { range: (_, low, high) => [0, max ?? Math.max(1, high * 1.05)] } },
      axes: [
        { ...axis(), ...(time ? {} : { values: (_, ticks) => ticks.map(count) }), size: time ? 40 : 24 },
        { ...axis(), size: 68, values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? count(tick) : "")) },
      ],
      series: [{}, ...drawn],
      legend: { show: false },
      cursor: { sync: { key: "life" }, points: { show: false }, drag: { x: true, y: false } },
      hooks: {
        drawClear: [shade],
        draw: [tick],
        setCursor: [(self) => { told_at.textContent = self.cursor.idx === null ? "" : told(self.cursor.idx); }],
      },
    };
  }

  function shade(self) {
    const { ctx, bbox } = self;
    ctx.save();
    ctx.fillStyle = tone("sleep");
    for (const [from, to] of bands) {
      const [left, right] = [from, to].map((value) => self.valToPos(value, "x", true));
      ctx.fillRect(left, bbox.top, Math.max(2, right - left), bbox.height);
    }
    ctx.restore();
  }

  function tick(self) {
    const { ctx, bbox } = self;
    ctx.save();
    ctx.fillStyle = tone("ink");
    for (const value of marks) {
      const at = self.valToPos(value, "x", true);
      if (at >= bbox.left && at <= bbox.left + bbox.width) ctx.fillRect(at - 0.5, bbox.top + bbox.height - 7, 1.5, 7);
    }
    ctx.restore();
  }

  function move(step) {
    const at = Math.min(x.length - 1, Math.max(0, (plot.cursor.idx ?? (step > 0 ? -1 : x.length)) + step));
    plot.setCursor({ left: plot.valToPos(x[at], "x"), top: height / 3 });
  }

  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step) {
      event.preventDefault();
      move(step);
    } else if (event.key === "Enter" && plot.cursor.idx !== null) open?.(plot.cursor.idx);
  });
  canvas.addEventListener("dblclick", () => plot.setScale("x", { min: x[0], max: x.at(-1) }));
  canvas.addEventListener("click", () => {
    if (plot.select.width < 3 && plot.cursor.idx !== null && plot.cursor.idx !== undefined) open?.(plot.cursor.idx);
  });
  const sized = new ResizeObserver(() => (plot ? plot.setSize({ width: canvas.clientWidth, height }) : draw()));
  sized.observe(canvas);
  const unwatch = onTheme(() => plot && draw());
  const end = () => {
    sized.disconnect();
    unwatch();
    plot?.destroy();
  };
  return { place, end };
}

// What is drawn from back to front: each series with all after it, so that the last one lies at the bottom.
function sums(series) {
  let below = series[0].values.map(() => 0);
  return [...series].reverse().map((one) => (below = one.values.map((value, at) => below[at] + (value ?? 0)))).reverse();
}
