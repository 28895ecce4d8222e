import { describe, expect, it } from "vitest";
import { delayOf, delayOutlooks, hasDelay, judgedRows, tellingOutlooks } from "./delayWhatIf";
import { LATENESS_BUCKETS } from "./lateness";

function histogram(counts: Record<number, number>): number[] {
  return Array.from({ length: LATENESS_BUCKETS }, (_, bucket) => counts[bucket] ?? 0);
}

/** The bucket in which a row is that came so far behind the CTI. */
function bucketOf(lateness: number): number {
  return Math.max(0, Math.min(LATENESS_BUCKETS - 1, Math.floor(Math.log2(lateness))));
}

describe("what another delay would do", () => {
  it("is today's alone while nothing is late", () => {
    expect(delayOutlooks(histogram({}))).toEqual([{ added: 0, late: 0 }]);
  });

  it("counts rows that would still be late just as a clock would that many ticks further back", () => {
    const latenesses = [1, 3, 5, 5, 900, 1_023, 1_024, 70_000];
    const counts: Record<number, number> = {};
    for (const each of latenesses) counts[bucketOf(each)] = (counts[bucketOf(each)] ?? 0) + 1;
    for (const { added, late } of delayOutlooks(histogram(counts)))
      expect(late).toBe(latenesses.filter((each) => each > added).length);
  });

  it("leaves late what is in the bucket without an end", () => {
    const outlooks = delayOutlooks(histogram({ 3: 2, [LATENESS_BUCKETS - 1]: 1 }));
    expect(outlooks).toEqual([
      { added: 0, late: 3 },
      { added: 15, late: 1 },
    ]);
  });
});

it("delays that change little are left out, today's and the last never", () => {
  const outlooks = delayOutlooks(histogram({ 2: 1, 5: 40, 6: 1, 9: 50, 12: 1 }));
  expect(tellingOutlooks(outlooks, 1_000).map(({ added }) => added)).toEqual([0, 63, 1_023, 8_191]);
  expect(tellingOutlooks(outlooks, 1_000, 0)).toEqual(outlooks);
});

describe("the delay in force", () => {
  it("is that of generated CTIs, in ticks", () => {
    expect(delayOf({ generate: { every: 10, delay: "5s" }, late: "drop" })).toBe(5_000_000);
    expect(delayOf({ generate: { every: 10 }, late: "drop" })).toBe(0);
    expect(delayOf({ import_from: "prices", late: "drop" })).toBeNull();
  });

  it("is there for presets too, in their own words", () => {
    expect([hasDelay({ preset: "watermark(5s)" }), delayOf({ preset: "watermark(5s)" })]).toEqual([true, null]);
    expect(hasDelay({ import_from: "prices", late: "drop" })).toBe(false);
  });
});

it("rows that could not be read are not judged", () => {
  expect(judgedRows({ received: 10, outcomes: { malformed: 3, on_time: 7 } })).toBe(7);
});
