/** The lateness histogram: bucket i counts `[2^i, 2^(i+1))` µs; bucket 0 all below 2 µs, the last all above. */

import type { InputCounts } from "../api";
import { formatSpan, type Ticks } from "../time/ticks";

export const LATENESS_BUCKETS = 40;

export interface Bucket {
  index: number;
  from: Ticks;
  /** Null: open-ended. */
  to: Ticks | null;
  count: number;
}

export function bucketFrom(index: number): Ticks {
  return index === 0 ? 0 : 2 ** index;
}

function bucketTo(index: number): Ticks | null {
  return index === LATENESS_BUCKETS - 1 ? null : 2 ** (index + 1);
}

export function sumBuckets(histograms: readonly (readonly number[])[]): number[] {
  return Array.from({ length: LATENESS_BUCKETS }, (_, index) =>
    histograms.reduce((sum, counts) => sum + (counts[index] ?? 0), 0),
  );
}

/** Return the buckets to draw, with one empty bucket on either side; empty without late rows. */
export function shownBuckets(counts: readonly number[]): Bucket[] {
  const first = counts.findIndex((count) => count > 0);
  if (first < 0) return [];
  const last = counts.findLastIndex((count) => count > 0);
  const from = Math.max(0, first - 1);
  const to = Math.min(LATENESS_BUCKETS - 1, last + 1);
  return Array.from({ length: to - from + 1 }, (_, offset) => {
    const index = from + offset;
    return { index, from: bucketFrom(index), to: bucketTo(index), count: counts[index] ?? 0 };
  });
}

/** `1.02 s to 2.05 s`. */
export function bucketWords({ from, to }: Pick<Bucket, "from" | "to">): string {
  return to === null ? `${formatSpan(from)} or more` : `${formatSpan(from)} to ${formatSpan(to)}`;
}

/** Return the bucket with the given share (0 to 1) of the counted rows; null without rows. */
export function quantileBucket(counts: readonly number[], share: number): Bucket | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let seen = 0;
  for (const [index, count] of counts.entries()) {
    seen += count;
    if (count > 0 && seen >= share * total) return { index, from: bucketFrom(index), to: bucketTo(index), count };
  }
  return null;
}

/** Return the largest lateness of these inputs; null without late rows, or if an input with late rows didn't measure it. */
export function largestLateness(inputs: readonly Pick<InputCounts, "lateness" | "measures">[]): Ticks | null {
  const late = inputs.filter(({ lateness }) => lateness.some((count) => count > 0));
  const largest = late.map(({ measures }) => measures?.largest_late ?? null);
  return largest.includes(null) || largest.length === 0 ? null : Math.max(...largest.map(Number));
}

/**
 * Return the lateness that the given share (0 to 1) of the rows does not exceed: `at most 2.05 s`, the end of its bucket
 * or the `largest` lateness of all rows; `above 6.36 d` for the open-ended bucket if `largest` is unknown.
 */
export function quantileWords(counts: readonly number[], share: number, largest: Ticks | null): string {
  const bucket = quantileBucket(counts, share);
  if (bucket === null) return "none";
  const bounds = [bucket.to, largest].filter((bound): bound is Ticks => bound !== null);
  return bounds.length === 0 ? `above ${formatSpan(bucket.from)}` : `at most ${formatSpan(Math.min(...bounds))}`;
}
