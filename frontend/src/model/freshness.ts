/** How old the newest report may be before the page says so. */

import type { Observed } from "./api";
import { formatSpan, type Ticks } from "./ticks";

export const FRESH: Ticks = 20_000_000;

const WHY: Partial<Record<Observed, string>> = {
  running: "The runner answers and has committed no batch since: no row has come, or a batch takes long.",
  recovering: "The run is taken up where it was; figures go on with its first batch.",
  stopping: "The last batch is being finished.",
};

/** The sentence for a report of that age; null while it is fresh. Ages beyond a minute are told by the minute. */
export function staleWords(age: Ticks, observed: Observed): string | null {
  if (age <= FRESH) return null;
  const unit = age < 60_000_000 ? 1_000_000 : 60_000_000;
  const told = formatSpan(Math.floor(age / unit) * unit);
  const why = WHY[observed] ?? "Figures go on with the next batch.";
  return `The newest report is ${told} old. ${why}`;
}
