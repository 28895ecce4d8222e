/** The lateness histogram: bucket i counts `[2^i, 2^(i+1))` µs; bucket 0 all below 2 µs, the last all above. */

import { formatSpan, type Ticks } from "./ticks";

export const LATENESS_BUCKETS = 40;

export interface Bucket {
  index: number;
  from: Ticks;
  /** Null: without end. */
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

/** The buckets worth drawing: one empty one on either side of the filled ones; none when nothing was late. */
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

/** The bucket that holds the given share (0 to 1) of the counted rows; null when there are none. */
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

/**
 * The lateness at or below which the given share (0 to 1) of the rows is: estimated inside of its bucket, as if the
 * rows in it were spread evenly. Null when there are none, and in the last bucket, which has no end.
 */
export function quantile(counts: readonly number[], share: number): Ticks | null {
  const bucket = quantileBucket(counts, share);
  if (bucket === null || bucket.to === null) return null;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const before = counts.slice(0, bucket.index).reduce((sum, count) => sum + count, 0);
  return Math.round(bucket.from + ((bucket.to - bucket.from) * (share * total - before)) / bucket.count);
}

/** `about 2.6 s`; `above 6.36 d` where the bucket has no end. */
export function quantileWords(counts: readonly number[], share: number): string {
  const bucket = quantileBucket(counts, share);
  if (bucket === null) return "none";
  const estimate = quantile(counts, share);
  return estimate === null ? `above ${formatSpan(bucket.from)}` : `about ${formatSpan(estimate)}`;
}
