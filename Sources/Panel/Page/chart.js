// The map's own picture of a graph: what is in the program's drawing, laid out for a screen. What feeds a mixer is a
// block, and so is a sub-graph; blocks stand side by side, and lines between them run in the alleys.

import { colour, makeSVG } from "./dom.js";

const cell = { width: 150, gap: 56, wide: 96, row: 12 };
const block = { inset: 14, head: 26, alley: 46, street: 34 };
const head = 42;
const line = 15;
/** The height of an input's row in a box that has several. */
const row = 20;
/** From so many boxes on mixers become blocks of their own. */
const many = 14;

const nodeOf = (bus) => bus.replace(/\/(input|output)\/\d+$/, "");
const lastPart = (name) => name.split("/").at(-1);
const firstPart = (name) => name.split("/")[0];
const mean = (list) => list.reduce((sum, one) => sum + one, 0) / Math.max(1, list.length);

/**
 * @typedef {object} Box
 * @property {string} name of the node, the callback or the tap
 * @property {DOMStringMap} data
 * @property {string} kind `unit`, `source`, `device`, `processor`, `watcher`
 * @property {string} title
 * @property {string} caption
 * @property {string[]} facts what else is said of it
 * @property {Map<number, string[]>} rows what is said of each input
 * @property {Map<string, number>} ports how far down each port is, by `input/0`
 * @property {number} x
 * @property {number} y
 * @property {number} width
 * @property {number} height
 * @property {Edge[]} into
 * @property {Edge[]} outOf
 */
/** @typedef {{ from: string, to: string, format: string, latency: string, isTap: boolean, notes: string[],
 *   start: Box, end: Box }} Edge */

/** Reads the program's drawing. @returns {?{ boxes: Box[], edges: Edge[], frames: Map<string, string> }} */
export function readDrawing(text) {
  // As HTML: a browser reads that several times as fast as XML.
  const root = new DOMParser().parseFromString(text, "text/html").querySelector("svg");
  if (!root) return null;
  /** @type {Box[]} */
  const boxes = [];
  const ports = new Map();
  const named = new Map();
  for (const element of root.querySelectorAll("g.box")) {
    const data = { ...element.dataset };
    const name = data.node ?? data.callback ?? data.tap;
    const box = {
      name, data, kind: [...element.classList].find((one) => one !== "box") ?? "unit", title: "", caption: "", facts: [],
      rows: new Map(), ports: new Map(), x: 0, y: 0, width: cell.width, height: 0, into: [], outOf: [],
    };
    let bus = null;
    for (const part of element.children) {
      const words = part.textContent;
      if (part.localName === "title") box.title = words;
      else if (part.localName === "circle") {
        box.ports.set(`${part.dataset.scope}/${part.dataset.element}`, 0);
        ports.set(`${part.dataset.node}/${part.dataset.scope}/${part.dataset.element}`, box);
      } else if (part.localName !== "text") continue;
      else if (part.classList.contains("caption")) box.caption = words;
      else if (part.classList.contains("port")) {
        const [, scope, element] = words.match(/^(input|output) (\d+)/) ?? [];
        bus = scope === "input" ? Number(element) : null;
        if (bus !== null) box.rows.set(bus, [words.replace(/^input \d+/, "").trim()].filter(Boolean));
        else box.facts.push(words);
      } else if (!part.classList.contains("name")) {
        if (bus !== null && part.classList.contains("setting")) box.rows.get(bus).push(words);
        else box.facts.push(words);
      }
    }
    boxes.push(box);
    if (!named.has(name)) named.set(name, box);
  }
  const edges = [];
  for (const element of root.querySelectorAll(".edge[data-from][data-to]")) {
    const { from, to, format = "", latency = "" } = element.dataset;
    const [start, end] = [ports.get(from) ?? named.get(nodeOf(from)), ports.get(to) ?? named.get(nodeOf(to))];
    if (!start || !end) continue;
    const edge = {
      from, to, format, latency, start, end, isTap: element.classList.contains("tap"),
      notes: [...element.querySelectorAll(".conversion")].map((one) => one.textContent),
    };
    edges.push(edge);
    end.into.push(edge);
    start.outOf.push(edge);
  }
  const frames = new Map([...root.querySelectorAll(".subgraph")].map((one) => [firstPart(one.textContent.split(":")[0]), one.textContent]));
  return { boxes, edges, frames };
}

