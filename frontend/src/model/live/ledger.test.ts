import { expect, test } from "vitest";
import type { LedgerCounts, LedgerDay, LedgerResponse } from "../api";
import { dayRangeFault, dayRangeOf, ledgerOutcomes, ledgerVerdict, unknownWords } from "./ledger";

const COUNTS: LedgerCounts = { received: 3, outcomes: { on_time: 3 }, difference: 0, results: 1 };
const DAY: LedgerDay = { day: "2026-11-21", knowledge: "known", unknown: [], counts: COUNTS, repaired: 0 };

function ledger(days: LedgerDay[]): LedgerResponse {
  return {
    now: 0,
    first: "2026-11-20",
    last: "2026-11-21",
    binding: "b",
    name: "watch",
    query: "q",
    query_name: "watch",
    days,
    total: COUNTS,
    repaired: 0,
    unknown_days: days.filter(({ knowledge }) => knowledge === "unknown").length,
    deliveries: [],
  };
}

test("an address has a number of days, or a first and a last day", () => {
  expect(dayRangeOf(new URLSearchParams("days=7"))).toEqual({ days: 7 });
  expect(dayRangeOf(new URLSearchParams("days=8"))).toEqual({ days: 30 });
  expect(dayRangeOf(new URLSearchParams("first=2026-11-01&last=2026-11-03"))).toEqual({
    first: "2026-11-01",
    last: "2026-11-03",
  });
});

test("a range has 1 to 92 days", () => {
  expect(dayRangeFault("2026-11-03", "2026-11-03")).toBeNull();
  expect(dayRangeFault("2026-08-01", "2026-10-31")).toBeNull();
  expect(dayRangeFault("2026-08-01", "2026-11-01")).toMatch(/At most 92 days/);
  expect(dayRangeFault("2026-11-03", "2026-11-02")).toMatch(/before/);
  expect(dayRangeFault("", "2026-11-02")).toMatch(/Choose/);
});

test("an outcome without a row has a column only if it is usual", () => {
  expect(ledgerOutcomes(COUNTS)).toEqual(["on_time", "reordered", "adjusted", "dropped_late", "malformed"]);
  expect(ledgerOutcomes({ ...COUNTS, outcomes: { dropped_early: 1 } })).toContain("dropped_early");
});

test("unknown spans are named in UTC", () => {
  const noon = Date.UTC(2026, 10, 21, 12) * 1_000;
  expect(unknownWords({ ...DAY, unknown: [{ begin: noon, end: noon + 5_400_000_000 }] })).toBe("12:00–13:30");
});

test("the verdict names what does not add up before what is unknown", () => {
  const unknown: LedgerDay = { ...DAY, day: "2026-11-20", knowledge: "unknown", counts: null };
  const wrong: LedgerDay = { ...DAY, counts: { ...COUNTS, difference: 2 } };
  expect(ledgerVerdict(ledger([DAY]))).toEqual({ tone: "good", words: "Every received row has exactly one outcome." });
  expect(ledgerVerdict(ledger([DAY, unknown])).words).toBe(
    "All counted rows have an outcome. Not completely known: 1 day.",
  );
  expect(ledgerVerdict(ledger([wrong, unknown])).words).toMatch(/^Counts do not add up on 2026-11-21\./);
});
