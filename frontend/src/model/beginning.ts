/** How a run began that has not the state of the one before as it was. */

import type { ProgressReport } from "./api";

type RunBeginning = NonNullable<ProgressReport["beginning"]>;

/** Whether results lack something: rows that are not read, or in new columns what came before these. */
export function lacksSome({ incomplete_before, lacking }: RunBeginning): boolean {
  const columns = Object.values(lacking ?? {}).some((each) => each.columns.length > 0);
  return columns || Object.keys(incomplete_before).length > 0;
}

/** The first words about it; its sentence follows. */
export function beganWords(beginning: RunBeginning): string {
  if (Object.keys(beginning.incomplete_before).length > 0) return "The first results of this run are incomplete.";
  if (beginning.how !== "carried_over") return "This run began with fresh state.";
  return lacksSome(beginning)
    ? "The first results of this run are incomplete in its new columns."
    : "This run goes on with what was open.";
}
