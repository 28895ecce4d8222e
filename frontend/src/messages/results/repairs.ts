/** Repairs of results in words. */

import type { RepairResponse, ResultResponse } from "../../model/api";
import { formatCount } from "../../model/text/counts";
import { formatInstant, ticksOf } from "../../model/time/ticks";

/** Return the changes that a repair made to the results: `12 changed, 1 new`. */
export function changedWords({ marks }: Pick<RepairResponse, "marks">): string {
  const words = [
    ["changed", marks.changed ?? 0],
    ["new", marks.only_here ?? 0],
    ["gone", marks.missing ?? 0],
  ] as const;
  return words
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${formatCount(count)} ${name}`)
    .join(", ");
}

/** Return the effect of a repair on a result row; empty without one. */
export function repairedWords({ deleted, repaired }: Pick<ResultResponse, "deleted" | "repaired">): string {
  if (!repaired) return "";
  if (repaired.taken_back) return "retracted by a repair";
  return deleted ? "retracts a row" : "corrected by a repair";
}

/** Return who repaired it, and when. */
export function whoRepaired({ repaired }: Pick<ResultResponse, "repaired">): string | undefined {
  if (!repaired) return undefined;
  const at = formatInstant(Math.floor(ticksOf(repaired.given_at) / 1_000_000) * 1_000_000);
  return `${repaired.by}, ${at}`;
}