const portOf = (bus) => bus.match(/(input|output)\/\d+$/)?.[0] ?? "";

/** How large a box is, and where its ports are. In a large graph there is room for names only. */
function shape(box, isLarge) {
  const inputs = [...box.ports.keys()].filter((one) => one.startsWith("input/"));
  const outputs = [...box.ports.keys()].filter((one) => one.startsWith("output/"));
  const used = inputs.filter((one) => box.into.some((edge) => portOf(edge.to) === one));
  const rows = Math.max(inputs.length, outputs.length);
  const facts = isLarge || box.kind === "watcher" ? 0 : Math.min(2, box.facts.length);
  box.height = rows > 1 ? head + rows * row + 14 : head + 10 + facts * line;
  const place = (list) => list.forEach((one, index) => {
    box.ports.set(one, list.length > 1 ? head + row * index + row / 2 : rows > 1 ? head + (rows * row) / 2 : box.height / 2);
  });
  place(inputs);
  place(outputs);
  box.isBus = used.length > 1;
}

const outY = (edge) => edge.start.y + (edge.start.ports.get(portOf(edge.from)) ?? edge.start.height / 2);
const inOffset = (edge) => edge.end.ports.get(portOf(edge.to)) ?? edge.end.height / 2;

/**
 * Puts boxes into columns, as the sound goes, each beside what feeds it.
 * @param {Box[]} members
 * @param {number} [gap] between columns
 * @returns {{ width: number, height: number }}
 */
function tidy(members, gap = cell.gap) {
  const own = new Set(members);
  const inner = (list) => list.filter((edge) => own.has(edge.start) && own.has(edge.end));
  const ranks = new Map();
  // How far each is from the end; in a circle, from where it was come upon.
  const rank = (box, way) => {
    if (ranks.has(box)) return ranks.get(box);
    if (way.has(box)) return 0;
    way.add(box);
    const after = inner(box.outOf).filter((edge) => !edge.isTap).map((edge) => rank(edge.end, way) + 1);
    way.delete(box);
    const found = Math.max(0, ...after);
    ranks.set(box, found);
    return found;
  };
  for (const box of members) rank(box, new Set());
  const last = Math.max(0, ...ranks.values());
  const column = (box) => {
    const [tap] = box.kind === "watcher" ? inner(box.into) : [];
    return tap ? column(tap.start) + 1 : last - ranks.get(box);
  };
  const ends = new Map();
  const placed = new Set();
  let cursor = 0;
  const put = (box) => {
    if (placed.has(box)) return;
    placed.add(box);
    const into = inner(box.into).sort((one, other) => portOf(one.to).localeCompare(portOf(other.to), "en", { numeric: true }));
    const begin = cursor;
    for (const edge of into) put(edge.start);
    const at = column(box);
    const before = into.filter((edge) => placed.has(edge.start) && column(edge.start) < at);
    const wished = before.length ? mean(before.map(outY)) - mean(before.map(inOffset)) : cursor;
    box.x = at * (cell.width + gap);
    box.y = Math.max(wished, ends.get(at) ?? 0, before.length ? begin - row : 0, 0);
    ends.set(at, box.y + box.height + cell.row);
    cursor = Math.max(cursor, before.length ? cursor : 0, box.y + box.height + cell.row);
  };
  const sinks = members.filter((box) => !inner(box.outOf).some((edge) => !edge.isTap));
  for (const box of [...sinks.filter((one) => one.kind !== "watcher"), ...sinks, ...members]) put(box);
  const top = Math.min(...members.map((box) => box.y));
  const left = Math.min(...members.map((box) => box.x));
  for (const box of members) {
    box.x -= left;
    box.y -= top;
  }
  return {
    width: Math.max(...members.map((box) => box.x + box.width)), height: Math.max(...members.map((box) => box.y + box.height)),
  };
}

