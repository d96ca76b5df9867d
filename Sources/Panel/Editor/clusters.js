// Where a letter ends, as a reader sees letters: "é" may be two characters of a text, a flag four.

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** Text without accents, flags and the like has a letter in each place. */
const isPlain = /^[\x20-\x7e\t]*$/;

/** The next boundary of a letter behind a place, or before it; without `includesExtending`, of a code point. */
export function findClusterBreak(text, place, isForward = true, includesExtending = true) {
  if (isForward ? place >= text.length : place <= 0) return place;
  const [from, to] = isForward ? [place, Math.min(text.length, place + 64)] : [Math.max(0, place - 64), place];
  const near = text.slice(from, to);
  if (isPlain.test(near.slice(isForward ? 0 : -2, isForward ? 2 : undefined))) return place + (isForward ? 1 : -1);
  const parts = includesExtending ? Array.from(segmenter.segment(near), ({ segment }) => segment) : [...near];
  return isForward ? place + parts[0].length : place - parts.at(-1).length;
}
