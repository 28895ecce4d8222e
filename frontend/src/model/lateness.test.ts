import { expect, test } from "vitest";
import { bucketWords, LATENESS_BUCKETS, quantileWords, shownBuckets, sumBuckets } from "./lateness";

function counts(filled: Record<number, number>): number[] {
  return Array.from({ length: LATENESS_BUCKETS }, (_, index) => filled[index] ?? 0);
}

test("nothing late shows no bucket", () => {
  expect(shownBuckets(counts({}))).toEqual([]);
  expect(quantileWords(counts({}), 0.5)).toBe("none");
});

test("empty buckets beside the filled ones frame the histogram", () => {
  const shown = shownBuckets(counts({ 10: 3, 12: 1 }));
  expect(shown.map((bucket) => [bucket.index, bucket.count])).toEqual([
    [9, 0],
    [10, 3],
    [11, 0],
    [12, 1],
    [13, 0],
  ]);
});

test("the first bucket begins at zero and the last has no end", () => {
  const shown = shownBuckets(counts({ 0: 1, 39: 1 }));
  expect(shown).toHaveLength(LATENESS_BUCKETS);
  expect(shown[0]).toEqual({ index: 0, from: 0, to: 2, count: 1 });
  expect(bucketWords({ from: 2 ** 39, to: null })).toBe("6.36 d or more");
  expect(shown.at(-1)?.to).toBeNull();
});

test("a quantile is estimated inside of its bucket", () => {
  const late = counts({ 20: 50, 21: 49, 22: 1 });
  expect(quantileWords(late, 0.25)).toBe("about 1.57 s");
  expect(quantileWords(late, 0.5)).toBe("about 2.1 s");
  expect(quantileWords(late, 0.95)).toBe("about 4.02 s");
  expect(quantileWords(late, 0.99)).toBe("about 4.19 s");
});

test("a quantile beyond the last border says only that", () => {
  expect(quantileWords(counts({ 39: 1 }), 0.5)).toBe("above 6.36 d");
});

test("histograms of several inputs add up", () => {
  expect(sumBuckets([counts({ 3: 1 }), counts({ 3: 2, 4: 5 })])).toEqual(counts({ 3: 3, 4: 5 }));
});
