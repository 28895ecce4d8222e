/** Common steps of a time axis: 1, 2, 5, 10, 30 seconds and minutes, then hours and days. */

import type { Ticks } from "./ticks";

const MILLISECOND: Ticks = 1_000;
const SECOND: Ticks = 1_000_000;
const MINUTE: Ticks = 60 * SECOND;
const HOUR: Ticks = 60 * MINUTE;
const DAY: Ticks = 24 * HOUR;
const DECADES = [1, 2, 5, 10, 20, 50, 100, 200, 500];

const STEPS: readonly Ticks[] = [
  ...DECADES,
  ...DECADES.map((step) => step * MILLISECOND),
  ...[1, 2, 5, 10, 30].map((step) => step * SECOND),
  ...[1, 2, 5, 10, 30].map((step) => step * MINUTE),
  ...[1, 2, 6, 12].map((step) => step * HOUR),
  ...DECADES.map((step) => step * DAY),
];

/** Return the smallest step that fits at most `most` times into `length`; above the longest, days in powers of ten. */
export function timeStep(length: Ticks, most: number): Ticks {
  return STEPS.find((step) => length <= step * most) ?? Math.ceil(length / most / DAY) * DAY;
}

/** Return the steps from `from` to `to`, both included. */
export function stepsBetween(from: Ticks, to: Ticks): Ticks[] {
  return STEPS.filter((step) => step >= from && step <= to);
}
