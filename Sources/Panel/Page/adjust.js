// What all sliders share, whatever they look like: pointer, keys, wheel, typing.

/** How far a pointer goes from one end to the other, in pixels. */
const way = 180;

/** When the page was last scrolled: a wheel that turns the page does not turn what it comes by. */
let lastScroll = 0;
addEventListener("scroll", () => (lastScroll = performance.now()), { capture: true, passive: true });

/**
 * Makes an element a slider.
 * @param {HTMLElement} element
 * @param {object} options
 * @param {import("./scales.js").Scale} options.scale
 * @param {() => number} options.get
 * @param {(value: number) => void} options.set
 * @param {() => void} options.reset
 * @param {() => void} options.end a gesture is over
 * @param {(first: string) => void} options.type a value is to be typed, and begins so
 * @param {() => number} [options.way] pixels from one end to the other
 */
export function adjustable(element, { scale, get, set, reset, end, type, way: length = () => way }) {
  let drag = null;
  const isLocked = () => element.getAttribute("aria-disabled") === "true";

  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || isLocked()) return;
    event.preventDefault();
    element.focus({ preventScroll: true });
    element.setPointerCapture(event.pointerId);
    drag = { id: event.pointerId, x: event.clientX, y: event.clientY, position: scale.position(get()) };
    element.classList.add("dragged");
  });
  element.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    const moved = event.clientX - drag.x - (event.clientY - drag.y);
    if (moved === 0) return;
    drag.x = event.clientX;
    drag.y = event.clientY;
    // The place is kept apart from the value, which is rounded.
    const next = drag.position + (moved / length()) * (event.shiftKey ? 0.1 : 1);
    drag.position = scale.wraps ? next - Math.floor(next) : Math.min(1, Math.max(0, next));
    set(scale.at(drag.position));
  });
  const release = (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    drag = null;
    element.classList.remove("dragged");
    end();
  };
  element.addEventListener("pointerup", release);
  element.addEventListener("pointercancel", release);
  element.addEventListener("lostpointercapture", release);
  element.addEventListener("dblclick", () => {
    if (isLocked()) return;
    end();
    reset();
    end();
  });

  let restsSince = 0;
  element.addEventListener("pointerenter", () => (restsSince = performance.now()));
  element.addEventListener("wheel", (event) => {
    const isMeant = document.activeElement === element
      || (performance.now() - lastScroll > 500 && performance.now() - restsSince > 200);
    if (!isMeant || isLocked() || event.ctrlKey) return;
    event.preventDefault();
    // With Shift, browsers turn a wheel sideways.
    const turn = -Math.sign(event.deltaY || event.deltaX);
    if (turn) set(scale.step(get(), turn, event.shiftKey));
  }, { passive: false });

  element.addEventListener("keydown", (event) => {
    if (isLocked() || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = {
      ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1,
      PageUp: scale.page, PageDown: -scale.page,
    }[event.key];
    if (steps) set(scale.step(get(), steps, event.shiftKey));
    else if (event.key === "Home") set(scale.at(0));
    else if (event.key === "End") set(scale.at(1));
    else if (event.key === "Delete" || event.key === "Backspace") {
      end();
      reset();
      end();
    } else if (event.key === "Enter") type("");
    else if (/^[-−+.,\d]$/.test(event.key)) type(event.key);
    else return;
    event.preventDefault();
  });
}

/**
 * Makes a field where a value is shown, and typed.
 * @param {HTMLInputElement} field
 * @param {object} options
 * @param {() => string} options.shown
 * @param {(text: string) => boolean} options.take whether it is a value
 * @param {() => void} options.leave where the focus goes
 * @returns {{ show: () => void, begin: (first: string) => void }}
 */
export function typable(field, { shown, take, leave }) {
  let isTyping = false;
  const show = () => {
    const text = shown();
    if (!isTyping && field.value !== text) field.value = text;
  };
  const finish = (isTaken) => {
    if (!isTyping) return true;
    if (isTaken && field.value.trim() !== shown() && !take(field.value)) {
      field.setAttribute("aria-invalid", "true");
      field.select();
      return false;
    }
    isTyping = false;
    field.removeAttribute("aria-invalid");
    show();
    return true;
  };
  field.addEventListener("focus", () => {
    isTyping = true;
    field.select();
  });
  field.addEventListener("blur", () => finish(true) || finish(false));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      if (finish(event.key === "Enter")) leave();
    }
  });
  const begin = (first) => {
    field.focus();
    if (!first) return;
    field.value = first;
    field.setSelectionRange(first.length, first.length);
  };
  return { show, begin };
}