/** What belongs together: sub-graphs, and in a large graph what a mixer alone is fed by. */
function blocksOf({ boxes, frames }) {
  const blocks = [];
  const owned = new Map();
  const add = (title, members, isFrame) => {
    const one = { title, members, isFrame, x: 0, y: 0, width: 0, height: 0, column: 0, row: 0 };
    for (const box of members) owned.set(box, one);
    blocks.push(one);
  };
  for (const [name, title] of frames) {
    const members = boxes.filter((box) => box.data.node?.startsWith(`${name}/`));
    if (members.length) add(title, members, true);
  }
  if (boxes.length > many) {
    const chain = (box, isFirst, found) => {
      if (found.has(box) || owned.has(box) || found.size > 200) return false;
      if (!isFirst && (box.isBus || box.outOf.some((edge) => !edge.isTap && !found.has(edge.end)))) return false;
      found.add(box);
      return box.into.every((edge) => chain(edge.start, false, found));
    };
    for (const box of boxes) {
      if (!box.isBus) continue;
      const found = new Set();
      if (chain(box, true, found)) add(lastPart(box.name), [...found], false);
    }
    for (const box of boxes) {
      const [tap] = box.kind === "watcher" ? box.into : [];
      const one = tap && owned.get(tap.start);
      if (!one) continue;
      one.members.push(box);
      owned.set(box, one);
    }
  }
  const isWorth = blocks.some((one) => one.isFrame) || blocks.length > 2;
  return isWorth ? { blocks, owned } : { blocks: [], owned: new Map() };
}

/** A line with round corners through some places. */
function rounded(points) {
  let path = `M${points[0].map((one) => one.toFixed(1)).join(" ")}`;
  for (let index = 1; index < points.length - 1; index += 1) {
    const [before, here, after] = [points[index - 1], points[index], points[index + 1]];
    const radius = Math.min(9, Math.hypot(here[0] - before[0], here[1] - before[1]) / 2, Math.hypot(after[0] - here[0], after[1] - here[1]) / 2);
    const toward = (other) => {
      const length = Math.hypot(other[0] - here[0], other[1] - here[1]) || 1;
      return [here[0] + ((other[0] - here[0]) / length) * radius, here[1] + ((other[1] - here[1]) / length) * radius];
    };
    const [one, other] = [toward(before), toward(after)];
    path += `L${one.map((value) => value.toFixed(1)).join(" ")}Q${here.map((value) => value.toFixed(1)).join(" ")} ${other.map((value) => value.toFixed(1)).join(" ")}`;
  }
  return `${path}L${points.at(-1).map((one) => one.toFixed(1)).join(" ")}`;
}

const curve = (x, y, toX, toY) => {
  const bend = Math.max(22, Math.min(90, Math.abs(toX - x) / 2));
  return Math.abs(y - toY) < 0.6 ? `M${x} ${y}H${toX}` : `M${x} ${y}C${x + bend} ${y} ${toX - bend} ${toY} ${toX} ${toY}`;
};

/**
 * Lays the boxes out for a room, and says how each connection runs.
 * @param {{ boxes: Box[], edges: Edge[], frames: Map<string, string> }} graph
 * @param {number} aspect the width of the room, of its height
 */
