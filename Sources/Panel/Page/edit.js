// The graph is changed by hand: nodes added and removed, connections drawn. All of it are changes of the document, in
// one request each; what would be wrong is not done, and is said as `validate` says it.

import { byId, make, makeSVG } from "./dom.js";
import { readUnits } from "./server.js";

const single = { count: 1, most: 1 };
/** What a node is taken for whose component is written otherwise than by its name. */
const unknown = { inputs: single, outputs: single, isOutputUnit: false };
/** Whether one sound goes into a unit and one comes out of it. */
const isInsert = (unit) => !unit.isOutputUnit && unit.inputs.count === 1 && unit.outputs.count === 1;
const callbacks = {
  "a tone": { kind: "tone", frequency: 440, amplitude: 0.1 }, noise: { kind: "noise", amplitude: 0.1 },
  "a sound file": { kind: "file", path: "", loop: true }, "an impulse": { kind: "impulse" },
};

const escaped = (name) => name.replaceAll("~", "~0").replaceAll("/", "~1");
const nodeOf = (bus) => bus.replace(/\/(input|output)\/\d+$/, "");
const numberOf = (bus) => Number(bus.match(/(\d+)$/)[1]);
/** As a document writes it: "mixer:1", and "eq" for "eq:0". */
const address = (bus) => (numberOf(bus) ? `${nodeOf(bus)}:${numberOf(bus)}` : nodeOf(bus));
const busOf = (text, side) => {
  const [, name, number] = String(text).match(/^(.*?)(?::(\d+))?$/);
  return `${name}/${side}/${number ?? 0}`;
};

export class GraphEditor {
  #model;
  #changes;
  #graph;
  #view = byId("graph-view");
  #dialog;
  #refused = make("div", { class: "refused", role: "alert", hidden: true });
  #remove;
  #line = null;
  /** The kinds of unit by name, as the server has them; empty until they are first needed. */
  #units = new Map();

