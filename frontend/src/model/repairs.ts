/** Repairs of results in words. */

import type { RepairShown, ResultShown } from "./api";
import { formatCount } from "./counts";
import { formatInstant, ticksOf } from "./ticks";

/** How often repairs are looked at while the rows of one are being given. */
export const LOOKS_MS = 2_000;

/** What a repair has changed in the results: `12 changed, 1 new`. */
export function changedWords({ marks }: Pick<RepairShown, "marks">): string {
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

/** What a repair did with a row of the result; empty where none did anything. */
export function repairedWords({ deleted, repaired }: Pick<ResultShown, "deleted" | "repaired">): string {
  if (!repaired) return "";
  if (repaired.taken_back) return "taken back by a repair";
  return deleted ? "takes a row back" : "corrected by a repair";
}

/** Who had it repaired, and when. */
export function whoRepaired({ repaired }: Pick<ResultShown, "repaired">): string | undefined {
  if (!repaired) return undefined;
  const at = formatInstant(Math.floor(ticksOf(repaired.given_at) / 1_000_000) * 1_000_000);
  return `${repaired.by}, ${at}`;
}
