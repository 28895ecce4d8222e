import { expect, test } from "vitest";
import { brushed, contextOf, rangeOf, rangeParams, shifted, steppedFrom, zoomed } from "./ranges";

const MINUTE = 60_000_000;
const HOUR = 60 * MINUTE;
const NOW = 1_000 * HOUR;

test("an address has a range until now or two borders; an invalid one is the default", () => {
  expect(rangeOf(new URLSearchParams("seconds=86400"))).toEqual({ seconds: 86_400 });
  expect(rangeOf(new URLSearchParams("begin=5&end=9"))).toEqual({ begin: 5, end: 9 });
  for (const text of ["", "seconds=5", "begin=9&end=5", "begin=5", "begin=-5&end=9", `begin=0&end=${91 * 24 * HOUR}`])
    expect(rangeOf(new URLSearchParams(text))).toBeNull();
  expect(rangeParams({ begin: 5, end: 9 })).toEqual({ begin: "5", end: "9" });
});

test("a brush selects whole minutes in either direction, and at least one", () => {
  expect(brushed(NOW - HOUR, NOW - 2 * HOUR - 1, NOW)).toEqual({ begin: NOW - 2 * HOUR, end: NOW - HOUR });
  expect(brushed(NOW - HOUR, NOW - HOUR, NOW)).toEqual({ begin: NOW - HOUR, end: NOW - HOUR + MINUTE });
});

test("a range moves by half of its length, and not into the future", () => {
  expect(shifted({ seconds: 7_200 }, -1, NOW)).toEqual({ begin: NOW - 3 * HOUR, end: NOW - HOUR });
  expect(shifted({ seconds: 7_200 }, 1, NOW)).toEqual({ seconds: 7_200 });
  expect(shifted({ begin: NOW - 3 * HOUR, end: NOW - HOUR }, 1, NOW)).toEqual({ begin: NOW - 2 * HOUR, end: NOW });
  expect(shifted({ begin: NOW - 2 * HOUR, end: NOW }, 1, NOW)).toEqual({ begin: NOW - 2 * HOUR, end: NOW });
});

test("zooming keeps the middle of fixed borders and the end of a range until now", () => {
  const fixed = { begin: NOW - 6 * HOUR, end: NOW - 2 * HOUR };
  expect(zoomed(fixed, 0.5, NOW)).toEqual({ begin: NOW - 5 * HOUR, end: NOW - 3 * HOUR });
  expect(zoomed(fixed, 2, NOW)).toEqual({ begin: NOW - 8 * HOUR, end: NOW });
  expect(zoomed({ seconds: 7_200 }, 2, NOW)).toEqual({ seconds: 86_400 });
  expect(zoomed({ seconds: 900 }, 0.5, NOW)).toEqual({ seconds: 900 });
});

test("the brush shows a day, or more if the range is longer or older", () => {
  expect(contextOf({ seconds: 7_200 }, NOW)).toBe(86_400);
  expect(contextOf({ seconds: 86_400 }, NOW)).toBe(604_800);
  expect(contextOf({ begin: NOW - 50 * HOUR, end: NOW - 49 * HOUR }, NOW)).toBe(604_800);
  expect(contextOf({ begin: 0, end: HOUR }, 10_000 * HOUR)).toBe(7_776_000);
});

test("a step from a time stays inside the range", () => {
  const range = { begin: 0, end: 100, step: 10 };
  expect([steppedFrom(null, -1, range), steppedFrom(42, 1, range)]).toEqual([85, 52]);
  expect([steppedFrom(3, -1, range), steppedFrom(97, 1, range)]).toEqual([0, 99]);
});
