/** Rates from totals: events in each bin of wall-clock time, per second. */

import type { Ticks } from "../time/ticks";
import type { HistorySample } from "./history";
import { noOutcomes, OUTCOMES, type OutcomeCounts } from "./outcomes";

const SECOND: Ticks = 1_000_000;
const WIDTHS_S = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200];
/**
 * Rows counted after a pause of up to this length arrived during the pause; after a longer one, with the batch at its
 * end. With a freshness, the limit is up to twice the freshness.
 */
const PAUSE: Ticks = 10 * SECOND;
const MOST_BINS = 120;

export interface RateBin {
  /** The bin is `[at, at + width)` of wall-clock time. */
  at: Ticks;
  received: number;
  outcomes: OutcomeCounts;
}

export interface Rates {
  width: Ticks;
  bins: RateBin[];
}

/** Return a whole number of seconds per bin, so that at most `MOST_BINS` cover the span. */
export function binWidth(span: Ticks): Ticks {
  const wanted = span / SECOND / MOST_BINS;
  return (WIDTHS_S.find((width) => width >= wanted) ?? Math.ceil(wanted)) * SECOND;
}

/** Return the increase between two totals; a total that fell has restarted from zero. */
function growth(before: number, after: number): number {
  return after >= before ? after - before : after;
}

/** Return the time since which the rows of `after` arrived. Rows at the end of an idle hour don't fill the whole hour. */
function cameSince(before: HistorySample, after: HistorySample, freshness: Ticks): Ticks {
  const long = Math.max(after.step, after.batchSeconds * SECOND);
  const pause = after.at - before.at;
  return pause <= Math.max(PAUSE, 2 * long, 2 * freshness) ? before.at : after.at - Math.max(SECOND, long);
}

function spread(rates: Rates, before: HistorySample, after: HistorySample, freshness: Ticks): void {
  const { bins, width } = rates;
  const begin = cameSince(before, after, freshness);
  const length = after.at - begin;
  const received = growth(before.received, after.received);
  for (const bin of bins) {
    const overlap = Math.min(after.at, bin.at + width) - Math.max(begin, bin.at);
    if (overlap <= 0) continue;
    const share = overlap / length / (width / SECOND);
    bin.received += received * share;
    for (const outcome of OUTCOMES) {
      bin.outcomes[outcome] += growth(before.outcomes[outcome], after.outcomes[outcome]) * share;
    }
  }
}

/**
 * Return rates over `[to - span, to)`, in bins that start at whole multiples of their width, without the incomplete last
 * bin; `to` is that border for an ended run. A batch's counts are spread evenly over the time since the previous batch, or
 * over its own duration after a pause longer than rows may wait for a batch (`freshness`).
 */
export function perSecond(samples: readonly HistorySample[], to: Ticks, span: Ticks, freshness: Ticks = 0): Rates {
  const width = binWidth(span);
  const first = Math.floor((to - span) / width) * width;
  const last = Math.floor(to / width) * width;
  const bins: RateBin[] = [];
  for (let at = first; at < last; at += width) bins.push({ at, received: 0, outcomes: noOutcomes() });
  for (const [index, after] of samples.entries()) {
    const before = samples[index - 1];
    if (before === undefined || after.at <= before.at || after.at <= first || before.at >= last) continue;
    const from = Math.max(0, Math.floor((before.at - first) / width));
    const until = Math.ceil((after.at - first) / width);
    spread({ bins: bins.slice(from, until), width }, before, after, freshness);
  }
  return { width, bins };
}

/** Return the right edge of the charts of a run that ended at `at`: the end of the bin with its last batch. */
export function borderAfter(at: Ticks, span: Ticks): Ticks {
  const width = binWidth(span);
  return (Math.floor(at / width) + 1) * width;
}

/** Return the highest rate of a bin, as in the chart; null without counts. */
export function peakRate({ bins }: Rates, count: (bin: RateBin) => number): number | null {
  const peak = Math.max(0, ...bins.map(count));
  return peak === 0 ? null : peak;
}

/** Return rows per second over the last `span` of the samples; null with fewer than two samples in it. */
export function recentRate(
  samples: readonly HistorySample[],
  span: Ticks,
  count: (sample: HistorySample) => number,
): number | null {
  const newest = samples.at(-1);
  if (newest === undefined) return null;
  const oldest = samples.find((sample) => sample.at >= newest.at - span);
  if (oldest === undefined || oldest.at >= newest.at) return null;
  return growth(count(oldest), count(newest)) / ((newest.at - oldest.at) / SECOND);
}
