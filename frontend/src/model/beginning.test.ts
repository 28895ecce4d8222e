import { expect, test } from "vitest";
import type { ProgressReport } from "./api";
import { beganWords, lacksSome } from "./beginning";

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

test("a run says first what its results lack", () => {
  expect([beganWords(FRESH), lacksSome(FRESH)]).toEqual(["This run began with fresh state.", false]);
  const left = { ...FRESH, incomplete_before: { out: 5 } };
  expect([beganWords(left), lacksSome(left)]).toEqual(["The first results of this run are incomplete.", true]);
});

test("one that goes on with widened windows lacks something in its new columns alone, if it has any", () => {
  expect(beganWords(CARRIED)).toBe("The first results of this run are incomplete in its new columns.");
  expect(lacksSome(CARRIED)).toBe(true);
  const whole = { ...CARRIED, lacking: { out: { columns: [], before: 5 } } };
  expect([beganWords(whole), lacksSome(whole)]).toEqual(["This run goes on with what was open.", false]);
});
