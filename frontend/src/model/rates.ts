/** Totals to rates: what happened in each bin of wall-clock time, per second. */

import type { HistorySample } from "./history";
import { noOutcomes, OUTCOMES, type OutcomeCounts } from "./outcomes";
import type { Ticks } from "./ticks";

const SECOND: Ticks = 1_000_000;
const WIDTHS_S = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200];
/**
 * What was counted in a pause of up to so long came during the pause; in a longer one, with the batch at its end. Where
 * rows may wait for a batch, up to twice as long as they may.
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

/** A whole number of seconds per bin, so that at most `MOST_BINS` cover the span. */
export function binWidth(span: Ticks): Ticks {
  const wanted = span / SECOND / MOST_BINS;
  return (WIDTHS_S.find((width) => width >= wanted) ?? Math.ceil(wanted)) * SECOND;
}

/** What was counted between two totals; a total that fell began again from nothing. */
function growth(before: number, after: number): number {
  return after >= before ? after - before : after;
}

/** From when on the rows of `after` came: without this, what came at the end of an idle hour would fill the hour. */
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
 * Rates over `[to - span, to)`, in bins that begin at whole multiples of their width, the one that is still filling
 * left out; `to` is that border for a run that has ended. What a batch counted is spread evenly over the time since the
 * batch before it, or over its own if there was a longer pause than rows wait for a batch (`freshness`).
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

/** Where the charts of a run end that has ended at `at`: behind the bin that holds its last batch. */
export function borderAfter(at: Ticks, span: Ticks): Ticks {
  const width = binWidth(span);
  return (Math.floor(at / width) + 1) * width;
}

/** Rows per second over the last `span` of the samples; null with fewer than two samples in it. */
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
