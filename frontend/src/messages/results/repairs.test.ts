import { expect, test } from "vitest";
import { changedWords, repairedWords, whoRepaired } from "./repairs";

const REPAIRED = { id: "1", by: "alice@acme.example", given_at: "2026-01-01T00:00:10.5Z", taken_back: false };

test("a repair's summary omits zero counts", () => {
  expect(changedWords({ marks: { changed: 1_200, only_here: 1, missing: 0 } })).toBe("1,200 changed, 1 new");
  expect(changedWords({ marks: { missing: 2 } })).toBe("2 gone");
});

test("a row names the effect of a repair on it", () => {
  expect(repairedWords({ deleted: false, repaired: null })).toBe("");
  expect(repairedWords({ deleted: false, repaired: REPAIRED })).toBe("corrected by a repair");
  expect(repairedWords({ deleted: true, repaired: REPAIRED })).toBe("retracts a row");
  expect(repairedWords({ deleted: false, repaired: { ...REPAIRED, taken_back: true } })).toBe("retracted by a repair");
});

test("and the person who repaired it", () => {
  expect(whoRepaired({ repaired: null })).toBeUndefined();
  expect(whoRepaired({ repaired: REPAIRED })).toBe("alice@acme.example, 2026-01-01 00:00:10Z");
});
