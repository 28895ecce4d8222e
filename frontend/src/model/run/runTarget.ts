/** The effect of the button that runs the query on the screen. */

import type { BindingResponse, RunResponse } from "../api";

export type RunTarget =
  /** No binding yet: create one and start it. */
  | { kind: "create" }
  /** Start a binding that does not run. */
  | { kind: "start"; binding: BindingResponse }
  /** Let another version take over from an active run. */
  | { kind: "change"; binding: BindingResponse; run: RunResponse }
  /** The query on the screen runs already. */
  | { kind: "runs"; run: RunResponse };

/** Return the active run of a binding; null without one. */
function activeRun({ latest_run: run }: BindingResponse): RunResponse | null {
  return run?.ended_at === null ? run : null;
}

/** Return what running version `version`, or the changes to it, does to one binding. */
function targetOf(binding: BindingResponse, version: number, isChanged: boolean): RunTarget {
  const run = activeRun(binding);
  if (run === null) return { kind: "start", binding };
  return run.query_version === version && !isChanged ? { kind: "runs", run } : { kind: "change", binding, run };
}

/** Return what running version `version` does to each binding of its query; `isChanged`: its text has unsaved changes. */
export function runTargets(bindings: readonly BindingResponse[], version: number, isChanged: boolean): RunTarget[] {
  if (bindings.length === 0) return [{ kind: "create" }];
  return bindings.map((binding) => targetOf(binding, version, isChanged));
}

/** Return the numbers of the versions that run, newest first. */
export function runningNumbers(bindings: readonly BindingResponse[]): number[] {
  const numbers = bindings.flatMap((binding) => activeRun(binding)?.query_version ?? []);
  return [...new Set(numbers)].toSorted((one, other) => other - one);
}
