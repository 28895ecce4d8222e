/** What a start goes through, each step with how long it took or takes. */

import type { StartStep } from "./api";
import type { Ticks } from "./ticks";

export const STEP_WORDS: Record<StartStep["name"], string> = {
  requested: "Waiting to be taken up",
  launching: "Launching the runner",
  standby: "Taking a runner that stood by",
  session: "Starting Spark in it",
  planning: "Planning the query",
  first_batch: "Reading the first batch",
};

export interface TimedStep {
  name: StartStep["name"];
  seconds: number;
  /** It goes on; its seconds are those until now. */
  current: boolean;
}

/** The steps so far in order, with whole seconds; none is negative, also where this clock is behind the server's. */
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
