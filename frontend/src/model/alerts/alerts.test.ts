import { expect, test } from "vitest";
import type { AlertResponse } from "../api";
import { isOpen, levelWords, phaseTone, phaseWords } from "./alerts";

function alert(part: Partial<AlertResponse>): AlertResponse {
  return { phase: "firing", level: "page", acknowledged: null, silenced_until: null, ...part } as AlertResponse;
}

test.each([
  [{ at: 0.01, rows: 100, for_s: 0 }, "share", "1 % and 100 rows"],
  [{ at: 180, rows: 0, for_s: 180 }, "s", "3 min for 3 min"],
  [{ at: 7200, rows: 0, for_s: 0 }, "s", "2 h"],
  [{ at: 1, rows: 0, for_s: 0 }, "requests", "1 request"],
  [{ at: 5 * 2 ** 30, rows: 0, for_s: 0 }, "bytes", "5 GB"],
  [null, "rows", "–"],
] as const)("the limit %o of a rule in %s is %s", (limit, unit, words) => {
  expect(levelWords(limit, unit)).toBe(words);
});

test("a firing alert says how urgent it is, and whether it is silenced", () => {
  expect(phaseWords(alert({}))).toBe("Firing, pages");
  expect(phaseWords(alert({ level: "warn", silenced_until: "2026-11-27T12:00:00Z" }))).toBe("Firing, warns, silenced");
});

test("each state has its own tone", () => {
  const phases = (["pending", "unknown", "resolved"] as const).map((phase) => phaseTone(alert({ phase })));
  expect(new Set([...phases, phaseTone(alert({})), phaseTone(alert({ level: "warn" }))]).size).toBe(5);
});

test("an alert that somebody has taken is not open", () => {
  expect(isOpen(alert({}))).toBe(true);
  expect(isOpen(alert({ acknowledged: { by: "a", at: "2026-11-27T12:00:00Z", note: "" } }))).toBe(false);
  expect(isOpen(alert({ phase: "pending" }))).toBe(false);
});
