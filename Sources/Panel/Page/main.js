// Puts the parts of the panel together.

import { byId } from "./dom.js";
import { Model } from "./model.js";
import { Messages } from "./messages.js";
import { Sync } from "./sync.js";
import { Changes } from "./changes.js";
import { MeterBoard } from "./meters.js";
import { NodeCards } from "./nodes.js";
import { Console } from "./console.js";
import { Solo } from "./solo.js";
import { Timeline } from "./timeline.js";
import { Overview } from "./overview.js";
import { Views } from "./views.js";
import { GraphView } from "./graph.js";
import { GraphEditor } from "./edit.js";
import { Transport } from "./transport.js";

const model = new Model();
const messages = new Messages();
const sync = new Sync(model, messages);
const changes = new Changes(model, sync, messages);
const room = { model, changes, watch: (pointer, call) => model.watch(pointer, call) };
const board = new MeterBoard(model);
const cards = new NodeCards(room, board, byId("controls"));
const views = new Views(model);
const rack = new Console(room, board, new Solo(room), (strip) => {
  const buses = strip.scope ? new Set([`${strip.scope}/${strip.element}`]) : null;
  // A mixer of one sound is a strip as a whole.
  const nodes = new Map(strip.chain.map((node) => [node, null]));
  const isWhole = strip.chain.includes(strip.node);
  if (!isWhole) nodes.set(strip.node, buses);
  const order = strip.scope === "output" ? [[strip.node, nodes.get(strip.node)], ...nodes] : [...nodes];
  model.select({ nodes: new Map(order), main: strip.node, strip });
  views.beside("controls", false);
});
const units = new NodeCards(room, board, rack.units, true);
cards.pin = rack;
cards.messages = messages;
const graph = new GraphView(model, board, (node, scope, element) => {
  if (views.view === "console" && scope && rack.reveal(`${node}/${scope}/${element}`)) return true;
  model.select({ nodes: new Map([[node, null]]), main: node });
  views.beside("controls");
  return cards.focus(node, scope, element);
});
new GraphEditor(room, graph);
const timeline = new Timeline(model);
new Transport(room, messages);

/** @type {?import("./document.js").DocumentDesk} */
let desk = null;

const isText = (element) =>
  element.isContentEditable || (element.matches?.("textarea, select, input") && !element.readOnly);

addEventListener("keydown", (event) => {
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && !event.altKey) {
    if (key === "s") {
      event.preventDefault();
      desk?.save();
    } else if ((key === "z" || key === "y") && !isText(event.target)) {
      event.preventDefault();
      if (key === "y" || event.shiftKey) changes.redo();
      else changes.undo();
    }
  } else if (!isText(event.target) && !document.querySelector("dialog[open]") && !event.altKey) {
    if (event.key === "?") byId("help-dialog").showModal();
    else if (views.key(key, event.target)) event.preventDefault();
  }
});

await sync.start((tag) => changes.isOwn(tag));
// Not before it is on the screen, and what has been pressed meanwhile is answered.
await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
performance.mark("usable");
await sync.rest;
graph.begin();
cards.begin();
units.begin();
new Overview(model, changes, timeline);

// What is read rather than turned comes once there is something to turn.
const [{ TapCards }, { DocumentDesk }, { Recorder }] = await Promise.all([
  import("./taps.js"), import("./document.js"), import("./recording.js"),
]);
new TapCards(model, board);
new Recorder(room, messages);
desk = new DocumentDesk(room, messages);
document.body.dataset.ready = "true";