  constructor({ model, changes }, graph) {
    this.#model = model;
    this.#changes = changes;
    this.#graph = graph;
    this.#remove = make("button", { type: "button", id: "graph-remove", disabled: true, onclick: () => this.#removeChosen() }, "Remove");
    byId("graph-tools").prepend(
      make("button", { type: "button", id: "graph-add", "aria-keyshortcuts": "N", onclick: () => this.#withUnits(() => this.#askNode()) }, "Add…"),
      make("button", { type: "button", id: "graph-connect", "aria-keyshortcuts": "L", onclick: () => this.#withUnits(() => this.#askConnection()) }, "Connect…"),
      this.#remove);
    this.#dialog = make("dialog", { id: "graph-dialog", "aria-labelledby": "graph-dialog-title" });
    document.body.append(this.#dialog);
    this.#view.before(this.#refused);
    model.hear("selected", () => this.#showRemove());
    model.hear("document", () => this.#showRemove());
    graph.takesPress = (event) => this.#beginLine(event);
    this.#view.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select")) return;
      if (event.key === "n") this.#withUnits(() => this.#askNode());
      else if (event.key === "l") this.#withUnits(() => this.#askConnection());
      else if (event.key === "Delete" && !this.#remove.disabled) this.#removeChosen();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  // What the document has

  get #document() { return this.#model.document ?? {}; }
  /** With numbers in the place of names: "mixer:1" where "mixer:Voice" is written. */
  get #connections() {
    const written = Array.isArray(this.#document.connections) ? this.#document.connections : [];
    return written.map((one) => ({ ...one, from: this.#numbered(one.from, "outputs"), to: this.#numbered(one.to, "inputs") }));
  }
  #numbered(address, scope) {
    const [, name, bus] = String(address).match(/^([^:]*):(.*)$/s) ?? [];
    if (bus === undefined || /^\d+$/.test(bus)) return address;
    const named = Object.entries(this.#document.nodes?.[name]?.[scope] ?? {}).filter(([, one]) => one?.properties?.elementName === bus);
    return named.length === 1 ? `${name}:${named[0][0]}` : address;
  }
  #has(name) { return Object.hasOwn(this.#document.nodes ?? {}, name) || Object.hasOwn(this.#document.callbacks ?? {}, name); }
  #isCallback(name) { return Object.hasOwn(this.#document.callbacks ?? {}, name); }

  #indexOf({ from, to }) {
    return this.#connections.findIndex((one) => busOf(one.to, "input") === to && (!from || busOf(one.from, "output") === from));
  }

  #freeName(base) {
    if (!this.#has(base)) return base;
    for (let number = 2; ; number += 1) if (!this.#has(`${base} ${number}`)) return `${base} ${number}`;
  }

  /** The first input that nothing is connected to. */
  #freeInput(node) {
    const used = new Set(this.#connections.map((one) => busOf(one.to, "input")));
    for (let number = 0; ; number += 1) if (!used.has(`${node}/input/${number}`)) return `${node}/input/${number}`;
  }

  #unitOf({ component }) { return this.#units.get(component) ?? unknown; }
  #inputCount(node) { return node.inputCount ?? this.#unitOf(node).inputs.count; }
  #grows(node) { const { count, most } = this.#unitOf(node).inputs; return most > count; }

  /** Whether another sound can be connected to an input that has none. */
  #takes(node, input) { return numberOf(input) < this.#inputCount(node) || this.#grows(node); }

  /** Runs what needs the kinds of unit, once they are there. */
  async #withUnits(body) {
    try {
      if (!this.#units.size) this.#units = new Map((await readUnits()).map((unit) => [unit.name, unit]));
    } catch (error) {
      this.#refuse(error, this.#refused);
      return false;
    }
    return body();
  }

  // Changes

  #refuse(error, place) {
    place.hidden = false;
    const text = error.text ?? error.message;
    place.replaceChildren(make("p", {}, make("strong", {}, "Not done. "), text.split("\n", 1)[0]),
      text.includes("\n") ? make("pre", { tabindex: 0, "aria-label": "What is wrong, in full" }, text) : "",
      place === this.#refused ? make("button", { type: "button", class: "slight", onclick: () => (place.hidden = true) }, "Close") : "");
  }

  /** @returns {Promise<boolean>} whether it was done */
  async #change(operations, label, place = this.#refused) {
    try {
      await this.#changes.patch(operations, label);
      this.#refused.hidden = true;
      return true;
    } catch (error) {
      this.#refuse(error, place);
      return false;
    }
  }

  /** What an input takes to be there: a mixer has as many as it says. */
  #grown(to) {
    const node = this.#document.nodes?.[nodeOf(to)];
    if (!node || !this.#grows(node) || numberOf(to) < this.#inputCount(node)) return [];
    return [{ op: "add", path: `/nodes/${escaped(nodeOf(to))}/inputCount`, value: numberOf(to) + 1 }];
  }

  /** The format that an input is fed, as a document writes it: "2 ch, 48000 Hz, float32". */
  #format(to) {
    const [, channels = "2", rate, sample = "float32"] = (this.#model.formats.get(to) ?? "")
      .match(/^(\d+) ch, ([\d.]+) Hz, (\w+)/) ?? [];
    const isSession = rate === undefined || Number(rate) === this.#model.status?.grant?.sampleRate;
    return { sample, channels: Number(channels), sampleRate: isSession ? "session" : Number(rate) };
  }

  /**
   * A callback has no format of its own: without one for the whole patch its input is given one.
   * @param {?string} from null for a callback that is not there yet
   */
  #formatted(from, to) {
    const node = this.#document.nodes?.[nodeOf(to)];
    if ((from && !this.#isCallback(nodeOf(from))) || this.#document.streamFormat || !node?.component) return [];
    const path = `/nodes/${escaped(nodeOf(to))}/inputs`;
    const number = String(numberOf(to));
    const bus = node.inputs?.[number];
    if (bus?.streamFormat) return [];
    const value = this.#format(to);
    if (bus) return [{ op: "add", path: `${path}/${number}/streamFormat`, value }];
    return node.inputs ? [{ op: "add", path: `${path}/${number}`, value: { streamFormat: value } }]
      : [{ op: "add", path, value: { [number]: { streamFormat: value } } }];
  }

  connect(from, to, place) { return this.#withUnits(() => this.#connect(from, to, place)); }

  #connect(from, to, place) {
    const operations = [...this.#grown(to), ...this.#formatted(from, to)];
    const index = this.#indexOf({ to });
    if (index >= 0) operations.push({ op: "remove", path: `/connections/${index}` });
    operations.push({ op: "add", path: "/connections/-", value: { from: address(from), to: address(to) } });
    return this.#change(operations, `connect ${address(from)} to ${address(to)}`, place);
  }

  #showRemove() {
    const { selected } = this.#model;
    const edge = selected?.edge;
    this.#remove.disabled = !selected || (edge ? this.#indexOf(edge) < 0 : !this.#has(selected.main));
    this.#remove.title = this.#remove.disabled && selected
      ? "It stands in another file, that of the sub-graph: change it there" : "";
  }

  async #removeChosen() {
    const { selected } = this.#model;
    if (!selected) return;
    const connections = this.#connections;
    if (selected.edge) {
      const { from, to } = selected.edge;
      const index = this.#indexOf({ from, to });
      if (await this.#change([{ op: "remove", path: `/connections/${index}` }], `disconnect ${address(from)} from ${address(to)}`)) {
        this.#model.select(null);
      }
      return;
    }
    const name = selected.main;
    const isOf = (one, side) => nodeOf(busOf(one[side], side === "from" ? "output" : "input")) === name;
    const into = connections.filter((one) => isOf(one, "to"));
    const out = connections.filter((one) => isOf(one, "from"));
    const operations = connections.map((one, index) => index)
      .filter((index) => isOf(connections[index], "to") || isOf(connections[index], "from")).reverse()
      .map((index) => ({ op: "remove", path: `/connections/${index}` }));
    // What went through it goes on without it.
    if (into.length === 1 && out.length === 1) {
      operations.push({ op: "add", path: "/connections/-", value: { ...out[0], from: into[0].from } });
    }
    for (const [tap, { at }] of Object.entries(this.#document.taps ?? {})) {
      if (nodeOf(busOf(at, "output")) === name) operations.push({ op: "remove", path: `/taps/${escaped(tap)}` });
    }
    operations.push({ op: "remove", path: `/${this.#isCallback(name) ? "callbacks" : "nodes"}/${escaped(name)}` });
    if (await this.#change(operations, `remove ${name}`)) this.#model.select(null);
  }

  // Dialogs

  #open(title, fields, word, done) {
    const refused = make("div", { class: "refused", role: "alert", hidden: true });
    const form = make("form", {
      method: "dialog", class: "fields",
      onsubmit: async (event) => {
        event.preventDefault();
        if (await done(refused)) this.#dialog.close();
      },
    }, ...fields, refused, make("div", { class: "buttons" },
      make("button", { type: "button", onclick: () => this.#dialog.close() }, "Cancel"),
      make("button", { type: "submit", class: "main", id: "graph-done" }, word)));
    this.#dialog.replaceChildren(make("h2", { id: "graph-dialog-title" }, title), form);
    this.#dialog.showModal();
  }

  #field(id, label, input) {
    input.id = id;
    return make("p", {}, make("label", { for: id }, label), input);
  }

  #askNode() {
    const { selected } = this.#model;
    const edge = selected?.edge && this.#indexOf(selected.edge) >= 0 ? selected.edge : null;
    const all = [...this.#units.values()].filter((unit) => !unit.isOutputUnit);
    const inserts = new Set(all.filter(isInsert).map(({ name }) => name));
    const others = all.filter((unit) => !isInsert(unit)).map(({ name }) => name);
    const units = [...[...inserts].sort((a, b) => a.localeCompare(b)), ...others];
    const kind = make("select", {},
      make("optgroup", { label: "Units" }, ...units.map((name) => make("option", {}, name))),
      make("optgroup", { label: "Sounds" }, ...Object.keys(callbacks).map((name) => make("option", {}, name))));
    const name = make("input", { class: "entry", type: "text", autocomplete: "off", spellcheck: "false" });
    const path = make("input", { class: "entry", type: "text", autocomplete: "off", spellcheck: "false", placeholder: "audio/guitar.wav" });
    const where = make("select", {});
    const pathField = this.#field("add-path", "File", path);
    let isNamed = false;
    name.addEventListener("input", () => (isNamed = true));
    const update = () => {
      const isUnit = units.includes(kind.value);
      if (!isNamed) name.value = this.#freeName(isUnit ? kind.value : callbacks[kind.value].kind);
      pathField.hidden = kind.value !== "a sound file";
      const options = [];
      if (inserts.has(kind.value)) {
        for (const one of this.#connections) {
          const value = JSON.stringify({ from: busOf(one.from, "output"), to: busOf(one.to, "input") });
          options.push(make("option", { value }, `between ${one.from} and ${one.to}`));
        }
      }
      if (!isUnit) {
        for (const [key, node] of Object.entries(this.#document.nodes ?? {})) {
          if (!node.component) continue;
          const free = this.#freeInput(key);
          if (numberOf(free) === 0 || this.#grows(node)) options.push(make("option", { value: JSON.stringify({ to: free }) }, `into ${address(free)}`));
        }
      }
      options.push(make("option", { value: "" }, "not connected yet"));
      where.replaceChildren(...options);
      if (edge && inserts.has(kind.value)) where.value = JSON.stringify(edge);
      else if (selected?.main && !isUnit) {
        const wanted = options.find((one) => one.value && nodeOf(JSON.parse(one.value).to) === selected.main);
        if (wanted) where.value = wanted.value;
      }
    };
    kind.addEventListener("change", update);
    update();
    this.#open("Add to the graph", [this.#field("add-kind", "What", kind), this.#field("add-name", "Name", name), pathField,
      this.#field("add-where", "Where", where)], "Add", async (refused) => {
      const isUnit = units.includes(kind.value);
      const value = isUnit ? { component: kind.value } : { ...callbacks[kind.value] };
      if (value.kind === "file") value.path = path.value;
      const family = isUnit ? "nodes" : "callbacks";
      const operations = [];
      if (!this.#document[family]) operations.push({ op: "add", path: `/${family}`, value: {} });
      operations.push({ op: "add", path: `/${family}/${escaped(name.value)}`, value });
      if (where.value) {
        const { from, to } = JSON.parse(where.value);
        const index = from ? this.#indexOf({ from, to }) : -1;
        operations.push(...this.#grown(to));
        if (index < 0 && !isUnit) operations.push(...this.#formatted(null, to));
        if (index >= 0) {
          // An effect takes its format from nowhere: it gets that of what it is put into.
          if (!this.#document.streamFormat) {
            const streamFormat = this.#format(to);
            value.inputs = { 0: { streamFormat } };
            value.outputs = { 0: { streamFormat } };
          }
          const { to: end, ...rest } = this.#connections[index];
          operations.push({ op: "replace", path: `/connections/${index}`, value: { ...rest, to: name.value } },
            { op: "add", path: "/connections/-", value: { from: name.value, to: end } });
        } else operations.push({ op: "add", path: "/connections/-", value: { from: name.value, to: address(to) } });
      }
      return this.#change(operations, `add ${name.value}`, refused);
    });
  }

  #askConnection() {
    const { selected } = this.#model;
    const nodes = Object.entries(this.#document.nodes ?? {});
    const outs = [...Object.keys(this.#document.callbacks ?? {}).map((name) => `${name}/output/0`),
      ...nodes.flatMap(([name, node]) => {
        const { outputs, isOutputUnit } = this.#unitOf(node);
        // The microphone's side, where there is one.
        if (isOutputUnit) return outputs.count > 1 ? [`${name}/output/1`] : [];
        const count = node.outputCount ?? outputs.count;
        return Array.from({ length: count }, (_, number) => `${name}/output/${number}`);
      })];
    const ins = nodes.flatMap(([name, node]) => {
      const used = this.#connections.map((one) => busOf(one.to, "input")).filter((bus) => nodeOf(bus) === name);
      const free = this.#freeInput(name);
      const hasFree = this.#unitOf(node).isOutputUnit ? !used.length : this.#takes(node, free);
      return [...used, ...(hasFree ? [free] : [])];
    });
    const used = new Set(this.#connections.map((one) => busOf(one.to, "input")));
    const from = make("select", {}, ...outs.map((bus) => make("option", { value: bus }, address(bus))));
    const to = make("select", {}, ...ins.map((bus) =>
      make("option", { value: bus }, address(bus) + (used.has(bus) ? ", in the place of what is there" : ""))));
    const free = ins.find((bus) => !used.has(bus));
    if (free) to.value = free;
    const own = selected?.main && outs.find((bus) => nodeOf(bus) === selected.main);
    if (own) from.value = own;
    this.#open("Connect", [this.#field("connect-from", "From", from), this.#field("connect-to", "To", to)], "Connect",
      (refused) => this.connect(from.value, to.value, refused));
  }

  // A connection that is drawn

  #beginLine(event) {
    const port = event.target.closest?.('circle[data-scope="output"]');
    const source = event.target.closest?.("g.source[data-callback]");
    const isSource = source && event.shiftKey;
    if (!port && !isSource) return false;
    const from = port ? `${port.dataset.node ?? port.closest("g.box").dataset.callback}/output/${port.dataset.element}`
      : `${source.dataset.callback}/output/0`;
    if (!this.#has(nodeOf(from))) return false;
    event.preventDefault();
    const box = this.#view.getBoundingClientRect();
    const start = port ? this.#graph.placeOf(port) : { x: event.clientX - box.left, y: event.clientY - box.top };
    const path = makeSVG("path", {});
    this.#line = makeSVG("svg", { class: "drawn-line", "aria-hidden": "true" }, path);
    this.#view.append(this.#line);
    this.#view.setPointerCapture(event.pointerId);
    const move = ({ clientX, clientY }) => {
      const [x, y] = [clientX - box.left, clientY - box.top];
      const bend = Math.max(30, Math.abs(x - start.x) / 2);
      path.setAttribute("d", `M${start.x} ${start.y}C${start.x + bend} ${start.y} ${x - bend} ${y} ${x} ${y}`);
    };
    const end = (up) => {
      this.#view.removeEventListener("pointermove", move);
      this.#view.removeEventListener("pointerup", end);
      this.#view.removeEventListener("pointercancel", end);
      this.#line?.remove();
      this.#line = null;
      if (up.type !== "pointerup") return;
      const target = document.elementFromPoint(up.clientX, up.clientY);
      const input = target?.closest('circle[data-scope="input"]');
      const node = target?.closest("g.box[data-node]")?.dataset.node;
      if (!node || node === nodeOf(from)) return;
      const to = input ? `${node}/input/${input.dataset.element}` : this.#freeInput(node);
      this.connect(from, to);
    };
    this.#view.addEventListener("pointermove", move);
    this.#view.addEventListener("pointerup", end);
    this.#view.addEventListener("pointercancel", end);
    return true;
  }
}
