import { counted, formatCount, formatShare } from "../../lib/numbers";
import type { FreshnessBudget, HomeBudget, HomeRow } from "../../model/api";
import { BUDGET_WORDS, budgetNotes, budgetWords, percentLeft } from "../../model/live/budgets/budget";
import { FRESHNESS_WORDS, freshnessNotes, freshnessWords } from "../../model/live/budgets/freshness";
import type { Ticks } from "../../model/time/ticks";
import "./budget.css";

interface BudgetProps {
  row: HomeRow;
  now: Ticks;
}

/**
 * The rows that may still be lost, as a bar, a number and a share, and the minutes that may still be late; all of it in
 * words for screen readers.
 */
export function BudgetCell({ row, now }: BudgetProps) {
  const { budget, freshness } = row;
  const { state, left, rows, completeness } = budget;
  const none = rows === 0 && left === 0;
  const share = none ? "" : ` (${formatShare(Math.max(0, left), rows)})`;
  const level = `${completeness} % of the rows of 30 days must be in results`;
  const lost = `${counted(row.lost_of_day, "row")} lost in 24 h`;
  const words = [`${budgetWords(budget)}${share}`, ...budgetNotes(budget, now), lost, level].join("; ");
  const spoken = [
    `${BUDGET_WORDS[state]}: ${words}`,
    ...(freshness === null ? [] : [freshnessSentence(freshness, now)]),
  ];
  return (
    <span className="budget" data-state={state} title={spoken.join(". ")}>
      <span className="budget-bar" aria-hidden="true">
        {state === "unknown" || rows === 0 ? null : <span style={{ width: `${percentLeft(budget)}%` }} />}
      </span>
      <span aria-hidden="true">
        <BudgetFigures budget={budget} />
        {freshness === null ? null : <LateFigures freshness={freshness} />}
      </span>
      <span className="visually-hidden">{spoken.join(". ")}</span>
    </span>
  );
}

function BudgetFigures({ budget: { state, left, rows } }: { budget: HomeBudget }) {
  if (state === "unknown") return "unknown";
  if (state === "used_up") return left < 0 ? `used up −${formatCount(-left)}` : "used up";
  if (rows === 0) return <span className="quiet">no rows yet</span>;
  return (
    <>
      {state === "burning" ? "↓ " : ""}
      {formatCount(left)} <small>{formatShare(left, rows)}</small>
    </>
  );
}

function freshnessSentence(freshness: FreshnessBudget, now: Ticks): string {
  return `${FRESHNESS_WORDS[freshness.state]}: ${[freshnessWords(freshness), ...freshnessNotes(freshness, now)].join("; ")}`;
}

/** The minutes in which results may still be late. */
function LateFigures({ freshness: { state, left } }: { freshness: FreshnessBudget }) {
  return (
    <span className="late" data-state={state}>
      {" · "}
      {lateWords(state, left)}
    </span>
  );
}

function lateWords(state: FreshnessBudget["state"], left: number): string {
  if (state === "unknown") return "minutes unknown";
  if (state === "used_up") return left < 0 ? `−${formatCount(-left)} min` : "0 min";
  return `${state === "burning" ? "↓ " : ""}${formatCount(left)} min`;
}
