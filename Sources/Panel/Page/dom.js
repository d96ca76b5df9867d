// Elements, made in one line each.

/**
 * @param {Element} element
 * @param {Record<string, unknown>} attributes `onclick: f` listens; false, null and undefined are
 *   left out
 * @param {(Node | string | null | undefined)[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** @returns {HTMLElement} */
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** @returns {SVGElement} */
export function makeSVG(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

/**
 * Copies of an element that is made once: a browser copies a tree faster than it makes one.
 * @param {() => Element} make
 * @returns {() => any}
 */
export function copies(make) {
  let first = null;
  return () => (first ??= make()).cloneNode(true);
}

/** @type {WeakMap<Element, () => void>} */
const untouched = new WeakMap();

/**
 * Calls when an element, or what is in it, is first pointed at or gets the focus, before it hears of that itself. Most
 * of what can be turned is never touched: it need not listen.
 */
export const whenTouched = (element, call) => untouched.set(element, call);

for (const name of ["pointerover", "pointerdown", "focus"]) {
  addEventListener(name, ({ target }) => {
    for (let at = target; at instanceof Element; at = at.parentElement) {
      const call = untouched.get(at);
      if (!call) continue;
      untouched.delete(at);
      call();
    }
  }, { capture: true, passive: true });
}

/** Lets the page draw, and answer who turns something, before what calls goes on. */
export const breath = () =>
  new Promise((resolve) => {
    if (document.hidden) setTimeout(resolve);
    else requestAnimationFrame(() => setTimeout(resolve));
  });

/** @returns {any} */
export const byId = (id) => document.getElementById(id);

/** Sets a text only where it is another: a browser lays out what is set. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Calls a function some time after the last call, with the last arguments.
 * @param {number} milliseconds
 */
export function settled(milliseconds, call) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...values), milliseconds);
  };
}

/** Calls a function in the next frame, once, however often that is asked for before. */
export function onceAFrame(call) {
  let isAwaited = false;
  return () => {
    if (isAwaited) return;
    isAwaited = true;
    requestAnimationFrame(() => {
      isAwaited = false;
      call();
    });
  };
}

/** A number that tells elements apart. */
let lastNumber = 0;
export const uniqueId = (prefix) => `${prefix}-${++lastNumber}`;

const colours = new Map();
const scheme = matchMedia("(prefers-color-scheme: dark)");
scheme.addEventListener("change", () => colours.clear());

/** The value of a colour of the style sheets, by its name without dashes. */
export function colour(name) {
  let value = colours.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    colours.set(name, value);
  }
  return value;
}

/** Calls when the colours have become others. */
export const whenColoursChange = (call) => scheme.addEventListener("change", call);

/**
 * Makes a canvas as sharp as the screen.
 * @param {HTMLCanvasElement} canvas
 * @returns {CanvasRenderingContext2D} whose units are those of the style sheets
 */
export function sharpen(canvas, width, height) {
  const ratio = Math.min(3, devicePixelRatio || 1);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
