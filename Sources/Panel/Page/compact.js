// A graph that is far higher than wide, laid out anew for the map: what feeds a mixer becomes a block, and the blocks
// stand side by side. Inside of a block all stays as the program has drawn it.

const gap = { x: 150, y: 40 };
const origin = /translate\(([-\d.]+) ([-\d.]+)\)/;
const nodeOf = (bus) => bus.replace(/\/(input|output)\/\d+$/, "");

/**
 * @param {SVGSVGElement} drawing
 * @param {number} aspect the width of the room, of its height
 * @returns {?{ width: number, height: number }} how large it is then; null where it stays as it is
 */
export function compact(drawing, aspect) {
  const sheet = drawing.querySelector(":scope > g");
  // Frames of sub-graphs would have to go with what is in them.
  if (!sheet || sheet.querySelector(".frame")) return null;
  const boxes = new Map();
  for (const element of sheet.querySelectorAll("g.box")) {
    const name = element.dataset.node ?? element.dataset.callback ?? element.dataset.tap;
    const [, x, y] = element.getAttribute("transform")?.match(origin) ?? [0, 0, 0];
    const frame = element.querySelector("rect");
    // A device has two sides with one name: such a graph stays as it is.
    if (boxes.has(name)) return null;
    boxes.set(name, {
      name, element, x: Number(x), y: Number(y), width: Number(frame.getAttribute("width")),
      height: Number(frame.getAttribute("height")), into: [], block: null, moved: [0, 0],
    });
  }
  const edges = [...sheet.querySelectorAll(".edge[data-from][data-to]")]
    .map((element) => ({ element, from: nodeOf(element.dataset.from), to: nodeOf(element.dataset.to) }));
  for (const { from, to } of edges) {
    if (!boxes.has(from) || !boxes.has(to)) return null;
    boxes.get(to).into.push(from);
  }
  /** What a box is fed by, all of it; null where that mixes on its way. */
  const chain = (name, isFirst = true, depth = 0) => {
    const box = boxes.get(name);
    if (depth > 60 || (!isFirst && box.into.length > 1)) return null;
    const found = [box];
    for (const before of box.into) {
      const more = chain(before, false, depth + 1);
      if (!more) return null;
      found.push(...more);
    }
    return found;
  };
  const blocks = [];
  for (const box of boxes.values()) {
    if (box.into.length < 2) continue;
    const members = chain(box.name);
    if (!members || members.some((one) => one.block)) continue;
    const block = { members };
    for (const one of members) one.block = block;
    blocks.push(block);
  }
  const rest = { members: [...boxes.values()].filter((box) => !box.block) };
  if (blocks.length < 4 || !rest.members.length) return null;
  // A mixer of many blocks is as high as all of them: it needs not be.
  for (const box of rest.members) {
    if (box.into.length < 4 || box.height < box.into.length * 60) continue;
    const head = 45;
    const height = box.into.length * 44 + 60;
    const factor = (height - head) / (box.height - head);
    for (const part of box.element.querySelectorAll("[y], [cy]")) {
      const key = part.hasAttribute("cy") ? "cy" : "y";
      const value = Number(part.getAttribute(key));
      if (value > head) part.setAttribute(key, String(head + (value - head) * factor));
    }
    const frame = box.element.querySelector("rect");
    box.y += (box.height - height) / 2;
    box.height = height;
    frame.setAttribute("height", String(box.height));
  }
  const measure = (group) => {
    group.x = Math.min(...group.members.map((box) => box.x));
    group.y = Math.min(...group.members.map((box) => box.y));
    group.width = Math.max(...group.members.map((box) => box.x + box.width)) - group.x;
    group.height = Math.max(...group.members.map((box) => box.y + box.height)) - group.y;
  };
  // The rest keeps its columns, and is brought together from above and below.
  const middle = rest.members.reduce((sum, box) => sum + box.y + box.height / 2, 0) / rest.members.length;
  for (const box of rest.members) if (box.into.length < 4) box.y = Math.max(middle - 300, Math.min(middle + 300, box.y));
  [...blocks, rest].forEach(measure);
  let best = null;
  for (let columns = 1; columns <= blocks.length; columns += 1) {
    const rows = Math.ceil(blocks.length / columns);
    const list = Array.from({ length: columns }, (_, index) => blocks.slice(index * rows, (index + 1) * rows)).filter((one) => one.length);
    const width = list.reduce((sum, one) => sum + Math.max(...one.map((block) => block.width)) + gap.x, 0) + rest.width;
    const height = Math.max(rest.height, ...list.map((one) => one.reduce((sum, block) => sum + block.height + gap.y, -gap.y)));
    const scale = Math.min(aspect / width, 1 / height);
    if (!best || scale > best.scale) best = { list, width, height, scale };
  }
  let x = 0;
  const put = (group, left, top) => {
    for (const box of group.members) {
      box.moved = [left - group.x, top - group.y];
      box.element.setAttribute("transform", `translate(${box.x + box.moved[0]} ${box.y + box.moved[1]})`);
    }
  };
  for (const column of best.list) {
    let y = 0;
    for (const block of column) {
      put(block, x, y);
      y += block.height + gap.y;
    }
    x += Math.max(...column.map((block) => block.width)) + gap.x;
  }
  put(rest, x, (best.height - rest.height) / 2);
  for (const { element, from, to } of edges) {
    const [start, end] = [boxes.get(from), boxes.get(to)];
    if (start.block && start.block === end.block) {
      element.setAttribute("transform", `translate(${start.moved[0]} ${start.moved[1]})`);
      continue;
    }
    const port = (box, scope, bus, side) => {
      const mark = [...box.element.querySelectorAll("circle")]
        .find((one) => one.dataset.scope === scope && one.dataset.element === bus);
      return [box.x + box.moved[0] + (side ? 0 : box.width),
        box.y + box.moved[1] + Number(mark?.getAttribute("cy") ?? box.height / 2)];
    };
    const [fromX, fromY] = port(start, "output", element.dataset.from.match(/\d+$/)[0], false);
    const [toX, toY] = port(end, "input", element.dataset.to.match(/\d+$/)[0], true);
    const bend = Math.max(60, (toX - fromX) / 2);
    element.querySelector(".wire")?.setAttribute("d",
      `M${fromX} ${fromY}C${fromX + Math.min(bend, 160)} ${fromY} ${toX - bend} ${toY} ${toX} ${toY}`);
    // Words and arrows stood where the line was.
    for (const part of element.querySelectorAll("text, rect, .head")) part.remove();
  }
  return { width: best.width + 60, height: best.height + 60 };
}
