// The websocket to the world. It comes back by itself, loses no line and sends none twice: each typed line has a
// number, and is sent again until the story shows it; the story is asked for from the last piece that was shown.

const OVER = 4410; // the session has ended: nobody comes back by himself
const NOT_LET_IN = 4403;
const TOO_SLOW = 4408; // it comes back, without what is not kept any more
const LONGEST_WAIT = 15000;
const ASKED = 20000; // milliseconds between two questions whether the connection still lives
const ANSWERED = 6000; // and how long the answer may take

const meta = document.querySelector('meta[name="token"]');

export class Connection {
  #socket = null;
  #page = Math.random().toString(36).slice(2, 12);
  #number = 0;
  #pending = [];
  #story = "";
  #since = 0;
  #wait = 0;
  #timer = 0;
  #sorry = "";
  #heard = 0;

  // `on` has a function for each part of a message, such as `piece`, `hello` or `chart`, and `state` for how it goes.
  constructor(view, on) {
    this.view = view;
    this.on = on;
    addEventListener("online", () => this.#now());
    document.addEventListener("visibilitychange", () => document.hidden || this.#now());
    setInterval(() => this.#ask(), ASKED);
    this.open();
  }

  get page() {
    return this.#page;
  }

  open() {
    clearTimeout(this.#timer);
    this.#sorry = "";
    const asked = new URLSearchParams({
      token: meta.content, view: this.view, story: this.#story, since: this.#since, page: this.#page,
    });
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/socket?${asked}`);
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#receive(JSON.parse(data)));
    socket.addEventListener("close", ({ code }) => socket === this.#socket && this.#closed(code));
  }

  // A private line that arrives when none is asked for any more must not be taken for a command.
  type(line, isPrivate = false) {
    const sent = { line, page: this.#page, number: ++this.#number, private: isPrivate };
    this.#pending.push(sent);
    this.#send(sent);
    return sent.number;
  }

  complete(line) {
    return this.#send({ complete: line });
  }

  #send(what) {
    const open = this.#socket?.readyState === WebSocket.OPEN;
    if (open) this.#socket.send(JSON.stringify(what));
    return open;
  }

  #receive(message) {
    this.#heard += 1;
    if (message.hello) this.#welcome(message.hello);
    if (message.story) this.#tell(message.first, message.story);
    if (message.sorry) this.#sorry = message.sorry;
    for (const [name, value] of Object.entries(message)) {
      if (name !== "story" && name !== "first" && name !== "sorry") this.on[name]?.(value);
    }
  }

  #welcome({ story, taken }) {
    if (this.#story && story !== this.#story) {
      this.#since = 0;
      this.on.restart?.();
    }
    this.#story = story;
    this.#wait = 0;
    this.on.state("open");
    for (const sent of this.#pending) {
      if (sent.number > taken) this.#send(sent);
    }
  }

  #tell(first, pieces) {
    if (this.#since && first > this.#since + 1) this.on.gap?.();
    const fresh = pieces.slice(Math.max(0, this.#since + 1 - first));
    for (const piece of fresh) {
      if (piece.kind === "typed" && piece.page === this.#page) {
        this.#pending = this.#pending.filter((sent) => sent.number !== piece.number);
      }
    }
    this.#since = first + pieces.length - 1;
    this.on.pieces(fresh);
  }

  async #closed(code) {
    if (code === OVER || code === NOT_LET_IN) {
      this.on.state(code === OVER ? "over" : "refused", this.#sorry);
      return;
    }
    if (code === TOO_SLOW) this.on.slow?.();
    this.on.state("lost");
    this.#wait = Math.min(LONGEST_WAIT, Math.max(400, this.#wait * 1.7));
    this.#timer = setTimeout(() => this.#again(), this.#wait * (0.8 + Math.random() * 0.4));
  }

  #now() {
    this.#ask();
    if (this.#wait && this.#socket?.readyState !== WebSocket.OPEN) {
      clearTimeout(this.#timer);
      this.#again();
    }
  }

  // Finds out a connection that died in silence, as after a sleep of the machine.
  #ask() {
    const [socket, heard] = [this.#socket, this.#heard];
    if (!this.#send({ ping: heard })) return;
    setTimeout(() => {
      if (socket !== this.#socket || heard !== this.#heard || socket.readyState !== WebSocket.OPEN) return;
      this.#socket = null;
      socket.close();
      this.#closed(0);
    }, ANSWERED);
  }

  // A world that was started again knows this browser no longer; then the way leads to the door.
  async #again() {
    try {
      const answer = await fetch("/token", { cache: "no-store", signal: AbortSignal.timeout(ANSWERED) });
      if (answer.status === 403) {
        location.assign("/login");
        return;
      }
      meta.content = (await answer.json()).token;
      this.open();
    } catch {
      this.#closed(0);
    }
  }
}
