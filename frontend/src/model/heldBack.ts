import type { ProgressReport } from "./api";
import { formatCount } from "./counts";

/** The sentence for a run whose last batch read less than waited, because the organisation's limit let it. */
export function heldBackWords(report: Pick<ProgressReport, "held_back">): string | null {
  const limit = report.held_back ?? null;
  return limit === null
    ? null
    : `Held back by the organisation's limit of ${formatCount(limit)} events/s: more events wait than it lets through. None is lost.`;
}
