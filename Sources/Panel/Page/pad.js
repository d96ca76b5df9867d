// A 3D Mixer's sources around the head, seen from above, and their elevation beside it.

import { make, makeSVG } from "./dom.js";
import { digits, scaleOf } from "./scales.js";

const size = 300;
const centre = size / 2;
const outer = 132;
/** Distance at which a source touches the head in the drawing. */
const nearest = 22;
const reaches = [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
const column = { width: 124, x: 24, top: 18, bottom: size - 18 };

const parts = ["azimuth", "elevation", "distance"];

/**
 * @param {string} node
 * @param {Map<number, import("./model.js").Control[]>} sources controls by input
 * @param {import("./controls.js").Room} room
 */
export function padView(node, sources, { model, changes, watch }) {
  let reach = reaches[0];
  const rings = makeSVG("g", { class: "rings" });
  const dots = makeSVG("g");
  const heights = makeSVG("g");
  const top = makeSVG("svg", {
    class: "pad-top", viewBox: `0 0 ${size} ${size}`, role: "group",
    "aria-label": `Sources of ${node} around the head, from above`,
  }, makeSVG("circle", { class: "pad-field", cx: centre, cy: centre, r: outer + 12 }), rings, head(), dots);
  const side = makeSVG("svg", {
    class: "pad-side", viewBox: `0 0 ${column.width} ${size}`, "aria-hidden": "true",
  }, ...elevationMarks(), heights);
  const element = make("figure", { class: "figure pad" },
    make("figcaption", {}, "Around the head"),
    make("div", { class: "pad-views" }, top, side));

  // A factor of two is the same step everywhere but close to the head.
  const radius = (distance) =>
    nearest + (Math.log1p(Math.min(distance, reach) * 2) / Math.log1p(reach * 2)) * (outer - nearest);
  const distanceAt = (length) => {
    const part = Math.min(1, Math.max(0, (length - nearest) / (outer - nearest)));
    return Number((Math.expm1(part * Math.log1p(reach * 2)) / 2).toPrecision(3));
  };
  const elevationPlace = (angle) =>
    column.top + ((90 - angle) / 180) * (column.bottom - column.top);

  const views = [];
  for (const [number, controls] of sources) {
    const named = Object.fromEntries(parts.map((part) => [part, controls.find((c) => c.name === part)]));
    if (parts.every((part) => named[part]) && named.azimuth.isUsed !== false) {
      views.push(source(number, named));
    }
  }

  function drawRings() {
    rings.replaceChildren();
    for (const distance of [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000]) {
      if (distance > reach || distance < reach / 20) continue;
      rings.append(makeSVG("circle", { cx: centre, cy: centre, r: radius(distance) }),
        makeSVG("text", { x: centre + 3, y: centre - radius(distance) - 3 }, `${distance} m`));
    }
    for (let angle = 0; angle < 180; angle += 30) {
      const radians = (angle * Math.PI) / 180;
      const [dx, dy] = [Math.sin(radians), Math.cos(radians)];
      const line = (from, to) => `M${centre + dx * from} ${centre - dy * from}L${centre + dx * to} ${centre - dy * to}`;
      rings.append(makeSVG("path", { d: line(nearest, outer) + line(-nearest, -outer) }));
    }
  }

  function fit() {
    const farthest = Math.max(0, ...views.map((view) => view.values().distance));
    const next = reaches.find((one) => one >= farthest) ?? reaches.at(-1);
    if (next === reach && rings.childElementCount) return;
    reach = next;
    drawRings();
    for (const view of views) view.draw();
  }

  /** Those at one height stand side by side. */
  function spread() {
    const sorted = [...views].sort((one, other) => one.height - other.height);
    sorted.forEach((view, index) => {
      let place = 0;
      while (index > place && view.height - sorted[index - place - 1].height < 10) place += 1;
      view.stand(Math.min(place, 4) * 15);
    });
  }

  /** One source: a dot above, and one at its height. */
  function source(number, controls) {
    const values = () => Object.fromEntries(parts.map((part) =>
      [part, Number(model.value(controls[part].pointer) ?? controls[part].default ?? 0)]));
    const name = controls.azimuth.elementName || model.feeds.get(`${node}/input/${number}`);
    const title = `Input ${number}${name ? `, ${name}` : ""}`;
    const dot = makeSVG("g", {
      class: "pad-source", role: "slider", tabindex: 0, "data-source": number,
      "aria-label": `${title}: place around the head`, "aria-roledescription": "place",
      "aria-valuemin": -180, "aria-valuemax": 180,
    }, makeSVG("circle", { class: "reach", r: 18 }), makeSVG("circle", { class: "dot", r: 11 }),
    makeSVG("text", { "text-anchor": "middle", y: 4 }, String(number)));
    const label = makeSVG("text", { class: "source-name", "text-anchor": "middle", y: 25 },
      name ?? "");
    dot.append(label);
    const mark = makeSVG("g", { class: "pad-source" },
      makeSVG("circle", { class: "reach", r: 18, cx: column.x }),
      makeSVG("circle", { class: "dot", r: 9, cx: column.x }),
      makeSVG("text", { "text-anchor": "middle", x: column.x, y: 4 }, String(number)));
    dots.append(dot);
    heights.append(mark);

    const set = (next) => changes.set(Object.fromEntries(Object.entries(next).map(([part, value]) => {
      const { minimum, maximum, pointer } = controls[part];
      return [pointer, Math.min(maximum, Math.max(minimum, value))];
    })));
    let height = 0;
    const draw = () => {
      const { azimuth, elevation, distance } = values();
      const radians = (azimuth * Math.PI) / 180;
      const length = radius(distance);
      const [x, y] = [centre + Math.sin(radians) * length, centre - Math.cos(radians) * length];
      dot.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      height = elevationPlace(elevation);
      spread();
      dot.setAttribute("aria-valuenow", String(Math.round(azimuth)));
      dot.setAttribute("aria-valuetext", placeText(azimuth, elevation, distance));
    };
    for (const part of parts) {
      watch(controls[part].pointer, () => {
        draw();
        // While one is dragged the rings stay where they are.
        if (part === "distance" && !element.querySelector(".dragged")) queueMicrotask(fit);
      });
    }

    dragged(dot, top, (x, y, event, start) => {
      const slow = event.shiftKey ? 0.2 : 1;
      const [dx, dy] = [start.x + (x - start.pointerX) * slow - centre,
        start.y + (y - start.pointerY) * slow - centre];
      const azimuth = (Math.atan2(dx, -dy) * 180) / Math.PI;
      set({ azimuth: Math.round(azimuth * 10) / 10, distance: distanceAt(Math.hypot(dx, dy)) });
    }, () => placeOf(dot));
    dragged(mark, side, (x, y, event, start) => {
      const at = start.y + (y - start.pointerY) * (event.shiftKey ? 0.2 : 1);
      const part = (at - column.top) / (column.bottom - column.top);
      set({ elevation: Math.round(90 - part * 180) });
    }, () => placeOf(mark));
    dot.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const { azimuth, elevation, distance } = values();
      const scale = scaleOf(controls.distance);
      const angle = scaleOf(controls.azimuth);
      const fine = event.shiftKey;
      const next = {
        ArrowLeft: () => ({ azimuth: angle.step(azimuth, -1, fine) }),
        ArrowRight: () => ({ azimuth: angle.step(azimuth, 1, fine) }),
        ArrowUp: () => ({ distance: scale.step(distance, fine ? 1 : 2, fine) }),
        ArrowDown: () => ({ distance: scale.step(distance, fine ? -1 : -2, fine) }),
        PageUp: () => ({ elevation: elevation + (fine ? 1 : 5) }),
        PageDown: () => ({ elevation: elevation - (fine ? 1 : 5) }),
        Home: () => ({ azimuth: 0 }),
        Delete: () => defaults(), Backspace: () => defaults(),
      }[event.key];
      if (!next) return;
      event.preventDefault();
      set(next());
    });
    const defaults = () => Object.fromEntries(parts.map((part) => [part, controls[part].default]));
    for (const handle of [dot, mark]) {
      handle.addEventListener("dblclick", () => {
        changes.endGesture();
        set(handle === dot ? { azimuth: controls.azimuth.default, distance: controls.distance.default }
          : { elevation: controls.elevation.default });
        changes.endGesture();
      });
    }
    const stand = (x) =>
      mark.setAttribute("transform", `translate(${x} ${height.toFixed(1)})`);
    return { values, draw, stand, get height() { return height; } };
  }

  function placeOf(handle) {
    const [x, y] = handle.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
    return { x, y };
  }

  /** Moves a handle with the pointer, in the drawing's own units. */
  function dragged(handle, drawing, move, place) {
    let start = null;
    const inside = (event) => {
      const point = new DOMPoint(event.clientX, event.clientY)
        .matrixTransform(drawing.getScreenCTM().inverse());
      return [point.x, point.y];
    };
    handle.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      handle.focus?.({ preventScroll: true });
      handle.setPointerCapture(event.pointerId);
      const [pointerX, pointerY] = inside(event);
      start = { ...place(), pointerX, pointerY };
      handle.classList.add("dragged");
    });
    handle.addEventListener("pointermove", (event) => {
      if (!start) return;
      const [x, y] = inside(event);
      if (x !== start.pointerX || y !== start.pointerY) move(x, y, event, start);
    });
    const release = () => {
      if (!start) return;
      start = null;
      handle.classList.remove("dragged");
      changes.endGesture();
      fit();
    };
    handle.addEventListener("pointerup", release);
    handle.addEventListener("pointercancel", release);
  }

  fit();
  return { element, end: () => {} };
}

