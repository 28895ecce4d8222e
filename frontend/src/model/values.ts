/** Payload values as text: null is said, structures are JSON, numbers keep every digit. */

const DIGITS = 7;

/** For a table: a double is shown with seven digits. */
export function shortText(value: unknown): string {
  if (typeof value !== "number" || Number.isInteger(value)) return valueText(value);
  return String(Number(value.toPrecision(DIGITS)));
}

export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return JSON.stringify(value);
}

/** Whether a column of values is set to the right: every value that is there is a number. */
export function isNumeric(values: readonly unknown[]): boolean {
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.length > 0 && known.every((value) => typeof value === "number");
}

function decimalsIn(text: string): number {
  const point = text.indexOf(".");
  return point < 0 || text.includes("e") ? 0 : text.length - point - 1;
}

/** How many decimals the longest of a column's numbers is shown with. */
export function decimalsOf(values: readonly unknown[]): number {
  return Math.max(0, ...values.map((value) => (typeof value === "number" ? decimalsIn(shortText(value)) : 0)));
}

/** What stands behind a number set to the right so that decimal points align: spaces as wide as its missing digits. */
export function spaceBehind(value: unknown, decimals: number): string {
  const own = typeof value === "number" ? decimalsIn(shortText(value)) : 0;
  if (decimals === 0 || typeof value !== "number") return "";
  return (own === 0 ? "\u2008" : "") + "\u2007".repeat(decimals - own);
}
