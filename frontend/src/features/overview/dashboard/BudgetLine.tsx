import { Link } from "react-router";
import { useSlug } from "../../../lib/account/session";
import { budgetNotes, budgetWords } from "../../../model/live/budget";
import { useBudget } from "./requests";

/** The rows of the last 30 days that may still be lost, and the time at which none is left. */
export function BudgetLine({ binding }: { binding: string }) {
  const slug = useSlug();
  const { data: budget } = useBudget(binding);
  if (budget === undefined) return null;
  return (
    <p className="budget-line" data-broken={budget.left < 0 || undefined}>
      <strong>Loss budget:</strong> {[budgetWords(budget), ...budgetNotes(budget)].join("; ")}{" "}
      <span className="quiet">
        ({budget.completeness} % in {budget.days} days,{" "}
        <Link to={`/t/${slug}/live/${binding}/ledger?days=30`}>counted in the ledger</Link>)
      </span>
    </p>
  );
}