function placeText(azimuth, elevation, distance) {
  const side = azimuth === 0 ? "in front"
    : Math.abs(azimuth) === 180 ? "behind"
      : `${digits(Math.abs(azimuth), 0)} degrees ${azimuth < 0 ? "left" : "right"}`;
  const rise = elevation === 0 ? ""
    : `, ${digits(Math.abs(elevation), 0)} degrees ${elevation < 0 ? "down" : "up"}`;
  return `${side}${rise}, ${Number(distance.toPrecision(3))} metres`;
}

/** A head that looks to the top of the page. */
function head() {
  return makeSVG("g", { class: "listener", transform: `translate(${centre} ${centre})` },
    makeSVG("path", { d: "M-4 -15L0 -22L4 -15" }),
    makeSVG("ellipse", { cx: -15, cy: 0, rx: 3, ry: 6 }),
    makeSVG("ellipse", { cx: 15, cy: 0, rx: 3, ry: 6 }),
    makeSVG("ellipse", { cx: 0, cy: 0, rx: 14, ry: 16 }));
}

function elevationMarks() {
  const marks = [makeSVG("path", { class: "pad-groove", d: `M${column.x} ${column.top}V${column.bottom}` })];
  for (const angle of [90, 45, 0, -45, -90]) {
    const y = column.top + ((90 - angle) / 180) * (column.bottom - column.top);
    marks.push(makeSVG("path", { class: "pad-mark", d: `M${column.x - 6} ${y}h12` }),
      makeSVG("text", { x: 98, y: y + 3 }, `${digits(angle, 0)}°`));
  }
  return marks;
}
