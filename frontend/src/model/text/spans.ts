/** Positions in a text. The server counts code points, JavaScript UTF-16 units; they differ from the first emoji on. */

export interface Span {
  start: number;
  end: number;
}

/** Return the UTF-16 offset of the code point `at`; the end of the text if it is larger. */
export function unitOf(text: string, at: number): number {
  let units = 0;
  let points = 0;
  for (const character of text) {
    if (points >= at) return units;
    units += character.length;
    points += 1;
  }
  return units;
}

/** Return the code point at the UTF-16 offset `at`. */
export function pointOf(text: string, at: number): number {
  return Array.from(text.slice(0, at)).length;
}

/** Return `span` in UTF-16 units, within the text and never reversed. */
export function unitsOf(text: string, span: Span): Span {
  const start = unitOf(text, span.start);
  return { start, end: Math.max(start, unitOf(text, span.end)) };
}

/** Return line and column of a code point, both from 1. */
export function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const before = Array.from(text).slice(0, at);
  const lastBreak = before.lastIndexOf("\n");
  return { line: before.filter((character) => character === "\n").length + 1, column: before.length - lastBreak };
}
