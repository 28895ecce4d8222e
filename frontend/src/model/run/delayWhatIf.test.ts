import { describe, expect, it } from "vitest";
import { delayOf, delayOutlooks, hasDelay, notableOutlooks, rowsInTime } from "./delayWhatIf";
import { LATENESS_BUCKETS } from "./lateness";

function histogram(counts: Record<number, number>): number[] {
  return Array.from({ length: LATENESS_BUCKETS }, (_, bucket) => counts[bucket] ?? 0);
}

/** Return the bucket of a row with this lateness. */
function bucketOf(lateness: number): number {
  return Math.max(0, Math.min(LATENESS_BUCKETS - 1, Math.floor(Math.log2(lateness))));
}

describe("the effect of another delay", () => {
  it("is only the current delay without late rows", () => {
    expect(delayOutlooks(histogram({}))).toEqual([{ added: 0, late: 0 }]);
  });

  it("counts the same late rows as a clock that is that many ticks behind", () => {
    const latenesses = [1, 3, 5, 5, 900, 1_023, 1_024, 70_000];
    const counts: Record<number, number> = {};
    for (const each of latenesses) counts[bucketOf(each)] = (counts[bucketOf(each)] ?? 0) + 1;
    for (const { added, late } of delayOutlooks(histogram(counts)))
      expect(late).toBe(latenesses.filter((each) => each > added).length);
  });

  it("keeps rows in the open-ended bucket late", () => {
    const outlooks = delayOutlooks(histogram({ 3: 2, [LATENESS_BUCKETS - 1]: 1 }));
    expect(outlooks).toEqual([
      { added: 0, late: 3 },
      { added: 15, late: 1 },
    ]);
  });
});

it("omits delays with little effect, but never the current and the last", () => {
  const outlooks = delayOutlooks(histogram({ 2: 1, 5: 40, 6: 1, 9: 50, 12: 1 }));
  expect(notableOutlooks(outlooks, 1_000).map(({ added }) => added)).toEqual([0, 63, 1_023, 8_191]);
  expect(notableOutlooks(outlooks, 1_000, 0)).toEqual(outlooks);
});

describe("the current delay", () => {
  it("is the delay of generated CTIs, in ticks", () => {
    expect(delayOf({ generate: { every: 10, delay: "5s" }, late: "drop" })).toBe(5_000_000);
    expect(delayOf({ generate: { every: 10 }, late: "drop" })).toBe(0);
    expect(delayOf({ import_from: "prices", late: "drop" })).toBeNull();
  });

  it("exists for presets too, in their own words", () => {
    expect([hasDelay({ preset: "watermark(5s)" }), delayOf({ preset: "watermark(5s)" })]).toEqual([true, null]);
    expect(hasDelay({ import_from: "prices", late: "drop" })).toBe(false);
  });
});

it("rows on time and not on time are all rows, including malformed ones", () => {
  const outcomes = { malformed: 3, on_time: 6, reordered: 1, dropped_late: 5, dropped_early: 1 };
  const counts = { received: 16, outcomes, lateness: histogram({ 3: 4, 9: 1 }) };
  const [today, longer, longest] = delayOutlooks(counts.lateness).map(({ late }) => rowsInTime(counts, late));
  expect([today, longer, longest]).toEqual([7, 11, 12]);
});
