import { expect, test } from "vitest";
import { columnsOf } from "../model/results/replay";
import type { SimulatedRow } from "../model/simulation/types";
import { parseExactly } from "../model/text/exactJson";
import { valueText } from "../model/text/values";
import { shortTimes, timesColumn, valuesWords } from "./simulation";

const NOON = 1_767_268_800_000_000;

function row(start: number | null, end: number | null): SimulatedRow {
  return { kind: "event", start, end } as SimulatedRow;
}

function column(...rows: SimulatedRow[]) {
  const { head, width, of } = timesColumn(rows, shortTimes(rows.flatMap(({ start, end }) => [start, end])));
  return { head, width, texts: rows.map(of) };
}

test("start and end appear next to the drawing if both are short", () => {
  const short = column(row(NOON, NOON + 6_000_000), row(NOON + 3_000_000, null));
  expect(short).toEqual({ head: "start, end", width: 118, texts: [":00, :06", ":03, ∞"] });
});

test("for long times only the start appears there, with its date and all digits, in a wider column", () => {
  const day = 86_400_000_000;
  const long = column(row(NOON, NOON + day), row(NOON + 194_711, NOON + 3_000_000), row(null, null));
  expect(long.head).toBe("start");
  expect(long.texts).toEqual(["01-01 12:00:00", "01-01 12:00:00.194711", "?"]);
  expect(long.width).toBeGreaterThan(21 * 7);
});

/** Numbers as the server writes them: doubles with their shortest text. */
const FIGURES = ["348818.99", "1790009779.134", "0.1", "-40.125", "123456789.123456", "5e-324", "0.30000000000000004"];

test.each(FIGURES)("the double %s keeps every digit in tables, sentences and replays", (figure) => {
  const payload = parseExactly(`{"v": ${figure}}`) as Record<string, unknown>;
  expect(valueText(payload.v)).toBe(figure);
  expect(valuesWords(payload)).toBe(`v = ${figure}`);
  const row = { mark: "only_here", payload, today_payload: null } as unknown as Parameters<typeof columnsOf>[0];
  expect(columnsOf(row)).toEqual([{ name: "v", was: null, would: figure }]);
});
