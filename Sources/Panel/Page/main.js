// Puts the parts of the panel together.

import { byId } from "./dom.js";
import { Model } from "./model.js";
import { Messages } from "./messages.js";
import { Sync } from "./sync.js";
import { Changes } from "./changes.js";
import { MeterBoard } from "./meters.js";
import { NodeCards } from "./nodes.js";
import { GraphView } from "./graph.js";
import { Transport } from "./transport.js";

const model = new Model();
const messages = new Messages();
const sync = new Sync(model, messages);
const changes = new Changes(model, sync, messages);
const room = { model, changes, watch: (pointer, call) => model.watch(pointer, call) };
const board = new MeterBoard(model);
const cards = new NodeCards(room, board, byId("controls"));
new GraphView(model, board, (...place) => cards.reveal(...place));
new Transport(room, messages);

/** @type {?import("./document.js").DocumentDesk} */
let desk = null;

const isText = (element) =>
  element.matches?.("textarea, select, input") && !element.readOnly;

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
  } else if (event.key === "?" && !isText(event.target) && !document.querySelector("dialog[open]")) {
    byId("help-dialog").showModal();
  }
});

await sync.start((tag) => changes.isOwn(tag));
performance.mark("usable");

// What is read rather than turned comes once there is something to turn.
const [{ TapCards }, { DocumentDesk }] = await Promise.all([
  import("./taps.js"), import("./document.js"),
]);
new TapCards(model, board);
desk = new DocumentDesk(room, messages);
document.body.dataset.ready = "true";
