/** The reason for a run without results: nothing advances time on an input of a node that needs it. */

import type { NoClock, ProgressReport } from "../api";

function isStuck(input: ProgressReport["inputs"][string] | undefined): boolean {
  return input !== undefined && input.received > 0 && input.cti === null && !input.ended;
}

/** Return those of `nodes` that wait in vain: for certain, or judging by the newest report on their inputs. */
export function withoutClock(nodes: readonly NoClock[], report: ProgressReport | null): readonly NoClock[] {
  return nodes.filter((each) => each.certain || each.inputs.some((name) => isStuck(report?.inputs[name])));
}
