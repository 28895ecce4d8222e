/** The steps of a start, each with its duration so far. */

import type { StartStep } from "../../model/api";
import type { Ticks } from "../../model/time/ticks";

export const STEP_WORDS: Record<StartStep["name"], string> = {
  requested: "Waiting for a runner",
  launching: "Launching the runner",
  standby: "Assigning a standby runner",
  session: "Starting Spark",
  planning: "Planning the query",
  first_batch: "Reading the first batch",
};

export interface TimedStep {
  name: StartStep["name"];
  seconds: number;
  /** True for the step in progress; its seconds count until now. */
  current: boolean;
}

/** Return the steps so far in order, with whole seconds; never negative, even if this clock is slow. */
export function timedSteps(steps: readonly StartStep[], now: Ticks): TimedStep[] {
  return steps.map(({ name, at }, index) => {
    const next = steps[index + 1];
    return {
      name,
      seconds: Math.max(0, Math.floor(((next?.at ?? now) - at) / 1_000_000)),
      current: next === undefined,
    };
  });
}
