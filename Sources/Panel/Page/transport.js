// The head of the page: what runs, how it plays, starting and stopping, undo and redo; and the events.

import { byId, make, say } from "./dom.js";
import { command } from "./server.js";

const states = {
  starting: "Starting", playing: "Playing", paused: "Paused", interrupted: "Interrupted",
  waiting: "No device", stopping: "Stopping", ended: "Ended",
};

const clock = (seconds) => {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
};

/** The time of day. The browser's own words for it take 20 ms when they are first asked for. */
const clockTime = (time) => [time.getHours(), time.getMinutes(), time.getSeconds()]
  .map((part) => String(part).padStart(2, "0")).join(":");

const percent = (share) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

/** What stands in the head, by title. @type {Record<string, (status: any) => string>} */
const readouts = {
  State: (status) => states[status.state] ?? status.state,
  Position: (status) =>
    clock(status.position) + (status.duration ? ` of ${clock(status.duration)}` : ""),
  Load: (status) =>
    percent(status.load) + (status.renderThreads > 1 ? ` on ${status.renderThreads} threads` : ""),
  Peak: (status) => percent(status.peakLoad),
  Limit: ({ outputLimit: limit }) =>
    limit ? `${limit.level} dB` + (limit.reduction > 0 ? ` (−${limit.reduction.toFixed(1)} dB)` : "") : "",
  Underruns: (status) => {
    const causes = Object.entries(status.underrunCauses ?? {}).map(([cause, count]) => `${cause} ${count}`);
    return String(status.underruns + status.overruns) + (causes.length ? ` (${causes.join(", ")})` : "");
  },
  Output: ({ grant }) => grant.sink?.name ?? "",
  Input: ({ grant }) => grant.source?.name ?? "",
  Rate: ({ grant }) => `${grant.sampleRate} Hz`,
  Slice: ({ grant }) => `${grant.sliceFrames} frames`,
  Latency: ({ grant, raisedLatency: raised }) =>
    [grant.sink, grant.source].filter(Boolean)
      .map((side) => `${(side.latency * 1000).toFixed(1)} ms`).join(" + ")
    + (raised ? ` (raised by ${((raised.granted - raised.asked) * 1000).toFixed(1)} ms)` : ""),
};

const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

/** Who has changed something, as the program says it, for people. */
const authors = {
  timeline: "By the timeline", osc: "By OSC", file: "By the file", signal: "By a signal", session: "By the session",
  http: "By another browser or program",
};

/** What the timeline has done to a value. */
function moved({ pointer, summary }, model) {
  const control = model.controls.get(pointer);
  return control ? `${model.fullTitle(control)} has been moved` : `${pointer}: ${summary}`;
}

const eventWords = {
  started: () => "started",
  changed: ({ changes, changeCount, by }, model) =>
    changes.slice(0, 3).map((one) => (by === "timeline" ? moved(one, model) : one.summary)).join("; ") + (changes.length > 3 ? `; and ${changes.length - 3} more` : "") || (changeCount ? `${changeCount} changes` : "nothing is different"),
  refused: ({ text }) => `refused: ${text.split("\n", 1)[0]}`,
  xrun: ({ underruns, overruns }) =>
    [underruns && count(underruns, "underrun"), overruns && count(overruns, "overrun")].filter(Boolean).join(", ") + " so far",
  underrun: ({ message }) => message,
  file: ({ message }) => message,
  route: ({ direction, name }) => `the ${direction} is ${name} now`,
  interruption: ({ begins }) => (begins ? "interrupted" : "the interruption is over"),
  device: ({ message }) => message,
  warning: ({ message }) => `warning: ${message}`,
  state: ({ state }) => state,
  saved: ({ file }) => `saved: ${file}`,
  ended: ({ reason, message }) => `ended: ${message ?? reason}`,
};

const keptEvents = 200;

export class Transport {
  #model;
  #changes;
  #messages;
  #fields = new Map();
  #position = { seconds: 0, at: 0 };

