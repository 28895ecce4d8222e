import { expect, test } from "vitest";
import { timedSteps } from "./starting";

const SECOND = 1_000_000;

test("a step lasts until the next one starts, the last one until now", () => {
  const steps = [
    { name: "requested", at: 10 * SECOND },
    { name: "launching", at: 11.5 * SECOND },
    { name: "session", at: 14 * SECOND },
  ] as const;
  expect(timedSteps(steps, 20 * SECOND)).toEqual([
    { name: "requested", seconds: 1, current: false },
    { name: "launching", seconds: 2, current: false },
    { name: "session", seconds: 6, current: true },
  ]);
  expect(timedSteps(steps, 0).at(-1)?.seconds).toBe(0);
});
