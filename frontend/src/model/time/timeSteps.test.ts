import { expect, test } from "vitest";
import { stepsBetween, timeStep } from "./timeSteps";

const SECOND = 1_000_000;

test("a time axis has common steps", () => {
  const steps = [4, 9, 17, 45, 130, 300, 3_000, 9_000, 80_000, 400_000].map((s) => timeStep(s * SECOND, 5) / SECOND);
  expect(steps).toEqual([1, 2, 5, 10, 30, 60, 600, 1_800, 21_600, 86_400]);
});

test("no step exceeds the axis", () => {
  for (let length = 1; length < 1e15; length = Math.ceil(length * 1.7)) {
    expect(Math.ceil(length / timeStep(length, 5))).toBeLessThanOrEqual(5);
  }
});

test("bounds between two times are common steps, not powers of two", () => {
  expect(stepsBetween(0.6 * SECOND, 33 * SECOND).map((step) => step / SECOND)).toEqual([1, 2, 5, 10, 30]);
});
