/** JSON parsing that keeps all digits of longs above 2^53: they become text, where `JSON.parse` would round them. */

/** These are typed as numbers; after the year 2255 they are rounded, as the API documents. */
const TIMES = new Set(["start", "end", "cti", "at", "moved_by", "largest_start", "position"]);
/** Fields of the API with user data: their columns may have any name, so none of them is a time. */
const DATA = new Set(["payload", "today_payload", "values", "group", "key", "meta", "example"]);
/** Texts, which are skipped, and numbers. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const MANY_DIGITS = /\d{16}/;

/** A long whose position decides between text and number; `JSON.parse` calls its reviver from the inside out. */
class Undecided {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
}

function decided(value: unknown, decide: (digits: string) => unknown): unknown {
  if (value instanceof Undecided) return decide(value.digits);
  if (typeof value !== "object" || value === null) return value;
  const holder = value as Record<string, unknown>;
  for (const [name, each] of Object.entries(holder)) holder[name] = decided(each, decide);
  return holder;
}

function isLong(token: string): boolean {
  return MANY_DIGITS.test(token) && /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
}

export function parseExactly(text: string): unknown {
  if (!MANY_DIGITS.test(text)) return JSON.parse(text);
  let mark = "long ";
  while (text.includes(`"${mark}`)) mark = `${mark}'`;
  let isUndecided = false;
  const read: unknown = JSON.parse(
    text.replace(TOKENS, (token) => (isLong(token) ? `"${mark}${token}"` : token)),
    (key: string, value: unknown) => {
      if (typeof value === "string" && value.startsWith(mark)) {
        const digits = value.slice(mark.length);
        if (!TIMES.has(key)) return digits;
        isUndecided = true;
        return new Undecided(digits);
      }
      return isUndecided && DATA.has(key) ? decided(value, (digits) => digits) : value;
    },
  );
  return isUndecided ? decided(read, Number) : read;
}
