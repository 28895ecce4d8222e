import { Link } from "react-router";
import { useSlug } from "../../../lib/account/session";
import { counted } from "../../../lib/numbers";
import { BUDGET_WORDS, budgetNotes, budgetWords } from "../../../model/live/budgets/budget";
import { FRESHNESS_WORDS, freshnessNotes, freshnessWords, levelWords } from "../../../model/live/budgets/freshness";
import { useBudget, useFreshness } from "./requests";

/** The rows of the last 30 days that may still be lost, and the time at which none is left. */
export function BudgetLine({ binding }: { binding: string }) {
  const slug = useSlug();
  const { data: budget } = useBudget(binding);
  if (budget === undefined) return null;
  return (
    <p className="budget-line" data-state={budget.state}>
      <strong>{BUDGET_WORDS[budget.state]}:</strong>{" "}
      {[budgetWords(budget), ...budgetNotes(budget, budget.now)].join("; ")}{" "}
      <span className="quiet">
        ({budget.completeness} % in {budget.days} days,{" "}
        <Link to={`/t/${slug}/live/${binding}/ledger?days=30`}>counted in the ledger</Link>;{" "}
        <Link to={`/t/${slug}/bindings/${binding}`}>change the level</Link>)
      </span>
    </p>
  );
}

/** The minutes of the last 30 days in which results may still be late; nothing without a freshness level. */
function FreshnessLine({ binding }: { binding: string }) {
  const slug = useSlug();
  const { data } = useFreshness(binding);
  if (data === undefined || data.budget === null) return null;
  const { budget, now, days } = data;
  return (
    <p className="budget-line" data-state={budget.state}>
      <strong>{FRESHNESS_WORDS[budget.state]}:</strong>{" "}
      {[freshnessWords(budget), ...freshnessNotes(budget, now)].join("; ")}{" "}
      <span className="quiet">
        ({levelWords(budget)} in {counted(days, "day")};{" "}
        <Link to={`/t/${slug}/bindings/${binding}`}>change the level</Link>)
      </span>
    </p>
  );
}

/** All budgets of a binding. */
export function BudgetLines({ binding }: { binding: string }) {
  return (
    <>
      <BudgetLine binding={binding} />
      <FreshnessLine binding={binding} />
    </>
  );
}
