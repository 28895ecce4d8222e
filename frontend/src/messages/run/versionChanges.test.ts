import { expect, test } from "vitest";
import { isUnderWay, progressWords, takeoverCti } from "./versionChanges";

test("a change states the remaining rows, the remaining time and the withheld rows", () => {
  expect(progressWords({ behind: null, held: null, seconds_left: null })).toBe(
    "It is being started next to the current run.",
  );
  expect(progressWords({ behind: 1200, held: 3, seconds_left: 40 })).toBe(
    "It has 1,200 rows left to read, about 40 s at the current speed. It has 3 rows that the current run has not emitted yet.",
  );
  expect(progressWords({ behind: 5, held: 0, seconds_left: 600 })).toBe(
    "It has 5 rows left to read, about 10 min at the current speed.",
  );
  expect(progressWords({ behind: 5, held: 0, seconds_left: null })).toBe("It has 5 rows left to read.");
  expect(progressWords({ behind: 0, held: 1, seconds_left: 0 })).toBe(
    "It has read everything that the current run has read. It has 1 row that the current run has not emitted yet.",
  );
});

test("the takeover was at the smallest CTI, if there is one", () => {
  expect(takeoverCti({ ctis: { a: 20, b: 10, c: null } })).toBe(10);
  expect(takeoverCti({ ctis: { a: null } })).toBeUndefined();
});

test("a finished change is not in progress", () => {
  expect(["catching_up", "taking_over", "done"].map((state) => isUnderWay({ state: state as "done" }))).toEqual([
    true,
    true,
    false,
  ]);
  expect(isUnderWay(null)).toBe(false);
});
