import { expect, test } from "vitest";
import type { NoClock, ProgressReport } from "../api";
import { withoutClock } from "./noClock";

const NODE: NoClock = { node: "w", inputs: ["cars"], certain: false, message: "", remedy: "" };

function report(cti: number | null, received = 1): ProgressReport {
  const cars = { received, outcomes: {}, reasons: {}, lateness: [], cti, ended: false, largest_start: 1 };
  return { inputs: { cars } } as unknown as ProgressReport;
}

test("an input whose adapter may send CTIs has no clock if rows arrive without a CTI", () => {
  expect(withoutClock([NODE], null)).toEqual([]);
  expect(withoutClock([NODE], report(null, 0))).toEqual([]);
  expect(withoutClock([NODE], report(7))).toEqual([]);
  expect(withoutClock([NODE], report(null))).toEqual([NODE]);
});

test("an impossible clock is reported before the first row", () => {
  expect(withoutClock([{ ...NODE, certain: true }], null)).toHaveLength(1);
});
