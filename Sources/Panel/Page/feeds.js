// What of the running graph the strips need: what is connected to what, in which format, and how late it is. Read out
// of the program's drawing as text, since to draw it takes longer.

/** Of so many boxes the map is small enough to stand above the strips. */
const few = 7;
const entities = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&apos;": "'" };
const plain = (value) =>
  (value.includes("&") ? value.replace(/&(?:amp|lt|gt|quot|#39|apos);/g, (one) => entities[one]) : value);

function attribute(tag, name) {
  const begin = tag.indexOf(` ${name}="`);
  return begin < 0 ? "" : plain(tag.slice(begin + name.length + 3, tag.indexOf('"', begin + name.length + 3)));
}

/** @param {import("./model.js").Model} model @param {string} text the drawing */
export function takeFeeds(model, text) {
  const feeds = new Map();
  const latencies = new Map();
  const edges = [];
  const sources = new Set();
  let boxes = 0;
  for (const [tag, kind] of text.matchAll(/<g class="(edge|box)[^>]*>/g)) {
    if (kind === "box") {
      if (!tag.startsWith('<g class="box watcher')) boxes += 1;
      const callback = attribute(tag, "data-callback");
      if (callback) sources.add(callback);
      continue;
    }
    const [from, to] = [attribute(tag, "data-from"), attribute(tag, "data-to")];
    if (!from || !to || tag.startsWith('<g class="edge tap')) continue;
    edges.push({ from, to });
    const format = attribute(tag, "data-format");
    if (format) model.formats.set(to, format);
    const latency = attribute(tag, "data-latency");
    if (latency) {
      latencies.set(to, latency);
      // A delay is the input's own.
      const late = latency.split(", ").find((part) => part.endsWith(" late"));
      if (late) latencies.set(from, late);
    }
    feeds.set(to, from.replace(/\/output\/0$/, "").replace(/\/output\//, ":"));
  }
  document.body.toggleAttribute("data-few", boxes <= few);
  model.setFeeds(feeds, latencies, edges, sources);
}
