/** JSON in which a long beyond 2^53 keeps its digits: it is read as text, where `JSON.parse` would round it. */

interface Source {
  source?: string;
}

/** These are typed as numbers; beyond the year 2255 they are rounded, as the API documents. */
const TIMES = new Set(["start", "end", "cti", "at", "moved_by", "largest_start", "position"]);

function reviveExactly(key: string, value: unknown, context?: Source): unknown {
  if (typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) && !TIMES.has(key) ? source : value;
}

export function parseExactly(text: string): unknown {
  return JSON.parse(text, reviveExactly);
}
