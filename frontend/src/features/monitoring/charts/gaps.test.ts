import { expect, test } from "vitest";
import { EMPTY_HISTORY } from "../../../model/run/history";
import { gapsOf, hatchedWords } from "./gaps";

const MINUTE = 60_000_000;
const DAY = 1440 * MINUTE;

function words(since: number, to: number, known: { begin: number; end: number }[], toldAt = to) {
  const gaps = gapsOf({ history: { ...EMPTY_HISTORY, known, toldAt }, since, from: 0, to, liveUntil: 0 });
  return gaps.map((gap) => gap.words);
}

test("each span without data has a reason", () => {
  const known = [
    { begin: 0, end: 10 * MINUTE },
    { begin: 20 * MINUTE, end: 30 * MINUTE },
  ];
  expect(words(0, 30 * MINUTE, known)).toEqual(["no runner reported"]);
  expect(words(0, 40 * MINUTE, known, 30 * MINUTE)).toEqual(["no runner reported", "no reports since then"]);
  expect(words(0, 30 * MINUTE, known.slice(1))).toEqual(["not kept"]);
  expect(words(5 * MINUTE, 10 * MINUTE, known)).toEqual(["before the start"]);
  expect(words(0, 40 * DAY, [{ begin: 10 * DAY, end: 40 * DAY }])).toEqual(["kept for 30 days only"]);
  expect(words(0, 10 * MINUTE, [], 0)).toEqual(["history unavailable"]);
});

test("the sentence below the charts explains each hatching once", () => {
  const gap = { begin: 0, end: 1, words: "not kept", hatched: true };
  expect(hatchedWords([gap, gap])).toBe(
    "Hatched: no data for this period: not kept (the run is from before figures were stored, or its first reports " +
      "were lost). Blank: the run was active, but no rows arrived.",
  );
  expect(hatchedWords([{ ...gap, hatched: false }])).toBeNull();
});
