/**
 * The effect of another delay, from a run's measurements: the histogram counts by how much rows missed a generated CTI,
 * and a delay that is longer by `added` moves each of those CTIs back by the same amount.
 */

import type { AdvanceTimeSettings, InputCounts } from "../api";
import { parseDuration, type Ticks } from "../time/ticks";
import { LATENESS_BUCKETS } from "./lateness";
import { inTime } from "./outcomes";

export interface DelayOutlook {
  /** The increase over the current delay, and the additional wait for results. */
  added: Ticks;
  /** Rows that would still be late. */
  late: number;
}

/**
 * Return the rows that would be on time if only `late` were late: those on time now, and those saved by another delay.
 * The current numbers are those of the table of inputs, so that both add up to the received rows.
 */
export function rowsInTime({ outcomes, lateness }: Pick<InputCounts, "outcomes" | "lateness">, late: number): number {
  return inTime(outcomes) + lateness.reduce((sum, count) => sum + count, 0) - late;
}

/**
 * Return the delays at which fewer rows would be late, starting with the current one: one for each filled bucket, a tick
 * below its end, where the count is exact. The last leaves no late rows, unless the open-ended bucket is filled.
 */
export function delayOutlooks(lateness: readonly number[]): DelayOutlook[] {
  const all = lateness.reduce((sum, count) => sum + count, 0);
  const found: DelayOutlook[] = [{ added: 0, late: all }];
  let late = all;
  for (const [bucket, count] of lateness.entries()) {
    if (count === 0 || bucket === LATENESS_BUCKETS - 1) continue;
    late -= count;
    found.push({ added: 2 ** (bucket + 1) - 1, late });
  }
  return found;
}

/** Return the delays that change the share of late rows by at least `step` since the previous one, and the last. */
export function notableOutlooks(outlooks: readonly DelayOutlook[], rows: number, step = 0.005): DelayOutlook[] {
  const notable: DelayOutlook[] = [];
  for (const [index, outlook] of outlooks.entries()) {
    const before = notable.at(-1);
    if (before === undefined || before.late - outlook.late >= step * rows || index === outlooks.length - 1)
      notable.push(outlook);
  }
  return notable;
}

/** Return the current delay; null if no CTIs are generated, or if a preset sets it. */
export function delayOf(advance: AdvanceTimeSettings | null | undefined): Ticks | null {
  if (!advance?.generate) return null;
  return parseDuration(advance.generate.delay ?? 0);
}

/** Return true if a longer delay would have an effect: sent or copied CTIs have no delay. */
export function hasDelay(advance: AdvanceTimeSettings | null | undefined): boolean {
  return Boolean(advance?.generate) || Boolean(advance?.preset);
}