  constructor({ model, changes }, messages) {
    this.#model = model;
    this.#changes = changes;
    this.#messages = messages;
    for (const title of Object.keys(readouts)) {
      const value = make("dd", {}, "–");
      this.#fields.set(title, value);
      byId(title === "State" || title === "Position" ? "clock" : "readouts").append(make("div", { class: title.toLowerCase() }, make("dt", {}, title), value));
    }
    model.hear("status", (status) => this.#show(status));
    model.hear("history", () => this.#showHistory());
    model.hear("built", () => this.#showHistory());
    model.hear("connection", (connection) => this.#showConnection(connection));
    model.hear("event", (event) => this.#showEvent(event));
    setInterval(() => this.#tick(), 250);
    this.#showHistory();
    byId("pause").addEventListener("click", () => {
      const isPaused = this.#model.status?.state === "paused";
      this.#command(isPaused ? "start" : "pause");
    });
    byId("stop").addEventListener("click", () => byId("stop-dialog").showModal());
    byId("stop-dialog").addEventListener("close", () => {
      if (byId("stop-dialog").returnValue === "stop") this.#command("stop");
      byId("stop-dialog").returnValue = "";
    });
    byId("undo").addEventListener("click", () => changes.undo());
    byId("redo").addEventListener("click", () => changes.redo());
    byId("help").addEventListener("click", () => byId("help-dialog").showModal());
  }

  async #command(what) {
    try {
      const { text } = await command(what);
      const { state } = JSON.parse(text || "{}");
      if (state) this.#model.setStatus({ state });
      this.#messages.clear("command");
    } catch (error) {
      this.#messages.show("command", "Not done", error.text ?? error.message);
    }
  }

  #show(status) {
    if (!status.grant) return;
    const name = status.file.split("/").at(-1);
    say(byId("title"), status.title || name);
    const isUnsaved = status.saved === false;
    // The end of a long path says which file it is.
    say(byId("file"), status.file.split("/").slice(-2).join("/") + (isUnsaved ? " · not saved" : ""));
    if (byId("file").title !== status.file) byId("file").title = status.file;
    const title = `${isUnsaved ? "• " : ""}${status.title || name} – patchrun`;
    if (document.title !== title) document.title = title;
    for (const [label, write] of Object.entries(readouts)) {
      const text = write(status);
      const field = this.#fields.get(label);
      field.parentElement.hidden = !text;
      say(field, text);
    }
    document.body.dataset.state = status.state;
    this.#fields.get("Underruns").classList.toggle("bad", status.underruns + status.overruns > 0);
    this.#fields.get("Load").classList.toggle("bad", status.load > 0.7);
    this.#position = { seconds: status.position, at: performance.now() };
    const isOver = status.state === "ended" || status.state === "stopping";
    byId("pause").disabled = isOver || status.state === "starting";
    const word = status.state === "paused" ? "Start" : "Pause";
    say(byId("pause").firstElementChild, word);
    byId("pause").title = word;
    byId("stop").disabled = isOver;
  }

  #tick() {
    const { status } = this.#model;
    if (status?.state !== "playing" || this.#model.connection !== "open") return;
    const passed = Math.min(1.2, (performance.now() - this.#position.at) / 1000);
    say(this.#fields.get("Position"),
      readouts.Position({ ...status, position: this.#position.seconds + passed }));
  }

  #showHistory() {
    for (const [id, label] of [["undo", this.#changes.undoLabel], ["redo", this.#changes.redoLabel]]) {
      const button = byId(id);
      const word = id === "undo" ? "Undo" : "Redo";
      // A button that is disabled loses the focus.
      const hadFocus = document.activeElement === button;
      button.disabled = !label;
      button.title = label ? `${word}: ${label}` : `Nothing to ${word.toLowerCase()}`;
      if (label) button.setAttribute("aria-label", `${word}: ${label}`);
      else button.removeAttribute("aria-label");
      if (hadFocus && !label) byId(id === "undo" ? "redo" : "undo").focus();
    }
    const history = this.#changes.history.slice(0, 60);
    const next = history.findIndex((one) => !one.isUndone);
    byId("change-list").replaceChildren(...history.map(({ text, isUndone }, index) =>
      make("li", { class: isUndone ? "undone" : index === next ? "next" : null },
        make("span", {}, text), make("span", { class: "quiet" },
          isUndone ? "undone" : index === next ? "Undo takes this back" : ""))));
    byId("changes-title").hidden = byId("change-list").hidden = history.length === 0;
  }

  #showConnection({ state, reason }) {
    const banner = byId("connection");
    banner.hidden = state === "open";
    document.body.dataset.connection = state;
    if (state === "ended") {
      say(banner, `The run has ended${reason ? `: ${reason}` : ""}. The panel waits for the next one at this address.`);
    } else if (state === "lost") {
      say(banner, "No connection to the run. Trying again…");
    }
  }

  #cause(name, data) {
    if (name === "changed" || name === "refused") {
      // Of what is on its way the answer is not there yet.
      if (data.by === "http" && name === "changed" && this.#changes.isOwn(data.tag) !== false) return "Here";
      return authors[data.by] ?? `By ${data.by}`;
    }
    return "";
  }

  #showEvent({ name, data }) {
    const place = byId("event-list");
    const time = new Date(data.time ?? Date.now());
    const text = eventWords[name]?.(data, this.#model) ?? name;
    const cause = this.#cause(name, data);
    const item = make("li", { class: name },
      make("time", { datetime: time.toISOString() }, clockTime(time)),
      make("span", {}, cause ? make("strong", {}, `${cause}: `) : "", text));
    const last = place.firstElementChild;
    // How many there are stands with the one that has been told of.
    if (name === "xrun" && last?.className === "underrun") {
      last.lastElementChild.append(make("em", { class: "quiet" }, ` (${text})`));
      return;
    }
    // A fader that moves is one line, and so are underruns one after the other.
    item.dataset.about = data.changes?.map((one) => one.pointer).join() ?? "";
    const isSame = (name === "changed" || name === "xrun") && last?.className === name
      && last.dataset.about === item.dataset.about;
    if (isSame) {
      const times = Number(last.dataset.times ?? 1) + 1;
      item.dataset.times = String(times);
      item.lastElementChild.append(make("em", { class: "quiet" }, name === "changed" ? ` (${times} changes)` : ` (${times} times)`));
      last.replaceWith(item);
    } else place.prepend(item);
    while (place.childElementCount > keptEvents) place.lastElementChild.remove();
  }
}
