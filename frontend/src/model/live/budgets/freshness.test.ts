import { expect, test } from "vitest";
import type { FreshnessBudget } from "../../api";
import { freshnessNotes, freshnessWords, levelWords } from "./freshness";

const BUDGET: FreshnessBudget = {
  state: "enough",
  within_s: 60,
  share: 99,
  counted: 43_000,
  late: 18,
  unknown: 0,
  minutes: 430,
  left: 412,
  used_up_at: null,
};

test("a budget names the minutes that may still be late", () => {
  expect(freshnessWords(BUDGET)).toBe("412 minutes left of 430");
  expect(freshnessWords({ ...BUDGET, state: "unknown" })).toBe("last known: 412 minutes left of 430");
  expect(freshnessWords({ ...BUDGET, minutes: 0, left: 0 })).toBe("no minute may be late yet");
  expect(freshnessWords({ ...BUDGET, left: -1 })).toBe("broken by 1 minute; 430 minutes may be late");
  expect(levelWords(BUDGET)).toMatch(/^at most 1.min late in 99 % of the minutes$/);
});

test("notes name the end of the budget, and minutes that it doesn't count", () => {
  const now = 1_795_000_000_000_000;
  expect(freshnessNotes(BUDGET, now)).toEqual([]);
  const [ends, unknown] = freshnessNotes({ ...BUDGET, used_up_at: now + 60_000_000, unknown: 2 }, now);
  expect(ends).toMatch(/^used up at \d\d:\d\d if results are late as in the last hour$/);
  expect(unknown).toBe("2 minutes unknown, not counted");
});
