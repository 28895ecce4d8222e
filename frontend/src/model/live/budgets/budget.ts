/** The loss budget of a query, in words. */

import type { BudgetState, HomeBudget, HomeBudgets, HomeResponse, LossBudget } from "../../api";
import { counted, formatCount } from "../../text/counts";
import { formatClock, formatInstant, formatSpan, type Ticks } from "../../time/ticks";

const DAY = 86_400_000_000;

export const BUDGET_WORDS: Record<BudgetState, string> = {
  enough: "Loss budget",
  burning: "Loss budget burning",
  used_up: "Loss budget used up",
  unknown: "Loss budget unknown now",
};

/** Return `1,240 rows left of 16,070`, or by how many rows the promise is broken; the last known ones if unknown. */
export function budgetWords({ state, left, rows }: HomeBudget): string {
  if (rows === 0 && left === 0) return state === "unknown" ? "no row was counted" : "no row may be lost yet";
  if (left < 0) return `broken by ${counted(-left, "row")}; ${counted(rows, "row")} may be lost`;
  return `${state === "unknown" ? "last known: " : ""}${counted(left, "row")} left of ${formatCount(rows)}`;
}

/** Return the time of day of a tick within a day from `now`, else its date. */
export function clockOrDate(tick: Ticks, now: Ticks): string {
  return tick - now < DAY ? formatClock(tick).slice(0, 5) : formatInstant(tick).slice(0, 10);
}

/** Return when the budget is used up at the rate of the last 15 minutes, and what it doesn't count; may be empty. */
export function budgetNotes(budget: HomeBudget & Partial<Pick<LossBudget, "repaired">>, now: Ticks): string[] {
  const { used_up_at: at, repaired = 0, unknown_s: unknown } = budget;
  return [
    at === null ? "" : `used up at ${clockOrDate(at, now)} if rows are lost as in the last 15 minutes`,
    repaired === 0 ? "" : `${counted(repaired, "row")} refunded by repairs`,
    unknown === 0 ? "" : `${formatSpan(unknown * 1_000_000)} unknown, not counted`,
  ].filter((note) => note !== "");
}

/** Return the share of a budget with rows that is left, in percent of a bar: 0 to 100. */
export function percentLeft({ left, rows }: HomeBudget): number {
  return Math.max(0, (100 * left) / rows);
}

export interface BudgetTileWords {
  /** The number of budgets, and what happens to them. */
  count: number;
  what: string;
  under: string;
  tone: "bad" | "warn" | undefined;
}

/** Return the words of the tile: the budgets that are used up, else those that will be by midnight in UTC. */
export function budgetTileWords({ now, listed, tiles: { budgets } }: HomeResponse): BudgetTileWords {
  const { used_up: usedUp, today, unknown } = budgets;
  const broken = usedUp > 0;
  const parts = [nextWords(budgets, now), unknown === 0 ? "" : `${formatCount(unknown)} unknown`];
  return {
    count: broken ? usedUp : today,
    what: `of ${formatCount(listed)} ${broken ? "used up" : "used up by midnight"}`,
    under: parts.filter((part) => part !== "").join("; ") || "none is burning",
    tone: toneOf(budgets),
  };
}

function toneOf({ used_up: usedUp, today, burning, unknown }: HomeBudgets): BudgetTileWords["tone"] {
  if (usedUp + today > 0) return "bad";
  return burning + unknown > 0 ? "warn" : undefined;
}

/** Return `toll-by-gate at 14:47`, the budget that is used up next; empty if none is burning. */
function nextWords({ next_name: name, next_at: at, used_up: usedUp }: HomeBudgets, now: Ticks): string {
  if (name === null || at === null) return "";
  return `${usedUp > 0 ? "next " : ""}${name} ${at - now < DAY ? "at" : "on"} ${clockOrDate(at, now)}`;
}
