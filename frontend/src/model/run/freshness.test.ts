import { expect, test } from "vitest";
import {
  costWords,
  FRESH,
  FRESHNESS_OPTIONS,
  freshnessOf,
  freshnessTicks,
  recentBatches,
  staleWords,
} from "./freshness";
import type { HistorySample } from "./history";

test("a report older than 20 s shows its age, even on a live connection", () => {
  expect(staleWords(FRESH, "running")).toBeNull();
  expect(staleWords(FRESH + 1_000_000, "running")).toContain("The newest report is 21 s old.");
  expect(staleWords(3_599_000_000, "running")).toContain("59 min old");
  expect(staleWords(FRESH * 2, "starting")).toBe("The newest report is 40 s old. Figures update with the next batch.");
});

test("with a freshness of one minute, reports are not stale before that", () => {
  expect(staleWords(65_000_000, "running", "1m")).toBeNull();
  expect(staleWords(75_000_000, "running", "1m")).toContain("1 min old");
});

test("every choice is a duration, the shortest first", () => {
  const ticks = FRESHNESS_OPTIONS.map(([name]) => freshnessTicks(name));
  expect(ticks[0]).toBe(200_000);
  expect(ticks).toEqual([...ticks].sort((a, b) => a - b));
  expect(new Set(ticks).size).toBe(ticks.length);
});

test("an old draft's freshness is a choice, or the default", () => {
  expect(["1m", "7s", "", null, undefined].map(freshnessOf)).toEqual(["1m", "5s", "5s", "5s", "5s"]);
});

test("the cost of a freshness is computed from the last batch", () => {
  expect(costWords("5s", 0.42)).toBe(
    "The last batch took 0.42 s: up to 12 batches a minute, 8.4 % of the time of its carrier.",
  );
  expect(costWords("200ms", 0.5)).toContain("up to 120 batches a minute, 100 % of the time");
  expect(costWords("1h", 0.4)).toContain("less than one batch a minute, less than 0.1 % of the time");
});

test("the batches of the last minute are counted individually, with their duration", () => {
  const sample = (at: number, batchSeconds: number, step = 0) =>
    ({ at: at * 1_000_000, batchSeconds, step }) as unknown as HistorySample;
  const samples = [sample(10, 9), sample(65, 3, 10_000_000), sample(70, 1), sample(100, 2), sample(101, 0)];
  expect(recentBatches(samples, 120_000_000)).toBe("2 batches in the last minute took 5 % of it");
  expect(recentBatches(samples, 155_000_000)).toBe("1 batch in the last minute took 3.3 % of it");
  expect(recentBatches(samples, 200_000_000)).toBe("no batch in the last minute");
});
