import { NavLink } from "react-router";
import { useSlug } from "../../../lib/account/session";

/** The tabs of a run's pages. */
export function RunTabs({ run }: { run: string }) {
  const slug = useSlug();
  return (
    <nav className="tabs" aria-label="Pages of this run">
      <NavLink to={`/t/${slug}/runs/${run}`} end>
        Overview
      </NavLink>
      <NavLink to={`/t/${slug}/runs/${run}/logs`}>Log</NavLink>
    </nav>
  );
}