export function layOut(graph, aspect) {
  const { boxes, edges } = graph;
  boxes.forEach((box) => shape(box, boxes.length > many));
  const { blocks, owned } = blocksOf(graph);
  const paths = new Map();
  if (!blocks.length) {
    const size = tidy(boxes, boxes.length > many ? cell.gap : cell.wide);
    for (const edge of edges) paths.set(edge, around(edge));
    return { ...size, blocks, paths, owned };
  }
  for (const one of blocks) {
    const size = tidy(one.members);
    one.width = size.width + 2 * block.inset;
    one.height = size.height + block.head + block.inset;
  }
  const free = boxes.filter((box) => !owned.has(box));
  const leads = new Map();
  /** Whether a box leads into a block. */
  const leadsIn = (box) => {
    if (leads.has(box)) return leads.get(box);
    leads.set(box, false);
    const found = box.outOf.some((edge) => owned.has(edge.end) || (!owned.has(edge.end) && leadsIn(edge.end)));
    leads.set(box, found);
    return found;
  };
  const fed = (box, seen = new Set()) => !seen.has(box) && Boolean(seen.add(box))
    && box.into.some((edge) => owned.has(edge.start) || fed(edge.start, seen));
  const before = free.filter((box) => leadsIn(box) && !fed(box));
  const after = free.filter((box) => !before.includes(box));
  const right = after.length ? tidy(after) : { width: 0, height: 0 };
  const left = before.length ? tidy(before) : { width: 0, height: 0 };
  const tallest = Math.max(left.height, right.height);
  let best = null;
  for (let columns = 1; columns <= blocks.length; columns += 1) {
    const rows = Math.ceil(blocks.length / columns);
    const widths = Array.from({ length: columns }, (_, column) =>
      Math.max(0, ...blocks.filter((one, index) => Math.floor(index / rows) === column).map((one) => one.width)));
    const heights = Array.from({ length: rows }, (_, place) =>
      Math.max(...blocks.filter((one, index) => index % rows === place).map((one) => one.height)));
    const width = widths.reduce((sum, one) => sum + one + block.alley, 0)
      + (right.width ? right.width + block.alley : 0) + (left.width ? left.width + block.alley : 0);
    const height = Math.max(tallest, heights.reduce((sum, one) => sum + one + block.street, 0));
    const scale = Math.min(aspect / width, 1 / height);
    if (!best || scale > best.scale) best = { columns, rows, widths, heights, width, height, scale };
  }
  const { rows, widths, heights } = best;
  const offset = left.width ? left.width + block.alley : 0;
  const starts = (sizes, gap, from) => {
    let at = from;
    return sizes.map((size) => {
      const here = at;
      at += size + gap;
      return here;
    });
  };
  const xs = starts(widths, block.alley, offset);
  const ys = starts(heights, block.street, 0);
  const gridEnd = xs.at(-1) + widths.at(-1);
  const gridHeight = ys.at(-1) + heights.at(-1);
  blocks.forEach((one, index) => {
    one.column = Math.floor(index / rows);
    one.row = index % rows;
    one.x = xs[one.column];
    one.y = ys[one.row];
    one.width = widths[one.column];
    for (const box of one.members) {
      box.x += one.x + block.inset;
      box.y += one.y + block.head;
    }
  });
  const center = (list, size, x) => {
    const top = Math.max(0, (gridHeight - size.height) / 2);
    for (const box of list) {
      box.x += x;
      box.y += top;
    }
  };
  center(before, left, 0);
  center(after, right, gridEnd + block.alley * 1.6);
  const lanes = new Map();
  /** How far aside a line runs that is not the first in its alley. */
  const lane = (key) => {
    const count = lanes.get(key) ?? 0;
    lanes.set(key, count + 1);
    return ((count % 7) - 3) * 4;
  };
  for (const edge of edges) {
    const [one, other] = [owned.get(edge.start), owned.get(edge.end)];
    if (one === other) {
      paths.set(edge, around(edge));
      continue;
    }
    const [x, y] = [edge.start.x + edge.start.width, outY(edge)];
    const [toX, toY] = [edge.end.x, edge.end.y + inOffset(edge)];
    const isNext = one ? one.column === best.columns - 1 && !other && toX > x
      : other ? other.column === 0 && toX > x : toX > x;
    if (isNext) {
      paths.set(edge, { d: curve(x, y, toX, toY) });
      continue;
    }
    const outX = (one ? one.x + one.width : x) + block.alley / 2 + lane(`out ${one?.column}`);
    const intoX = (other ? other.x : toX) - block.alley / 2 + lane(`in ${other?.column} ${edge.end.name}`);
    if (outX + 8 < intoX && one && other && one.column + 1 === other.column) {
      paths.set(edge, { d: rounded([[x, y], [outX, y], [outX, toY], [toX, toY]]) });
      continue;
    }
    const street = one ?? other;
    const streetY = street ? ys[street.row] + heights[street.row] + block.street / 2 + lane(`street ${street.row}`)
      : Math.max(gridHeight, tallest) + block.street / 2 + lane("street");
    paths.set(edge, { d: rounded([[x, y], [outX, y], [outX, streetY], [intoX, streetY], [intoX, toY], [toX, toY]]) });
  }
  return {
    width: Math.max(...boxes.map((box) => box.x + box.width), gridEnd),
    height: Math.max(gridHeight + block.street, ...boxes.map((box) => box.y + box.height)), blocks, paths, owned,
  };
}

