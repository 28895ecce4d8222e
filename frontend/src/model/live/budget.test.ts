import { expect, test } from "vitest";
import type { LossBudget } from "../api";
import { budgetNotes, budgetWords } from "./budget";

const NOW = Date.UTC(2026, 10, 26, 14, 32, 10) * 1_000;
const MINUTE = 60_000_000;
const BUDGET: LossBudget = {
  now: NOW,
  days: 30,
  completeness: 99.99,
  received: 160_700_000,
  lost: 14_830,
  repaired: 0,
  rows: 16_070,
  left: 1_240,
  used_up_at: NOW + 15 * MINUTE,
  unknown_s: 0,
};

test("a budget is written in rows and in time left", () => {
  expect(budgetWords(BUDGET)).toBe("1,240 rows left of 16,070");
  expect(budgetNotes(BUDGET)).toEqual(["used up at 14:47 if rows are lost as in the last 15 minutes"]);
  expect(budgetNotes({ ...BUDGET, used_up_at: NOW + 3 * 1_440 * MINUTE })[0]).toMatch(/^used up at 2026-11-29 /);
});

test("a broken promise, refunds and unknown time are named", () => {
  expect(budgetWords({ ...BUDGET, left: -1 })).toBe("Broken by 1 row; 16,070 rows may be lost");
  expect(budgetWords({ ...BUDGET, received: 0 })).toBe("No row was received");
  expect(budgetWords({ ...BUDGET, received: 0, unknown_s: 30 * 86_400 })).toBe("No row was counted");
  const notes = budgetNotes({ ...BUDGET, used_up_at: null, repaired: 4_318, unknown_s: 600 });
  expect(notes).toEqual(["4,318 rows refunded by repairs", "10 min unknown, not counted"]);
});
