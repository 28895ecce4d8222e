import { expect, test } from "vitest";
import type { DashboardStep } from "../api";
import { csvOf, lostOf, outcomesTable, stackOf, unknownSpans, wholeOf } from "./dashboard";

function step(at: number, outcomes: Record<string, number>, more: Partial<DashboardStep> = {}): DashboardStep {
  return { at, outcomes, knowledge: "known", lag: null, ...more };
}

test("a bar is stacked in the order of outcomes, and its parts add up to its rows", () => {
  expect(stackOf(step(0, { dropped_late: 10, on_time: 30 }), 80)).toEqual([
    { outcome: "on_time", from: 0, to: 0.375 },
    { outcome: "dropped_late", from: 0.375, to: 0.5 },
  ]);
  expect(stackOf(step(0, {}), 0)).toEqual([]);
});

test("the whole is the sum of all steps", () => {
  const whole = wholeOf([step(0, { on_time: 3, malformed: 1 }), step(1, { on_time: 4, dropped_early: 2 })]);
  expect([whole.on_time, whole.reordered, lostOf(whole)]).toEqual([7, 0, 3]);
});

test("unknown steps next to each other are one span", () => {
  const steps = [
    step(0, {}, { knowledge: "unknown" }),
    step(10, {}, { knowledge: "unknown" }),
    step(20, {}),
    step(30, {}, { knowledge: "none" }),
    step(40, {}, { knowledge: "unknown" }),
  ];
  expect(unknownSpans({ steps, step: 10 })).toEqual([
    { begin: 0, end: 20 },
    { begin: 40, end: 50 },
  ]);
});

test("tables have the newest step first, and name what is unknown", () => {
  const steps = [step(0, { on_time: 2 }, { lag: 5 }), step(60_000_000, {}, { knowledge: "unknown" })];
  const { head, rows } = outcomesTable({ steps });
  expect(head.slice(0, 3)).toEqual(["From (UTC)", "Received", "on_time"]);
  expect(rows.map((row) => [row[0], row[1], row.at(-1)])).toEqual([
    ["1970-01-01 00:01:00Z", 0, "reports may be missing"],
    ["1970-01-01 00:00:00Z", 2, ""],
  ]);
});

test("a file keeps texts as texts", () => {
  const table = { head: ["a", "b,c"], rows: [["=1+1", null] as const, ['say "x"', -3] as const] };
  expect(csvOf(table)).toBe('a,"b,c"\r\n\'=1+1,\r\n"say ""x""",-3\r\n');
});
