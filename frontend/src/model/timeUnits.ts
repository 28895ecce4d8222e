import type { TimeUnit } from "./api";

/** How a time may be written in a column, in words. */
export const TIME_UNITS: readonly (readonly [TimeUnit, string])[] = [
  ["iso", "ISO 8601 text"],
  ["s", "seconds since 1970"],
  ["ms", "milliseconds since 1970"],
  ["us", "microseconds since 1970"],
  ["ns", "nanoseconds since 1970"],
];