/** The way of a connection without alleys: back where it leads back. */
function around(edge) {
  const [x, y] = [edge.start.x + edge.start.width, outY(edge)];
  const [toX, toY] = [edge.end.x, edge.end.y + inOffset(edge)];
  if (toX > x) return { d: curve(x, y, toX, toY) };
  const below = Math.max(edge.start.y + edge.start.height, edge.end.y + edge.end.height) + 10;
  return { d: rounded([[x, y], [x + 16, y], [x + 16, below], [toX - 16, below], [toX - 16, toY], [toX, toY]]) };
}

/** A format in few words: "1 ch, 44.1 kHz". */
const shortFormat = (format) => format.replace(/(\d+) Hz/, (all, rate) => `${Number(rate) / 1000} kHz`).split(", ").slice(0, 2).join(", ");

/** The format that most connections have. */
function usual(edges) {
  const counts = new Map();
  for (const { format } of edges) counts.set(format, (counts.get(format) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1])[0]?.[0] ?? "";
}

let pen = null;

/** As much of a text as there is room for. @param {number} weight of its letters @param {number} size in pixels */
function fitted(text, room, size, weight = 400) {
  // Few are so long that it is worth measuring them.
  if (text.length * size * 0.5 < room && /^[ -~]*$/.test(text)) return text;
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = `${weight} ${size}px ${colour("letters")}`;
  if (pen.measureText(text).width <= room) return text;
  const letters = [...text];
  let [low, high] = [0, letters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (pen.measureText(`${letters.slice(0, middle).join("")}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return `${letters.slice(0, low).join("")}…`;
}

/** As much of a list as there is room for: a value that is cut off would be another. */
function fittedList(words, room) {
  const all = words.join(", ");
  const parts = all.split(", ");
  for (let count = parts.length; count > 0; count -= 1) {
    const text = count < parts.length ? `${parts.slice(0, count).join(", ")} …` : all;
    if (fitted(text, room, 11) === text) return text;
  }
  return fitted(all, room, 11);
}

/** What of a box is seen from near only. @param {Box} box */
export function details(box) {
  const text = (name, x, y, words, room = box.width - 18) => makeSVG("text", { class: name, x, y }, fittedList(words, room));
  const parts = [];
  if (box.rows.size > 1 || [...box.ports.keys()].filter((one) => one.startsWith("input/")).length > 1) {
    for (const [bus, words] of box.rows) {
      const y = box.ports.get(`input/${bus}`);
      if (y !== undefined) parts.push(text("setting", 10, y + 4, words.length ? words : [`input ${bus}`], box.width - 74));
    }
  } else if (box.kind !== "watcher") {
    const words = [...box.facts, ...[...box.rows.values()].flat()].slice(0, 2);
    parts.push(...words.slice(0, Math.max(0, Math.floor((box.height - head) / line))).map((one, index) => text("setting", 10, head + 9 + line * index, [one])));
  }
  return parts;
}

/** So many boxes, or connections, are drawn in one go. */
const part = 60;

/**
 * Draws a graph that is laid out, in parts: after each of them it has the picture as far as it goes, and in the end all
 * that is known of it.
 * @param {ReturnType<typeof layOut>} plan
 * @param {(name: string) => number} hueOf
 * @returns {Generator<SVGSVGElement, { element: SVGSVGElement, boxes: Map<Element, Box>, margin: number, width: number, height: number }>}
 */
export function* drawGraph({ boxes, edges }, plan, hueOf) {
  const margin = 16;
  const sheet = makeSVG("g", { transform: `translate(${margin} ${margin})` });
  const [width, height] = [plan.width + 2 * margin, plan.height + 2 * margin];
  const drawing = makeSVG("svg", {
    class: "drawing", role: "group", width: width.toFixed(0), height: height.toFixed(0), viewBox: `0 0 ${width.toFixed(0)} ${height.toFixed(0)}`,
  }, sheet);
  const drawn = new Map();
  const most = usual(edges);
  for (const one of plan.blocks) {
    const hue = hueOf(one);
    sheet.append(makeSVG("rect", { class: "frame", x: one.x, y: one.y, width: one.width, height: one.height, rx: 8, "data-hue": hue }),
      makeSVG("text", { class: "subgraph", x: one.x + block.inset, y: one.y + 18, "data-hue": hue }, fitted(one.title, one.width - 2 * block.inset, 13, 600)));
  }
  let count = 0;
  for (const edge of edges) {
    count += 1;
    if (count % part === 0) yield drawing;
    const { d } = plan.paths.get(edge);
    const one = plan.owned.get(edge.start) ?? plan.owned.get(edge.end);
    const group = makeSVG("g", {
      class: `edge${edge.isTap ? " tap" : ""}`, "data-from": edge.from, "data-to": edge.to, "data-format": edge.format,
      "data-hue": one ? hueOf(one) : null,
    }, makeSVG("title", {}, `${edge.from.replace(/\/output\/0$/, "")} → ${edge.to}: ${[edge.format, edge.latency, ...edge.notes].filter(Boolean).join(", ")}`),
    makeSVG("path", { class: "reach", d }), makeSVG("path", { class: edge.isTap ? "wire tap" : "wire", d }));
    // There is room for it where columns are wide.
    if (edge.notes.length || (edge.format !== most && !edge.isTap && boxes.length <= many)) {
      group.append(makeSVG("text", {
        class: edge.notes.length ? "conversion" : "format", x: edge.end.x - 8, y: edge.end.y + inOffset(edge) - 6, "text-anchor": "end",
      }, shortFormat(edge.format)));
    }
    sheet.append(group);
  }
  for (const box of boxes) {
    count += 1;
    if (count % part === 0) yield drawing;
    const frame = plan.owned.get(box);
    const last = lastPart(box.name);
    // In its block a box needs not say the block's name again.
    const name = frame && last.startsWith(`${frame.title} `) ? last.slice(frame.title.length + 1) : last;
    const title = makeSVG("text", { class: "name", x: 10, y: 18 }, fitted(name, box.width - 18, 13, 600));
    // From afar a name is as large as its box has room for.
    const size = Math.min((box.width - 16) / Math.max(1, title.textContent.length * 0.6), box.isBus ? 30 : box.height * 0.5);
    title.style.setProperty("--fit", `${Math.max(11, size).toFixed(1)}px`);
    if (!box.isBus) title.style.setProperty("--mid", `${box.height / 2 - 18}px`);
    const isTarget = box.data.node || box.data.callback;
    const element = makeSVG("g", {
      class: `box ${box.kind}${box.isBus ? " bus-box" : ""}`, transform: `translate(${box.x.toFixed(1)} ${box.y.toFixed(1)})`,
      "data-node": box.data.node, "data-callback": box.data.callback, "data-tap": box.data.tap, "data-side": box.data.side,
      "data-hue": frame ? hueOf(frame) : null, role: isTarget ? "button" : null, tabindex: isTarget ? 0 : null,
      "aria-label": isTarget ? `${box.title || box.data.node || box.data.callback}: choose` : null,
    }, makeSVG("title", {}, box.title), makeSVG("rect", { width: box.width, height: box.height, rx: 5 }),
    frame ? makeSVG("path", { class: "stripe", d: `M1.5 5V${box.height - 5}` }) : null,
    title, makeSVG("text", { class: "caption", x: 10, y: 33 }, fitted(box.caption, box.width - 18, 11)));
    for (const [port, y] of box.ports) {
      const [scope, bus] = port.split("/");
      element.append(makeSVG("circle", {
        class: "bus", "data-node": box.data.node, "data-scope": scope, "data-element": bus,
        cx: scope === "input" ? 0 : box.width, cy: y, r: 3.5,
      }));
    }
    drawn.set(element, box);
    sheet.append(element);
  }
  return { element: drawing, boxes: drawn, margin, width, height };
}
