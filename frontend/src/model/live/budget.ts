/** The loss budget of a query, in words. */

import type { LossBudget } from "../api";
import { counted, formatCount } from "../text/counts";
import { formatClock, formatInstant, formatSpan } from "../time/ticks";

const DAY = 86_400_000_000;

/** Return `1,240 rows left of 16,070`, or by how many rows the promise is broken. */
export function budgetWords({ left, rows, received, unknown_s: unknown }: LossBudget): string {
  if (received === 0) return unknown === 0 ? "No row was received" : "No row was counted";
  if (left < 0) return `Broken by ${counted(-left, "row")}; ${counted(rows, "row")} may be lost`;
  return `${counted(left, "row")} left of ${formatCount(rows)}`;
}

/** Return when the budget is used up at the rate of the last 15 minutes, and what it doesn't count; may be empty. */
export function budgetNotes({ used_up_at: at, now, repaired, unknown_s: unknown }: LossBudget): string[] {
  const clock = (tick: number) => (tick - now < DAY ? formatClock(tick).slice(0, 5) : formatInstant(tick).slice(0, 10));
  return [
    at === null ? "" : `used up at ${clock(at)} if rows are lost as in the last 15 minutes`,
    repaired === 0 ? "" : `${counted(repaired, "row")} refunded by repairs`,
    unknown === 0 ? "" : `${formatSpan(unknown * 1_000_000)} unknown, not counted`,
  ].filter((note) => note !== "");
}
