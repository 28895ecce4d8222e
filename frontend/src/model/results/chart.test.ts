import { expect, test } from "vitest";
import type { ChartPoint, ChartResponse } from "../api";
import {
  chartOf,
  chartParams,
  columnChoices,
  filePath,
  numberText,
  stateOf,
  usualMeasure,
  withoutDrops,
} from "./chart";

const COLUMNS = [
  ["start", "timestamp"],
  ["end", "timestamp"],
  ["op", "string"],
  ["run", "string"],
  ["gate", "string"],
  ["n", "long"],
  ["fees", "decimal(12,2)"],
  ["plates", "array<string>"],
  ["final", "boolean"],
  ["dropped", "long"],
  ["repaired", "boolean"],
  ["incomplete", "string"],
].map(([name = "", type = ""]) => ({ name, type }));
const POINT: ChartPoint = {
  at: 0,
  category: null,
  group: null,
  value: "9007199254740993",
  rows: 1,
  provisional: 0,
  undecided: 0,
  repaired: 0,
  incomplete: 0,
  dropped: 2,
};

function address(text: string): string {
  return chartParams(chartOf(new URLSearchParams(text))).toString();
}

test("an address keeps its definition, and an unknown kind or measure is the usual one", () => {
  const whole =
    "kind=line&output=out&x=start&bucket=1m&measure=sum&of=n&group=gate&from=1&to=2&run=r&where=gate%3AG7&where=n";
  expect(address(whole)).toBe(whole);
  expect(address("")).toBe("kind=bar&x=start&measure=count");
  expect(address("kind=pie&measure=median")).toBe("kind=bar&x=start&measure=count");
});

test("a single value has no position, bucket or group", () => {
  expect(address("kind=value&x=end&bucket=1m&group=gate&measure=max&of=n")).toBe("kind=value&measure=max&of=n");
});

test("the file has the rows of the chart: its output, range, filter and run", () => {
  const chart = chartOf(new URLSearchParams("x=gate&measure=sum&of=n&from=1&to=&where=gate:G7&where=n"));
  expect(filePath("b", chart, "out", "csv")).toBe(
    "bindings/b/results/file/?format=csv&output=out&from=1&where=gate%3AG7&where=n",
  );
  expect(filePath("b", { ...chart, run: "r", where: [] }, "out", "csv")).toBe(
    "runs/r/results/file/?format=csv&output=out&from=1",
  );
});

test("each part of a definition offers the columns that it may use", () => {
  const names = (columns: readonly { name: string }[]) => columns.map(({ name }) => name);
  const every = columnChoices(COLUMNS, "");
  expect(names(every.positions)).toEqual(["start", "end", "run", "gate", "n", "fees"]);
  expect(names(every.fields)).toEqual(["gate", "n", "fees"]);
  expect(names(every.numbers)).toEqual(["n", "fees"]);
  const ofRun = COLUMNS.filter(({ name }) => name !== "run");
  expect(names(columnChoices(ofRun, "r").fields)).toEqual(["gate", "n", "fees"]);
  expect(columnChoices([], "")).toEqual({ positions: [], fields: [], numbers: [] });
});

test("the first measure is the sum of the first whole number", () => {
  expect(usualMeasure(COLUMNS, "")).toEqual({ measure: "sum", of: "n" });
  expect(usualMeasure([], "")).toEqual({ measure: "count", of: "" });
});

test("a point that can change is provisional, even if it was repaired", () => {
  expect(stateOf(POINT)).toBe("final");
  expect(stateOf({ ...POINT, repaired: 1 })).toBe("repaired");
  expect(stateOf({ ...POINT, repaired: 1, undecided: 1 })).toBe("undecided");
  expect(stateOf({ ...POINT, undecided: 1, provisional: 1 })).toBe("provisional");
});

test("numbers keep all their digits", () => {
  expect(numberText("-1234567.891234")).toBe("-1,234,567.891234");
  expect(numberText("18446744073709551614")).toBe("18,446,744,073,709,551,614");
  expect(numberText("1e+300")).toBe("1e+300");
});

test("dropped rows are added only where they add up", () => {
  const dropped = { unknown: null, elsewhere: 0, unreadable: 0, adds_up: true };
  const chart = { dropped } as ChartResponse;
  expect(withoutDrops(chart, POINT)).toBe("9007199254740995");
  expect(withoutDrops(chart, { ...POINT, dropped: null })).toBeNull();
  expect(withoutDrops({ dropped: { ...dropped, adds_up: false } } as ChartResponse, POINT)).toBeNull();
});
