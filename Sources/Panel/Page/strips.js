// What the console has a strip for: each bus of a mixer that has a fader, and each unit that belongs to none.

import { isFader } from "./controls.js";

/**
 * @typedef {object} Strip
 * @property {string} id `mixer/input/0`, or the name of a unit
 * @property {string} node
 * @property {?"input" | "output"} scope null for a unit
 * @property {number} element
 * @property {string} name what is heard on it
 * @property {string} place where it is: "mixer in 0"
 * @property {string} to where it goes, "" for nowhere
 * @property {string} group
 * @property {boolean} isMain whether it is the last before a device
 * @property {Map<string, import("./model.js").Control>} controls by name
 * @property {?import("./model.js").Control} fader
 * @property {string[]} chain the nodes and callbacks that belong to it, as the sound goes
 */

const isMixer = (component) => /mixer$/i.test(component);
const nodeOf = (bus) => bus.replace(/\/(input|output)\/\d+$/, "");
const lastPart = (name) => name.split("/").at(-1);
const firstPart = (name) => name.split("/")[0];

/** Where a node's sounds come from and go, by the connections of the graph. */
export class Wiring {
  /** @type {Map<string, string[]>} */
  #into = new Map();
  /** @type {Map<string, string[]>} */
  #outOf = new Map();
  /** @type {Map<string, string>} the output that feeds an input */
  feeds = new Map();
  /** @type {Map<string, string[]>} the inputs that an output feeds */
  feeding = new Map();

