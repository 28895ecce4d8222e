/** Payload values as text, the only way to display them: null is named, structures are JSON, numbers keep every digit. */

export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return value;
  if (Object.is(value, -0)) return "-0";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return JSON.stringify(value);
}

/** Return true if a column is right-aligned: all present values are numbers. */
export function isNumeric(values: readonly unknown[]): boolean {
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.length > 0 && known.every((value) => typeof value === "number");
}

function decimalsIn(text: string): number {
  const point = text.indexOf(".");
  return point < 0 || text.includes("e") ? 0 : text.length - point - 1;
}

/** Return the largest number of decimals of a column's numbers. */
export function decimalsOf(values: readonly unknown[]): number {
  return Math.max(0, ...values.map((value) => (typeof value === "number" ? decimalsIn(valueText(value)) : 0)));
}

/** Return the space after a right-aligned number that aligns decimal points: as wide as its missing digits. */
export function spaceBehind(value: unknown, decimals: number): string {
  const own = typeof value === "number" ? decimalsIn(valueText(value)) : 0;
  if (decimals === 0 || typeof value !== "number") return "";
  return (own === 0 ? "\u2008" : "") + "\u2007".repeat(decimals - own);
}
