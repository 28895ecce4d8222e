/** A run's start without the unchanged state of the previous run. */

import type { ProgressReport } from "../../model/api";

type RunBeginning = NonNullable<ProgressReport["beginning"]>;

/** Return true if results are incomplete: unread rows, or earlier rows that are missing from new columns. */
export function hasIncompleteResults({ incomplete_before, lacking }: RunBeginning): boolean {
  const columns = Object.values(lacking ?? {}).some((each) => each.columns.length > 0);
  return columns || Object.keys(incomplete_before).length > 0;
}

/** Return a title about it; its sentence follows. */
export function startWords(beginning: RunBeginning): string {
  if (Object.keys(beginning.incomplete_before).length > 0) return "The first results of this run are incomplete.";
  if (beginning.how !== "carried_over") return "This run started with fresh state.";
  return hasIncompleteResults(beginning)
    ? "The first results of this run are incomplete in their new columns."
    : "This run continues with the open windows of the previous run.";
}
