/** The freshness budget of a query, in words. */

import type { BudgetState, FreshnessBudget } from "../../api";
import { counted, formatCount } from "../../text/counts";
import { formatSpan, type Ticks } from "../../time/ticks";
import { clockOrDate } from "./budget";

export const FRESHNESS_WORDS: Record<BudgetState, string> = {
  enough: "Freshness budget",
  burning: "Freshness budget burning",
  used_up: "Freshness budget used up",
  unknown: "Freshness budget unknown now",
};

/** Return `412 minutes left of 430`, or by how many minutes the promise is broken; the last known ones if unknown. */
export function freshnessWords({ state, left, minutes }: FreshnessBudget): string {
  if (minutes === 0 && left === 0) return "no minute may be late yet";
  if (left < 0) return `broken by ${counted(-left, "minute")}; ${counted(minutes, "minute")} may be late`;
  return `${state === "unknown" ? "last known: " : ""}${counted(left, "minute")} left of ${formatCount(minutes)}`;
}

/** Return when the budget is used up at the pace of the last hour, and what it doesn't count; may be empty. */
export function freshnessNotes({ used_up_at: at, unknown }: FreshnessBudget, now: Ticks): string[] {
  return [
    at === null ? "" : `used up at ${clockOrDate(at, now)} if results are late as in the last hour`,
    unknown === 0 ? "" : `${counted(unknown, "minute")} unknown, not counted`,
  ].filter((note) => note !== "");
}

/** Return `at most 1 min late in 99 % of the minutes`. */
export function levelWords({ within_s: within, share }: FreshnessBudget): string {
  return `at most ${formatSpan(within * 1_000_000)} late in ${share} % of the minutes`;
}
