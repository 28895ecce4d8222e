import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { formatClock, formatInstant, formatSpan, parseDuration, toMilliseconds } from "./ticks";

test("an instant shows only the digits that it needs", () => {
  expect(formatInstant(0)).toBe("1970-01-01 00:00:00Z");
  expect(formatInstant(250_000)).toBe("1970-01-01 00:00:00.250Z");
  expect(formatInstant(1)).toBe("1970-01-01 00:00:00.000001Z");
});

test("the last microsecond that a number can hold is exact", () => {
  expect(formatInstant(2 ** 53 - 1)).toBe("2255-06-05 23:47:34.740991Z");
  expect(formatInstant(2 ** 53)).toBe("2255-06-05 23:47:34.740992Z");
});

test("times before 1970 and the first year are exact", () => {
  expect(formatInstant(-1)).toBe("1969-12-31 23:59:59.999999Z");
  expect(formatInstant(-(2 ** 53))).toBe("1684-07-28 00:12:25.259008Z");
});

const SPELLED: [number, string][] = JSON.parse(
  readFileSync(new URL("../../../../tests/temporal/spelled_instants.json", import.meta.url), "utf8"),
);

test.each(SPELLED)("%d is formatted as on the server: %s", (ticks, text) => {
  expect(formatInstant(ticks)).toBe(text);
});

test("null is infinity", () => {
  expect(formatInstant(null)).toBe("infinity");
});

test("the clock rounds down to seconds, also before 1970", () => {
  expect(formatClock(1_999_999)).toBe("00:00:01Z");
  expect(formatClock(-1)).toBe("23:59:59Z");
  expect(toMilliseconds(-1)).toBe(-1);
});

test.each([
  [0, "0 s"],
  [1, "1 µs"],
  [1_500_000, "1.5 s"],
  [-40_000, "-40 ms"],
  [90_000_000, "1.5 min"],
  [7_200_000_000, "2 h"],
  [90_061_000_000, "1.04 d"],
])("%d ticks read as %s", (ticks, text) => {
  expect(formatSpan(ticks)).toBe(text);
});

test.each([
  ["10s", 10_000_000],
  ["-1tick", -1],
  ["5 m", 300_000_000],
  ["PT5M", 300_000_000],
  ["-PT0.5S", -500_000],
  ["P1DT1S", 86_401_000_000],
  [42, 42],
])("%s is %d ticks", (text, ticks) => {
  expect(parseDuration(text)).toBe(ticks);
});

test.each(["", "P", "PT", "1 month", "P1M", "s", 1.5])("%s is not a duration", (text) => {
  expect(parseDuration(text)).toBeNull();
});
