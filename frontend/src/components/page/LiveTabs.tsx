import { NavLink } from "react-router";
import { useSlug } from "../../lib/account/session";

/** The tabs of a live query's pages. */
export function LiveTabs({ binding }: { binding: string }) {
  const slug = useSlug();
  const page = `/t/${slug}/live/${binding}`;
  return (
    <nav className="tabs" aria-label="Pages of this query">
      <NavLink to={page} end>
        Overview
      </NavLink>
      <NavLink to={`${page}/results`}>Results</NavLink>
      <NavLink to={`${page}/ledger`}>Ledger</NavLink>
    </nav>
  );
}
