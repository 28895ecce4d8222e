import { expect, test } from "vitest";
import { isUnderWay, progressWords, takeoverCti } from "./versionChanges";

test("a change says how much is left, for how long, and what is held", () => {
  expect(progressWords({ behind: null, held: null, seconds_left: null })).toBe("It is being started beside the run.");
  expect(progressWords({ behind: 1200, held: 3, seconds_left: 40 })).toBe(
    "It has 1,200 rows still to read, about 40 s at the speed so far. It holds 3 rows that only it has released so far.",
  );
  expect(progressWords({ behind: 5, held: 0, seconds_left: 600 })).toBe(
    "It has 5 rows still to read, about 10 min at the speed so far.",
  );
  expect(progressWords({ behind: 5, held: 0, seconds_left: null })).toBe("It has 5 rows still to read.");
  expect(progressWords({ behind: 0, held: 1, seconds_left: 0 })).toBe(
    "It has read all that the run has read. It holds 1 row that only it has released so far.",
  );
});

test("it took over at the smallest CTI, where there is one", () => {
  expect(takeoverCti({ ctis: { a: 20, b: 10, c: null } })).toBe(10);
  expect(takeoverCti({ ctis: { a: null } })).toBeUndefined();
});

test("what is done is not under way", () => {
  expect(["catching_up", "taking_over", "done"].map((state) => isUnderWay({ state: state as "done" }))).toEqual([
    true,
    true,
    false,
  ]);
  expect(isUnderWay(null)).toBe(false);
});
