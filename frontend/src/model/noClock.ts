/** Why a run gives nothing: nothing advances time on an input before a node that waits for it. */

import type { NoClock, ProgressReport } from "./api";

function stands(input: ProgressReport["inputs"][string] | undefined): boolean {
  return input !== undefined && input.received > 0 && input.cti === null && !input.ended;
}

/** Those of `nodes` that wait in vain: for certain, or by what the newest report says of their inputs. */
export function withoutClock(nodes: readonly NoClock[], report: ProgressReport | null): readonly NoClock[] {
  return nodes.filter((each) => each.certain || each.inputs.some((name) => stands(report?.inputs[name])));
}
