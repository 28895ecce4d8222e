/** Durations in a form: a whole number with a unit, or ISO 8601 text. */

export const UNITS = ["us", "ms", "s", "m", "h", "d", "tick"] as const;
export type DurationUnit = (typeof UNITS)[number] | "text";

export const UNIT_WORDS: Record<DurationUnit, string> = {
  us: "microseconds",
  ms: "milliseconds",
  s: "seconds",
  m: "minutes",
  h: "hours",
  d: "days",
  tick: "ticks",
  text: "as ISO 8601",
};

export interface DurationParts {
  count: string;
  unit: DurationUnit;
}

const SIMPLE = /^([+-]?\d{1,20})\s*(us|ms|s|m|h|d|ticks?)$/;
const ISO = /^[+-]?P(?=[\dT])(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d{1,6})?S)?)?$/;

/** Split a duration into parts; null becomes an empty count. */
export function partsOf(value: string | number | null): DurationParts {
  if (value === null) return { count: "", unit: "s" };
  if (typeof value === "number") return { count: String(value), unit: "tick" };
  const found = SIMPLE.exec(value.trim());
  if (found === null) return { count: value, unit: "text" };
  const unit = found[2]?.startsWith("tick") ? "tick" : (found[2] as DurationUnit);
  return { count: found[1] ?? "", unit };
}

/** Return the duration of the parts; undefined if they are invalid. An empty count means null. */
export function durationOf({ count, unit }: DurationParts): string | null | undefined {
  const text = count.trim();
  if (text === "") return null;
  if (unit === "text") return ISO.test(text) || SIMPLE.test(text) ? text : undefined;
  return /^[+-]?\d{1,20}$/.test(text) ? `${text}${unit}` : undefined;
}
