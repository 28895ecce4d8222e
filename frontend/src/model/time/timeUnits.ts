import type { TimeUnit } from "../api";

/** Time formats of a column, in words. */
export const TIME_UNITS: readonly (readonly [TimeUnit, string])[] = [
  ["iso", "ISO 8601 text"],
  ["s", "seconds since 1970"],
  ["ms", "milliseconds since 1970"],
  ["us", "microseconds since 1970"],
  ["ns", "nanoseconds since 1970"],
  ["pattern", "text in a custom format"],
  ["excel", "spreadsheet date (days)"],
];

export const PATTERN_HELP =
  "For example dd.MM.yyyy HH:mm[:ss] or M/d/yyyy h:mm a: y year, M month, d day, H hour (h with a: AM or PM), m minute, s second, S fraction, z zone. Optional parts are in [ ].";

/** Return the format of a time, in words. */
export function writtenWords({ unit, pattern, zone }: { unit?: TimeUnit; pattern?: string | null; zone?: string }) {
  if (unit === "pattern") return `${pattern ?? ""}, ${zone ?? "UTC"}`;
  if (unit === undefined || unit === "iso") return `ISO text, ${zone ?? "UTC"}`;
  return unit === "excel" ? `spreadsheet date, ${zone ?? "UTC"}` : unit;
}
