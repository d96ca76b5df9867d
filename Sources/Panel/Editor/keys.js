// The names of keys, as CodeMirror asks for them: by the code of the key, for keyboards on which Ctrl and a letter gives
// no Latin one, and by the event.

export const base = {
  8: "Backspace", 9: "Tab", 13: "Enter", 27: "Escape", 32: " ", 33: "PageUp", 34: "PageDown", 35: "End", 36: "Home",
  37: "ArrowLeft", 38: "ArrowUp", 39: "ArrowRight", 40: "ArrowDown", 45: "Insert", 46: "Delete", 186: ";", 187: "=",
  188: ",", 189: "-", 190: ".", 191: "/", 192: "`", 219: "[", 220: "\\", 221: "]", 222: "'",
};
export const shift = {
  186: ":", 187: "+", 188: "<", 189: "_", 190: ">", 191: "?", 192: "~", 219: "{", 220: "|", 221: "}", 222: '"',
};
for (let digit = 0; digit < 10; digit += 1) {
  base[48 + digit] = base[96 + digit] = String(digit);
  shift[48 + digit] = ")!@#$%^&*("[digit];
}
for (let number = 1; number <= 24; number += 1) base[111 + number] = `F${number}`;
for (let code = 65; code <= 90; code += 1) {
  base[code] = String.fromCharCode(code + 32);
  shift[code] = String.fromCharCode(code);
}

export function keyName(event) {
  const { key } = event;
  if (key && key !== "Unidentified") return key;
  return (event.shiftKey ? shift : base)[event.keyCode] ?? base[event.keyCode] ?? "Unidentified";
}
