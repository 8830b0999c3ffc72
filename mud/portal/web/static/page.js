// What Play and Map share: the connection, the story, the line, and how the connection goes.

import { byId, el } from "./dom.js";
import { Connection } from "./connection.js";
import { Line } from "./line.js";
import { Story } from "./story.js";

const SAID = {
  lost: "The connection is lost. It is being made again; what you type now is sent then.",
  over: "You have left the world.",
  refused: "You are not let in just now.",
};

// Connects a page; `on` has a function for each further part of a message.
export function connect(view, on) {
  const story = new Story(byId("story"), byId("newest"), () => connection.page);
  const status = byId("status");

  const state = (how, why = "") => {
    status.hidden = how === "open";
    status.replaceChildren(why || SAID[how] || "");
    if (how === "over" || how === "refused") {
      const back = el("button", { type: "button", onclick: () => connection.open() }, "Come in again");
      status.append(" ", back);
      back.focus();
    }
    document.body.dataset.connection = how;
  };

  const connection = new Connection(view, {
    state,
    pieces: (pieces) => {
      story.add(pieces);
      // What is told back without a text was private, or may hold a password.
      const own = pieces.filter(({ kind, page, text }) => kind === "typed" && page === connection.page && text);
      for (const { text } of own) line.keep(text);
    },
    restart: () => story.clear(),
    slow: () => story.note("This page took what was told too slowly and was cut off. It comes back by itself."),
    gap: () => story.note("Some of what was told meanwhile is not kept here any more."),
    private: (value) => (line.private = value),
    asked: (value) => (line.asked = value),
    completed: (found) => line.completed(found),
    ...on,
  });

  const send = (text, isPrivate = false) => {
    const number = connection.type(text, isPrivate);
    story.following = true;
    if (!isPrivate) story.pend(text, number);
  };
  const line = new Line(byId("line"), byId("input"), byId("choices"), {
    send,
    complete: (text) => connection.complete(text),
  });

  // Whoever begins to type anywhere on the page means the line.
  document.addEventListener("keydown", (event) => {
    const free = event.target === document.body || event.target === story.box;
    if (free && event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey) {
      byId("input").focus();
    }
    if (event.key === "Escape") byId("input").focus();
  });
  return { send, story };
}
