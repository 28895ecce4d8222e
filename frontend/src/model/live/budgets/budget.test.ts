import { expect, test } from "vitest";
import type { HomeBudgets, HomeResponse, LossBudget } from "../../api";
import { budgetNotes, budgetTileWords, budgetWords, percentLeft } from "./budget";

const NOW = Date.UTC(2026, 10, 26, 14, 32, 10) * 1_000;
const MINUTE = 60_000_000;
const BUDGET: LossBudget = {
  now: NOW,
  days: 30,
  state: "burning",
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
  expect(budgetNotes(BUDGET, NOW)).toEqual(["used up at 14:47 if rows are lost as in the last 15 minutes"]);
  expect(budgetNotes({ ...BUDGET, used_up_at: NOW + 3 * 1_440 * MINUTE }, NOW)[0]).toMatch(/^used up at 2026-11-29 /);
});

test("a broken promise, refunds and unknown time are named", () => {
  expect(budgetWords({ ...BUDGET, state: "used_up", left: -1 })).toBe("broken by 1 row; 16,070 rows may be lost");
  expect(budgetWords({ ...BUDGET, state: "enough", rows: 0, left: 0 })).toBe("no row may be lost yet");
  expect(budgetWords({ ...BUDGET, state: "unknown", rows: 0, left: 0 })).toBe("no row was counted");
  expect(budgetWords({ ...BUDGET, state: "unknown" })).toBe("last known: 1,240 rows left of 16,070");
  const notes = budgetNotes({ ...BUDGET, used_up_at: null, repaired: 4_318, unknown_s: 600 }, NOW);
  expect(notes).toEqual(["4,318 rows refunded by repairs", "10 min unknown, not counted"]);
});

test("a bar has the share that is left", () => {
  expect(percentLeft({ ...BUDGET, left: 1_607 })).toBe(10);
  expect(percentLeft({ ...BUDGET, left: -5 })).toBe(0);
});

const NONE: HomeBudgets = { enough: 3, burning: 0, used_up: 0, unknown: 0, today: 0, next_name: null, next_at: null };

function tile(budgets: Partial<HomeBudgets>) {
  return budgetTileWords({ now: NOW, listed: 42, tiles: { budgets: { ...NONE, ...budgets } } } as HomeResponse);
}

test("the tile names the budgets that are used up, else those that will be by midnight, and the next one", () => {
  expect(tile({})).toEqual({ count: 0, what: "of 42 used up by midnight", under: "none is burning", tone: undefined });
  const next = { next_name: "toll-by-gate", next_at: NOW + 15 * MINUTE };
  const today = { count: 1, what: "of 42 used up by midnight", under: "toll-by-gate at 14:47", tone: "bad" };
  expect(tile({ burning: 1, today: 1, ...next })).toEqual(today);
  expect(tile({ burning: 1, used_up: 2, unknown: 1, today: 1, ...next })).toEqual({
    count: 2,
    what: "of 42 used up",
    under: "next toll-by-gate at 14:47; 1 unknown",
    tone: "bad",
  });
  const later = tile({ burning: 1, next_name: "bus", next_at: NOW + 9 * 1_440 * MINUTE });
  expect(later).toMatchObject({ count: 0, under: "bus on 2026-12-05", tone: "warn" });
  expect(tile({ unknown: 2 })).toMatchObject({ under: "2 unknown", tone: "warn" });
});
