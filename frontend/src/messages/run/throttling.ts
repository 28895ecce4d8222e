import type { ProgressReport } from "../../model/api";
import { formatCount } from "../../model/text/counts";

/** Return a note for a run whose last batch read fewer rows than were waiting, because of the organisation's limit. */
export function throttledWords(report: Pick<ProgressReport, "held_back">): string | null {
  const limit = report.held_back ?? null;
  return limit === null
    ? null
    : `Throttled by the organisation's limit of ${formatCount(limit)} events/s. More events are waiting; none are lost.`;
}
