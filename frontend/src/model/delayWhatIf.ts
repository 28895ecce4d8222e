/**
 * What another delay would do, by what a run has measured: the histogram counts how far behind a generated CTI rows came,
 * and a delay that is longer by `added` puts each of those CTIs back by just that.
 */

import type { AdvanceTimeSettings, InputCounts } from "./api";
import { LATENESS_BUCKETS } from "./lateness";
import { parseDuration, type Ticks } from "./ticks";

export interface DelayOutlook {
  /** How much longer than today's the delay is, and how much longer results wait. */
  added: Ticks;
  /** Rows that would still be late. */
  late: number;
}

/** Rows that a clock has judged: all but those that could not be read. */
export function judgedRows({ received, outcomes }: Pick<InputCounts, "received" | "outcomes">): number {
  return received - (outcomes.malformed ?? 0);
}

/**
 * The delays at which fewer rows would be late, beginning with today's: one for each filled bucket, a tick below its end,
 * where the count is exact. The last leaves none late unless the histogram has rows in its endless bucket.
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

/** Those that change the share of late rows by at least `step` since the one before, and the last: the others say little. */
export function tellingOutlooks(outlooks: readonly DelayOutlook[], rows: number, step = 0.005): DelayOutlook[] {
  const told: DelayOutlook[] = [];
  for (const [index, outlook] of outlooks.entries()) {
    const before = told.at(-1);
    if (before === undefined || before.late - outlook.late >= step * rows || index === outlooks.length - 1)
      told.push(outlook);
  }
  return told;
}

/** The delay in force; null where no CTI is generated, or where a preset says it in its own words. */
export function delayOf(advance: AdvanceTimeSettings | null | undefined): Ticks | null {
  if (!advance?.generate) return null;
  return parseDuration(advance.generate.delay ?? 0);
}

/** Whether a longer delay would do anything: CTIs that the adapter sends, or that are copied, know no delay. */
export function hasDelay(advance: AdvanceTimeSettings | null | undefined): boolean {
  return Boolean(advance?.generate) || Boolean(advance?.preset);
}
