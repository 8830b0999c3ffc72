// Everything an agent said and did, each line with how it came about and its line in the archive.

import { ask, count, empty, failed, h, many, show, span, time } from "./dom.js";
import { kind, memory, words } from "./entry.js";
import { score } from "./score.js";

export async function lines(place, one, rest) {
  let list = place.querySelector(".sayings");
  if (!list) {
    const told = await ask("minds/lines", { agent: one.slug });
    list = h("ol", { class: "sayings" });
    const detail = h("section", { class: "why", id: "why", tabindex: -1, "aria-label": "How a line came about" });
    show(place, h("div", { class: "split" }, h("section", { "aria-label": "Lines" }, list, later(one, list, told)), detail));
    add(one, list, told);
  }
  const detail = place.querySelector(".why");
  for (const link of list.querySelectorAll("a")) {
    if (link.dataset.seq === rest) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  const seq = Number.parseInt(rest, 10);
  if (!seq) {
    show(detail, empty(list.childElementCount ? "Choose a line to see how it came about." : ""));
    return;
  }
  try {
    show(detail, why(await ask("minds/why", { agent: one.slug, seq }), one));
    detail.focus({ preventScroll: matchMedia("(min-width: 60rem)").matches });
  } catch (error) {
    show(detail, failed(error));
  }
}

function add(one, list, told) {
  if (!told.lines.length && !list.childElementCount) {
    list.replaceWith(empty(`${one.name} has said and done nothing yet.`));
    return;
  }
  list.append(
    ...told.lines.map((line) => {
      const link = h(
        "a",
        { href: `#${encodeURIComponent(one.slug)}/lines/${line.seq}`, class: `saying ${line.kind}` },
        h("span", { class: "where" }, time(line.at), h("span", {}, kind(line.kind)), line.place && h("span", {}, line.place)),
        h("span", { class: "text" }, words(line)),
        line.traced && h("span", { class: "mark" }, "why"),
      );
      link.dataset.seq = line.seq;
      return h("li", {}, link);
    }),
  );
}

function later(one, list, told) {
  let before = told.before;
  const button = h("button", { type: "button", class: "quiet", hidden: !before }, "Earlier lines");
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const more = await ask("minds/lines", { agent: one.slug, before });
      add(one, list, more);
      before = more.before;
      button.hidden = !before;
    } catch (error) {
      button.after(failed(error));
    }
    button.disabled = false;
  });
  return button;
}

// ---- how one came about ----

const row = (name, ...value) => h("div", { class: "row" }, h("h3", {}, name), h("div", {}, ...value));

function why(told, one) {
  const { entry, trace, raw } = told;
  return [
    h("h2", {}, "Why"),
    h("blockquote", { class: entry.kind }, words(entry)),
    h("p", { class: "hint" }, `${told.doer ?? one.name}, `, time(entry.at), entry.place && `, ${entry.place}`),
    trace ? decided(trace, one) : h("p", { class: "hint" }, told.untraced),
    h(
      "section",
      { class: "raw" },
      h("h3", {}, `Its line in the archive of ${told.agent}`),
      raw ? h("pre", { tabindex: 0 }, raw) : h("p", { class: "hint" }, "The archive has no readable line of it."),
      h("p", {}, h("a", { href: `#${encodeURIComponent(one.slug)}/archive/${entry.seq}` },
        `Read on at #${count(entry.seq)} in the archive`)),
    ),
  ];
}

function decided(trace, one) {
  const [, reason] = (trace.line ?? "").split(" | ");
  return h(
    "div",
    { class: "rows" },
    trace.line && row("Typed", h("code", {}, trace.line)),
    reason && row("Private reason", reason),
    row("Decided by", h("strong", {}, trace.brain || "nobody"), trace.why ? `: ${trace.why}` : ""),
    trace.waiting && row("Hurry", "Somebody was waiting for the answer."),
    trace.instead && row("Instead of", trace.instead),
    trace.text && row("Worded by", h("code", {}, trace.text)),
    trace.answered && row("Answers", cited(trace.answered, one)),
    trace.rests.length > 0 && row("Rests on", trace.rests.map((each) => cited(each, one))),
    (trace.lookups ?? []).map((each) => row("Recalled", lookup(each, one))),
    (trace.asked ?? []).map((each) => asked(each, one)),
    trace.refused && row("Refused", trace.refused),
    row("Took", `${(trace.seconds ?? 0).toFixed(2)} s`, trace.step ? `, step ${count(trace.step)} of the ledger` : ""),
  );
}

function cited({ ref, entry }, one) {
  if (entry) return memory(entry, one.slug);
  if (ref.startsWith("[[")) {
    return h("p", {}, "the note ", h("a", { href: `#${encodeURIComponent(one.slug)}/graph/${encodeURIComponent(ref.slice(2, -2))}` }, ref.slice(2, -2)));
  }
  return h("p", {}, /^\d+-\d+$/.test(ref) ? `the summary of memories ${ref.replace("-", " to ")}` : ref);
}

function lookup({ query, found = [] }, one) {
  return [
    h("p", { class: "query" }, h("q", {}, query)),
    found.length ? h("ol", { class: "hits" }, found.map((hit) => h("li", {}, recalled(hit, one)))) : h(
      "p", { class: "hint" }, "Nothing was found."),
  ];
}

function recalled(hit, one) {
  const seq = /^\d+$/.test(hit.ref) ? hit.ref : null;
  return [
    h(
      "p",
      { class: "where" },
      seq ? h("a", { class: "seq", href: `#${encodeURIComponent(one.slug)}/lines/${seq}` }, `#${count(Number(seq))}`) : h("span", {}, hit.ref),
      h("span", {}, kind(hit.kind)),
      hit.at && time(hit.at),
      hit.place && h("span", {}, hit.place),
    ),
    h("p", { class: "text" }, hit.text),
    score(hit.score, hit.parts),
  ];
}

function asked(call, one) {
  const sections = call.sections ?? [];
  const facts = [
    [call.model, call.profile && `profile ${call.profile}`, call.host].filter(Boolean).join(", "),
    call.tokens && `${count(call.tokens)} tokens of ${count((call.window ?? 0) - (call.reserve ?? 0))}`,
    call.prompt_tokens && `${count(call.prompt_tokens)} read by the server`,
    call.cached_tokens && `${count(call.cached_tokens)} of them known`,
    call.completion_tokens && `${count(call.completion_tokens)} written`,
    `${(call.queued ?? 0).toFixed(1)} s queued, ${(call.seconds ?? 0).toFixed(1)} s asked`,
  ].filter(Boolean);
  return [
    row("Asked a model", facts.map((fact) => h("p", {}, fact))),
    call.hint && row("Hint", call.hint),
    sections.length > 0 && row("Prompt", sections.map((part) => h(
      "details", {}, h("summary", {}, `${part.name}, ${many(part.tokens, "token")}`), h("pre", { tabindex: 0 }, part.text)))),
    call.shed?.length > 0 && row("Left out", call.shed.join("; ")),
    call.related && row("Related", lookup(call.related, one)),
    call.reply && row("Reply", h("pre", { tabindex: 0 }, call.reply)),
    call.rejected && row("Not taken", call.rejected),
    call.error && row("Failed", call.error),
  ];
}
