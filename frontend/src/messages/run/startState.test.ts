import { expect, test } from "vitest";
import type { ProgressReport } from "../../model/api";
import { hasIncompleteResults, startWords } from "./startState";

const FRESH: NonNullable<ProgressReport["beginning"]> = {
  how: "oldest_open",
  after: "r",
  incomplete_before: {},
  until: {},
  alike: [],
  open_from: null,
  open_until: null,
  rows_again: 0,
  sentence: "",
};
const CARRIED = { ...FRESH, how: "carried_over" as const, lacking: { out: { columns: ["top"], before: 5 } } };

test("a run first reports incomplete results", () => {
  expect([startWords(FRESH), hasIncompleteResults(FRESH)]).toEqual(["This run started with fresh state.", false]);
  const left = { ...FRESH, incomplete_before: { out: 5 } };
  expect([startWords(left), hasIncompleteResults(left)]).toEqual([
    "The first results of this run are incomplete.",
    true,
  ]);
});

test("a run with widened windows is incomplete only in its new columns, if any", () => {
  expect(startWords(CARRIED)).toBe("The first results of this run are incomplete in their new columns.");
  expect(hasIncompleteResults(CARRIED)).toBe(true);
  const whole = { ...CARRIED, lacking: { out: { columns: [], before: 5 } } };
  expect([startWords(whole), hasIncompleteResults(whole)]).toEqual([
    "This run continues with the open windows of the previous run.",
    false,
  ]);
});
