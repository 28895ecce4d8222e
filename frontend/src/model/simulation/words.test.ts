import { expect, test } from "vitest";
import type { SimulatedRow } from "./types";
import { shortTimes, timesColumn } from "./words";

const NOON = 1_767_268_800_000_000;

function row(start: number | null, end: number | null): SimulatedRow {
  return { kind: "event", start, end } as SimulatedRow;
}

function column(...rows: SimulatedRow[]) {
  const { head, width, of } = timesColumn(rows, shortTimes(rows.flatMap(({ start, end }) => [start, end])));
  return { head, width, texts: rows.map(of) };
}

test("start and end stand beside the drawing where both are short", () => {
  const short = column(row(NOON, NOON + 6_000_000), row(NOON + 3_000_000, null));
  expect(short).toEqual({ head: "start, end", width: 118, texts: [":00, :06", ":03, ∞"] });
});

test("of long times the start stands there alone, with its day and all of its digits, and has the room for it", () => {
  const day = 86_400_000_000;
  const long = column(row(NOON, NOON + day), row(NOON + 194_711, NOON + 3_000_000), row(null, null));
  expect(long.head).toBe("start");
  expect(long.texts).toEqual(["01-01 12:00:00", "01-01 12:00:00.194711", "?"]);
  expect(long.width).toBeGreaterThan(21 * 7);
});
