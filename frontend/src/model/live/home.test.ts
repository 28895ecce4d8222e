import { expect, test } from "vitest";
import type { HomeRow, HomeTiles } from "../api";
import { grouped, healthOf, inColumns, inHeldOrder, notInTime, sharesOf } from "./home";
import { sparkOf } from "./sparkline";

function row(binding: string, condition: HomeRow["condition"] = "healthy"): HomeRow {
  return { binding, condition } as HomeRow;
}

test("shares add up to exactly 100 %", () => {
  const shares = sharesOf({ on_time: 1, reordered: 1, adjusted: 1 });
  expect(shares.map(({ tenths }) => tenths)).toEqual([334, 333, 333]);
  expect(sharesOf({ on_time: 99_999, malformed: 1 }).map(({ tenths }) => tenths)).toEqual([1000, 0]);
  expect(sharesOf({})).toEqual([]);
});

test("the bar of rows not in time is full at 5 %, and never wider", () => {
  expect(notInTime({ on_time: 975, adjusted: 20, dropped_late: 5 })).toEqual({
    late: 25,
    whole: 1000,
    parts: [
      { outcome: "adjusted", percent: 40 },
      { outcome: "dropped_late", percent: 10 },
    ],
  });
  expect(notInTime({ on_time: 50, dropped_late: 50 }).parts).toEqual([{ outcome: "dropped_late", percent: 100 }]);
  expect(notInTime({})).toEqual({ parts: [], late: 0, whole: 0 });
});

test("rows keep their order while it is held, and new ones come last", () => {
  const rows = [row("c"), row("new"), row("a")];
  expect(inHeldOrder(rows, ["a", "b", "c"]).map(({ binding }) => binding)).toEqual(["a", "c", "new"]);
  expect(inHeldOrder(rows, null)).toBe(rows);
});

test("all but healthy rows need attention", () => {
  const { attention, healthy } = grouped([row("a", "unknown"), row("b"), row("c", "starting")]);
  expect([attention.length, healthy.length]).toEqual([2, 1]);
});

test("unknown and starting queries are not healthy", () => {
  const tiles = { conditions: { healthy: 30, unknown: 2, undecided: 1, starting: 3, rows_lost: 4 } } as unknown;
  expect(healthOf(tiles as HomeTiles)).toEqual({ healthy: 30, unknown: 3, starting: 3, attention: 4 });
});

test("columns are read from top to bottom", () => {
  expect(inColumns([1, 2, 3, 4, 5], 2)).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
  expect(inColumns([1], 3)).toEqual([[1]]);
});

test("a line is interrupted where nothing is known", () => {
  const { path, end } = sparkOf([0, 10, null, 5], { width: 64, height: 14 });
  expect(path).toBe("M2 12L22 2M62 7h.1");
  expect(end).toEqual({ x: 62, y: 7 });
  expect(sparkOf([3, null], { width: 64, height: 14 }).end).toBeNull();
});
