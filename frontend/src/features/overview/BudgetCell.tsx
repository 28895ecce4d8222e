import { counted, formatCount, formatShare } from "../../lib/numbers";
import type { HomeBudget, HomeRow } from "../../model/api";
import { BUDGET_WORDS, budgetNotes, budgetWords, percentLeft } from "../../model/live/budget";
import type { Ticks } from "../../model/time/ticks";
import "./budget.css";

interface BudgetProps {
  row: HomeRow;
  now: Ticks;
}

/** The rows that may still be lost, as a bar, a number and a share; all of it in words for screen readers. */
export function BudgetCell({ row, now }: BudgetProps) {
  const { budget } = row;
  const { state, left, rows, completeness } = budget;
  const none = rows === 0 && left === 0;
  const share = none ? "" : ` (${formatShare(Math.max(0, left), rows)})`;
  const level = `${completeness} % of the rows of 30 days must be in results`;
  const lost = `${counted(row.lost_of_day, "row")} lost in 24 h`;
  const words = [`${budgetWords(budget)}${share}`, ...budgetNotes(budget, now), lost, level].join("; ");
  return (
    <span className="budget" data-state={state} title={`${BUDGET_WORDS[state]}: ${words}`}>
      <span className="budget-bar" aria-hidden="true">
        {state === "unknown" || rows === 0 ? null : <span style={{ width: `${percentLeft(budget)}%` }} />}
      </span>
      <span aria-hidden="true">
        <BudgetFigures budget={budget} />
      </span>
      <span className="visually-hidden">
        {BUDGET_WORDS[state]}: {words}
      </span>
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
