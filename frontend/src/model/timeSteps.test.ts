import { expect, test } from "vitest";
import { stepsBetween, timeStep } from "./timeSteps";

const SECOND = 1_000_000;

test("an axis of time counts in steps that people use", () => {
  const steps = [4, 9, 17, 45, 130, 300, 3_000, 9_000, 80_000, 400_000].map((s) => timeStep(s * SECOND, 5) / SECOND);
  expect(steps).toEqual([1, 2, 5, 10, 30, 60, 600, 1_800, 21_600, 86_400]);
});

test("none is longer than the axis can hold", () => {
  for (let length = 1; length < 1e15; length = Math.ceil(length * 1.7)) {
    expect(Math.ceil(length / timeStep(length, 5))).toBeLessThanOrEqual(5);
  }
});

test("borders between two times are their steps, not powers of two", () => {
  expect(stepsBetween(0.6 * SECOND, 33 * SECOND).map((step) => step / SECOND)).toEqual([1, 2, 5, 10, 30]);
});
