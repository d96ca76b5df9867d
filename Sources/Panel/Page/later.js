// What comes once there is something to turn: levels, inspector, map, timeline, taps, takes, the patch. One after the
// other, with a breath between them, so that whoever turns something is answered.

import { breath, byId } from "./dom.js";
import { NodeCards } from "./nodes.js";
import { Timeline } from "./timeline.js";
import { Overview } from "./overview.js";
import { GraphView } from "./graph.js";
import { GraphEditor } from "./edit.js";
import { TapCards } from "./taps.js";
import { DocumentDesk } from "./document.js";
import { Recorder } from "./recording.js";

/** Makes the rest of the page. @returns {Promise<DocumentDesk>} */
export async function begin({ model, messages, sync, changes, room, board, views, rack }) {
  const read = sync.follow();
  changes.restore();
  await breath();
  const cards = new NodeCards(room, board, byId("controls"));
  const units = new NodeCards(room, board, rack.units, true);
  cards.pin = rack;
  cards.messages = messages;
  await breath();
  const graph = new GraphView(model, board, (node, scope, element) => {
    if (views.view === "console" && scope && rack.reveal(`${node}/${scope}/${element}`)) return true;
    model.select({ nodes: new Map([[node, null]]), main: node });
    views.beside("controls");
    return cards.focus(node, scope, element);
  });
  new GraphEditor(room, graph);
  await breath();
  units.begin();
  await breath();
  cards.begin();
  await breath();
  const timeline = new Timeline(model);
  await read;
  await breath();
  graph.begin();
  await breath();
  new Overview(model, changes, timeline);
  await breath();
  new TapCards(model, board);
  new Recorder(room, messages);
  await breath();
  const desk = new DocumentDesk(room, messages);
  // A picture of its own that nobody has waited for.
  document.querySelector("link[rel=icon]").href = "/panel/icon.svg";
  await rack.whole;
  return desk;
}
