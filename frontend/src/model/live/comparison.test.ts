import { expect, test } from "vitest";
import { comparisonChoices } from "./comparison";

const HOUR = 3_600_000_000;
const RANGE = { begin: 1_000 * HOUR, end: 1_002 * HOUR };

test("a range is compared with earlier ones of its length and with the ends of earlier runs", () => {
  const runs = [
    { run: "r1", number: 1, version: 6, begin: 0, end: 900 * HOUR },
    { run: "r2", number: 2, version: null, begin: 900 * HOUR, end: 950 * HOUR },
    { run: "r3", number: 3, version: 7, begin: 950 * HOUR, end: null },
  ];
  expect(comparisonChoices(RANGE, runs)).toEqual([
    { id: "before", words: "the range before", range: { begin: 998 * HOUR, end: 1_000 * HOUR } },
    { id: "day", words: "a day earlier", range: { begin: 976 * HOUR, end: 978 * HOUR } },
    { id: "week", words: "a week earlier", range: { begin: 832 * HOUR, end: 834 * HOUR } },
    { id: "r2", words: "the end of run 2", range: { begin: 948 * HOUR, end: 950 * HOUR } },
    { id: "r1", words: "the end of v6, run 1", range: { begin: 898 * HOUR, end: 900 * HOUR } },
  ]);
});

test("a long range isn't compared with one that overlaps it", () => {
  const month = { begin: 10_000 * HOUR, end: 10_720 * HOUR };
  expect(comparisonChoices(month, []).map(({ id }) => id)).toEqual(["before"]);
});
