import { Link, Outlet } from "react-router";
import { Mark } from "../components/Mark";
import { lastOrganisation } from "../lib/lastOrganisation";
import { useMe } from "../lib/session";
import { Frame } from "./Frame";
import { HelpMenu, ThemeButton } from "./menus";

/** The frame of guide and API reference, which are for visitors too: nothing in them is anybody's. */
export function DocsShell() {
  const me = useMe();
  if (me.isPending) return null;
  if (me.data) {
    return (
      <Frame me={me.data} slug={lastOrganisation(me.data)?.slug ?? null}>
        <Outlet />
      </Frame>
    );
  }
  return (
    <div className="shell">
      <header className="bar">
        <Link className="brand" to="/">
          <Mark /> Punctual
        </Link>
        <div className="end">
          <HelpMenu slug={null} />
          <ThemeButton />
          <Link className="button" to="/sign-in">
            Sign in
          </Link>
        </div>
      </header>
      <main id="content" className="page" tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}
