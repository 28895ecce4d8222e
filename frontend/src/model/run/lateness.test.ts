import { expect, test } from "vitest";
import { bucketWords, LATENESS_BUCKETS, largestLateness, quantileWords, shownBuckets, sumBuckets } from "./lateness";

function counts(filled: Record<number, number>): number[] {
  return Array.from({ length: LATENESS_BUCKETS }, (_, index) => filled[index] ?? 0);
}

test("no late rows give no buckets", () => {
  expect(shownBuckets(counts({}))).toEqual([]);
  expect(quantileWords(counts({}), 0.5, null)).toBe("none");
});

test("empty buckets frame the filled ones", () => {
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

test("no row of a quantile is later than stated", () => {
  const late = counts({ 20: 50, 21: 49, 22: 1 });
  expect(quantileWords(late, 0.25, null)).toBe("at most 2.1 s");
  expect(quantileWords(late, 0.5, null)).toBe("at most 2.1 s");
  expect(quantileWords(late, 0.95, null)).toBe("at most 4.19 s");
  expect(quantileWords(late, 0.99, null)).toBe("at most 4.19 s");
});

test("a quantile in the open-ended bucket has only a lower bound if nothing was measured", () => {
  expect(quantileWords(counts({ 39: 1 }), 0.5, null)).toBe("above 6.36 d");
  expect(quantileWords(counts({ 39: 1 }), 0.5, 691_200_000_000)).toBe("at most 8 d");
});

test("no quantile exceeds the largest lateness", () => {
  const late = counts({ 20: 50, 21: 50 });
  expect(quantileWords(late, 0.5, 2_500_000)).toBe("at most 2.1 s");
  expect(quantileWords(late, 0.99, 2_500_000)).toBe("at most 2.5 s");
});

test("the largest lateness is that of all inputs, and unknown if one with late rows did not measure", () => {
  const unmeasured = { largest_behind: null, largest_moved: null, largest_transport: null, last_arrival: null };
  const measures = { ...unmeasured, behind: {}, moved: {}, transport: {} };
  const five = { lateness: counts({ 2: 1 }), measures: { ...measures, largest_late: 5 } };
  const nine = { lateness: counts({ 3: 1 }), measures: { ...measures, largest_late: 9 } };
  const none = { lateness: counts({}), measures: null };
  expect(largestLateness([five, nine, none])).toBe(9);
  expect(largestLateness([five, { ...nine, measures: null }])).toBeNull();
  expect(largestLateness([none])).toBeNull();
});

test("histograms of several inputs add up", () => {
  expect(sumBuckets([counts({ 3: 1 }), counts({ 3: 2, 4: 5 })])).toEqual(counts({ 3: 3, 4: 5 }));
});
