import { Link } from "react-router";
import { useSlug } from "../../../lib/account/session";
import { BUDGET_WORDS, budgetNotes, budgetWords } from "../../../model/live/budget";
import { useBudget } from "./requests";

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
