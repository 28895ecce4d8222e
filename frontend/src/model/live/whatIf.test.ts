import { describe, expect, it } from "vitest";
import type { WhatIfRows } from "../api";
import {
  delayWords,
  effectWords,
  heightOfShare,
  indexOf,
  laterWords,
  limitWords,
  shareAxis,
  shareWords,
  shorterWords,
  whatIfTable,
} from "./whatIf";

const SECOND = 1_000_000;

const ROWS: WhatIfRows = {
  delay: 5 * SECOND,
  received: 10_000,
  lost: 230,
  dropped_late: 220,
  stored: 220,
  fixed: 0,
  undecided: 0,
  since: null,
  may_have_ctis: false,
  measured: 10_000,
  delays: [
    { delay: 5 * SECOND, lost: 230, changed: 4 },
    { delay: 10 * SECOND, lost: 44, changed: 1 },
    { delay: 12_345_601, lost: 10, changed: 0 },
  ],
  goals: [
    { share: 99.5, delay: 10 * SECOND },
    { share: 99.9, delay: 12_345_601 },
  ],
  shorter: null,
};

function chosen(index: number) {
  const found = ROWS.delays[index];
  if (found === undefined) throw new Error("no such delay");
  return found;
}

describe("the effect of a delay", () => {
  it("names the rows, the share and the wait", () => {
    expect(effectWords(chosen(0), ROWS)).toBe(
      "With today's delay of 5 s, 97.7 % of 10,000 rows are in results. Dropped late: 220 rows.",
    );
    expect(effectWords(chosen(0), { ...ROWS, received: 0 })).toBe("No rows in this range.");
    expect(effectWords(chosen(1), ROWS)).toBe(
      "A delay of 10 s keeps 186 of the 220 rows dropped late: 99.56 % of rows are in results instead of 97.7 %. Results come 5 s later.",
    );
  });

  it("rounds a share down and a delay up, so that neither promises too much", () => {
    expect(shareWords({ lost: 1 }, { received: 1_000_000 })).toBe("99.99 %");
    expect(shareWords({ lost: 0 }, { received: 1_000_000 })).toBe("100 %");
    expect(shareWords({ lost: 0 }, { received: 0 })).toBe("no rows");
    expect(delayWords(12_345_601)).toBe("12.35 s");
    expect(delayWords(250_000)).toBe("250 ms");
    expect(laterWords(5 * SECOND, ROWS)).toBe("as now");
  });

  it("is that of the longest listed delay up to the chosen one", () => {
    expect([null, 1, 7 * SECOND, 10 * SECOND, 60 * SECOND].map((delay) => indexOf(ROWS, delay))).toEqual([
      0, 0, 0, 1, 2,
    ]);
  });
});

it("says which rows are missing, kept by no delay, or not counted", () => {
  expect(limitWords(ROWS, { newest_only: false })).toEqual([]);
  const rows = { ...ROWS, stored: 200, fixed: 2, undecided: 3, since: 0, may_have_ctis: true };
  expect(limitWords(rows, { newest_only: false })).toEqual([
    "200 of 220 rows dropped late are still kept; the others count as lost with every delay.",
    "No delay keeps 2 rows: their lanes had ended.",
    "3 rows met a CTI of an earlier delay and count as lost with every delay.",
    "Counted since 1970-01-01 00:00 UTC: earlier runs had another delay.",
    "Exact unless rows of this input are CTIs, which no delay moves.",
  ]);
  expect(limitWords(rows, { newest_only: true })[0]).toContain("were read, the newest ones");
});

it("estimates shorter delays with bounds", () => {
  expect(shorterWords(ROWS)).toBeNull();
  const shorter = [
    { delay: 2_500_000, fewest: 230, most: 400 },
    { delay: 0, fewest: 9_000, most: 9_000 },
  ];
  expect(shorterWords({ ...ROWS, shorter })).toBe(
    "Late rows with a shorter delay, estimated from the distances of 10,000 rows: 2.5 s: 230 to 400; no delay: 9,000.",
  );
});

it("has an axis from below today's share to 100 %", () => {
  const axis = shareAxis(ROWS);
  expect(axis.marks.map(({ words }) => words)).toEqual(["97 %", "98 %", "99 %", "100 %"]);
  expect(heightOfShare({ delay: 0, lost: 150, changed: 0 }, ROWS, axis)).toBeCloseTo(0.5);
  expect(shareAxis({ ...ROWS, delays: [{ delay: 0, lost: 0, changed: 0 }] }).marks.at(-1)?.words).toContain("100");
  const all = shareAxis({ ...ROWS, delays: [{ delay: 0, lost: 10_000, changed: 0 }] });
  expect(all.marks[0]).toEqual({ share: 0, words: "0 %" });
});

it("lists every delay in its table", () => {
  expect(whatIfTable(ROWS).rows).toEqual([
    ["5 s", 230, "97.7 %", 4, "as now"],
    ["10 s", 44, "99.56 %", 1, "5 s later"],
    ["12.35 s", 10, "99.9 %", 0, "7.35 s later"],
  ]);
});
