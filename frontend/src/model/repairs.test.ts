import { expect, test } from "vitest";
import { changedWords, repairedWords, whoRepaired } from "./repairs";

const REPAIRED = { id: "1", by: "alice@acme.example", given_at: "2026-01-01T00:00:10.5Z", taken_back: false };

test("what a repair has changed leaves out what it has not", () => {
  expect(changedWords({ marks: { changed: 1_200, only_here: 1, missing: 0 } })).toBe("1,200 changed, 1 new");
  expect(changedWords({ marks: { missing: 2 } })).toBe("2 gone");
});

test("a row says what a repair did with it", () => {
  expect(repairedWords({ deleted: false, repaired: null })).toBe("");
  expect(repairedWords({ deleted: false, repaired: REPAIRED })).toBe("corrected by a repair");
  expect(repairedWords({ deleted: true, repaired: REPAIRED })).toBe("takes a row back");
  expect(repairedWords({ deleted: false, repaired: { ...REPAIRED, taken_back: true } })).toBe("taken back by a repair");
});

test("and who had it repaired", () => {
  expect(whoRepaired({ repaired: null })).toBeUndefined();
  expect(whoRepaired({ repaired: REPAIRED })).toBe("alice@acme.example, 2026-01-01 00:00:10Z");
});
