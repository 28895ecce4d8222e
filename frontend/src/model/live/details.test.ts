import { expect, test } from "vitest";
import type { DetailsInput, DetailsResponse } from "../api";
import {
  behindTable,
  drawnLanes,
  heatmapOf,
  heightOf,
  lagPartsTable,
  lagStacks,
  laneName,
  lanesTable,
  stepAt,
} from "./details";

const SECOND = 1_000_000;
const STEPS = { begin: 0, step: 60 * SECOND };
const NO_LINE = [null, null];
const CARS: DetailsInput = {
  name: "cars",
  behind: [{ 2: 30, 5: 9 }, {}],
  unmeasured: 0,
  median: [1_024, null],
  most: [30_000, null],
  delay: [5 * SECOND, null],
  lanes: [
    { lane: "7", lanes: 1, rows: 30, late: 4, dropped: 3, behind: [22 * SECOND, null], lost: [3, 0] },
    { lane: null, lanes: 2, rows: 9, late: 0, dropped: 1, behind: NO_LINE, lost: [1, 0] },
  ],
};
const SHOWN: DetailsResponse = {
  ...STEPS,
  end: 120 * SECOND,
  lags: {
    largest: [22 * SECOND, 6 * SECOND],
    input: [0, null],
    source: [2 * SECOND, null],
    delay: [5 * SECOND, null],
    lane: [14 * SECOND, null],
    work: [SECOND, null],
  },
  inputs: [CARS],
};

test("a heatmap has a row for each doubling from 8 ms on, and shorter distances are in the lowest", () => {
  // 1,024 µs doubled four times is 16.4 ms, the upper border of the lowest row
  expect(heatmapOf(CARS, STEPS)).toEqual({
    lowest: 4,
    highest: 16,
    cells: [
      { at: 0, row: 4, count: 30, shade: 6 },
      { at: 0, row: 5, count: 9, shade: 5 },
    ],
  });
  expect(heatmapOf({ behind: [{ 18: 1 }], delay: [null] }, STEPS).highest).toBe(18);
  expect(heatmapOf({ behind: [{}], delay: [3_600 * SECOND] }, STEPS).highest).toBe(22);
});

test("a distance is drawn between the borders of its row", () => {
  const rows = { lowest: 4, highest: 5 };
  expect([8_192, 16_384, 32_768, 1].map((distance) => heightOf(rows, distance))).toEqual([0, 0.5, 1, 0]);
});

test("the parts of a lag are stacked up to it, and a lag without parts stays whole", () => {
  expect(lagStacks(SHOWN)).toEqual([
    { at: 0, reached: [5, 7, 21, 22].map((each) => each * SECOND), largest: 22 * SECOND },
    { at: 60 * SECOND, reached: null, largest: 6 * SECOND },
  ]);
});

test("a time is in the step that begins at or before it", () => {
  expect([-1, 0, 59, 60, 119, 120].map((at) => stepAt(STEPS, 2, at * SECOND))).toEqual([null, 0, 0, 1, 1, null]);
});

test("the others are named by their number, and have no line", () => {
  expect((CARS.lanes ?? []).map(laneName)).toEqual(["7", "2 other lanes"]);
  expect(drawnLanes(CARS).map(laneName)).toEqual(["7"]);
  expect(drawnLanes({ lanes: null })).toEqual([]);
});

test("tables have the figures of the charts, newest first", () => {
  expect(behindTable(CARS, STEPS)).toEqual({
    head: ["From (UTC)", "Median", "99 %", "Delay D", "below 4.1 ms", "below 32.8 ms"],
    rows: [["1970-01-01 00:00:00Z", "1.02 ms", "30 ms", "5 s", 30, 9]],
  });
  expect(lagPartsTable(SHOWN).rows).toEqual([
    ["1970-01-01 00:01:00Z", "6 s", null, null, null, null, null, 6 * SECOND],
    ["1970-01-01 00:00:00Z", "22 s", "5 s", "2 s", "14 s", "1 s", "cars", 22 * SECOND],
  ]);
  expect(lanesTable(CARS, STEPS)).toEqual({
    head: ["From (UTC)", "Lane 7", "Rows dropped"],
    rows: [["1970-01-01 00:00:00Z", "22 s", 4]],
  });
});