  /** @param {{ from: string, to: string }[]} edges buses, as `mixer/input/0` */
  constructor(edges) {
    const note = (map, key, value) => map.set(key, [...(map.get(key) ?? []), value]);
    for (const { from, to } of edges) {
      note(this.#outOf, nodeOf(from), nodeOf(to));
      note(this.#into, nodeOf(to), nodeOf(from));
      note(this.feeding, from, to);
      this.feeds.set(to, from);
    }
  }

  into(node) { return this.#into.get(node) ?? []; }
  outOf(node) { return this.#outOf.get(node) ?? []; }

  /** All nodes that are reached from some, they too. @param {Iterable<string>} nodes */
  reach(nodes, isForward) {
    const found = new Set(nodes);
    for (const node of found) {
      for (const next of isForward ? this.outOf(node) : this.into(node)) found.add(next);
    }
    return found;
  }
}

/**
 * The strips of a graph, in the order of the console, and their groups.
 * @param {import("./model.js").Model} model
 * @returns {{ strips: Strip[], groups: string[] }}
 */
export function stripsOf(model) {
  const { wiring } = model;
  const components = new Map();
  /** @type {Map<string, Strip>} */
  const found = new Map();
  for (const control of model.controls.values()) {
    components.set(control.node, control.component);
    const { node, scope, element } = control;
    if (!isMixer(control.component) || scope === "global" || control.isUsed === false) continue;
    const id = `${node}/${scope}/${element}`;
    const strip = found.get(id) ?? {
      id, node, scope, element, name: control.elementName ?? "", place: "", to: "", group: "",
      isMain: false, controls: new Map(), fader: null, chain: [],
    };
    found.set(id, strip);
    strip.controls.set(control.name, control);
    if (isFader(control)) strip.fader ??= control;
  }
  const mixes = (node) => isMixer(components.get(node) ?? "");
  const usedInputs = (node) => wiring.into(node).length;

  /** What comes before a bus, up to the first unit that mixes, as the sound goes. */
  const before = (bus) => {
    const chain = [];
    let from = wiring.feeds.get(bus);
    while (from && chain.length < 64) {
      const node = nodeOf(from);
      if (mixes(node)) break;
      chain.unshift(node);
      const sources = wiring.into(node);
      if (sources.length !== 1) break;
      from = wiring.feeds.get([...wiring.feeds.keys()].find((to) => nodeOf(to) === node));
    }
    return chain;
  };
  const after = (bus) => {
    const chain = [];
    let next = wiring.feeding.get(bus) ?? [];
    while (next.length === 1 && chain.length < 64) {
      const node = nodeOf(next[0]);
      if (mixes(node)) return { chain, end: node };
      chain.push(node);
      if (wiring.into(node).length !== 1) break;
      const outputs = [...wiring.feeding.keys()].filter((from) => nodeOf(from) === node);
      if (outputs.length === 0) return { chain, end: null };
      next = outputs.length === 1 ? wiring.feeding.get(outputs[0]) : [];
    }
    return { chain, end: next.length ? nodeOf(next[0]) : null };
  };

  const strips = [...found.values()].filter((strip) =>
    strip.fader && (strip.scope === "output" ? wiring.feeding.has(strip.id) : true));
  const groupOf = (node) => {
    if (node.includes("/")) return firstPart(node);
    let here = node;
    // A mixer of one sound belongs to the one that it goes to.
    for (let depth = 0; depth < 8 && usedInputs(here) <= 1; depth += 1) {
      const [output] = [...wiring.feeding.keys()].filter((from) => nodeOf(from) === here);
      const { end } = output ? after(output) : { end: null };
      if (!end || end.includes("/")) break;
      here = end;
    }
    return here;
  };
  for (const strip of strips) {
    const { id, node, scope, element } = strip;
    strip.place = `${lastPart(node)} ${scope === "input" ? "in" : "out"} ${element}`;
    strip.group = groupOf(node);
    const inside = node.includes("/") ? [node.slice(0, node.lastIndexOf("/"))] : [];
    if (scope === "input") {
      strip.chain = [...before(id), ...inside];
      const from = wiring.feeds.get(id);
      const [source] = strip.chain;
      const feeder = from ? nodeOf(from) : "";
      // The end of a sub-graph is known by the sub-graph's name.
      strip.name ||= feeder.includes("/") && !node.includes("/") ? firstPart(feeder)
        : source && wiring.into(source).length === 0 ? lastPart(source) : lastPart(feeder || node);
      if (feeder.includes("/") && firstPart(feeder) !== firstPart(node)) strip.chain.push(firstPart(feeder));
      strip.to = lastPart(node);
    } else {
      const { chain, end } = after(id);
      strip.chain = chain;
      strip.isMain = end === null;
      const [next] = wiring.feeding.get(id) ?? [];
      strip.to = next ? (nodeOf(next).includes("/") && firstPart(nodeOf(next)) !== firstPart(node)
        ? firstPart(nodeOf(next)) : lastPart(nodeOf(next))) : "";
      const inSubgraph = node.includes("/") ? firstPart(node) : node;
      strip.name ||= inSubgraph + (element ? ` ${element}` : "");
      if (!strip.isMain) strip.chain.push(...inside);
    }
    strip.chain = [...new Set(strip.chain)];
  }
  // The output of a mixer of one sound is one more fader on the same sound: the inspector has it.
  const kept = strips.filter((strip) => strip.scope === "input" || strip.isMain || usedInputs(strip.node) > 1);
  for (const strip of kept) {
    if (strip.scope === "input" && usedInputs(strip.node) === 1) strip.chain.push(strip.node);
  }
  const owned = new Set(kept.flatMap((strip) => strip.chain).concat(kept.map((strip) => strip.node)));
  for (const [node, component] of components) {
    if (owned.has(node) || isMixer(component)) continue;
    const controls = new Map([...model.controls.values()]
      .filter((control) => control.node === node).map((control) => [control.name, control]));
    const [next] = wiring.outOf(node);
    kept.push({
      id: node, node, scope: null, element: 0, name: lastPart(node), place: component,
      to: next ? lastPart(next) : "", group: node.includes("/") ? firstPart(node) : "Units", isMain: false,
      controls, fader: null, chain: [node],
    });
  }
  const mains = new Set(kept.filter((strip) => strip.isMain).map((strip) => strip.group));
  const groups = [...new Set(kept.map((strip) => strip.group))]
    .sort((one, other) => Number(mains.has(one)) - Number(mains.has(other)));
  const rank = new Map(groups.map((group, index) => [group, index]));
  const side = (strip) => (strip.isMain ? 2 : strip.scope === "output" ? 1 : 0);
  const ordered = kept.map((strip, index) => ({ strip, index }))
    .sort((one, other) => rank.get(one.strip.group) - rank.get(other.strip.group)
      || side(one.strip) - side(other.strip) || one.index - other.index)
    .map(({ strip }) => strip);
  return { strips: ordered, groups };
}
