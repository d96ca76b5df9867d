// Puts the parts of the panel together: first what it takes to turn something, and then the others.

import { byId } from "./dom.js";
import { Model } from "./model.js";
import { takeFeeds } from "./feeds.js";
import { Messages } from "./messages.js";
import { Sync } from "./sync.js";
import { Changes } from "./changes.js";
import { MeterBoard } from "./meters.js";
import { Console } from "./console.js";
import { Solo } from "./solo.js";
import { Views } from "./views.js";
import { Transport } from "./transport.js";

const model = new Model();
model.hear("graph", (text) => takeFeeds(model, text));
const messages = new Messages();
const sync = new Sync(model, messages);
const changes = new Changes(model, sync, messages);
const room = { model, changes, watch: (pointer, call) => model.watch(pointer, call) };
const board = new MeterBoard(model);
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

const { begin } = await import("./later.js");
desk = await begin({ model, messages, sync, changes, room, board, views, rack });
document.body.dataset.ready = "true";
