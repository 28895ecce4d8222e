import { Link, Outlet } from "react-router";
import { Mark } from "../components/page/Mark";
import { lastOrganisation } from "../lib/account/lastOrganisation";
import { useMe } from "../lib/account/session";
import { Frame } from "./Frame";
import { HelpMenu, ThemeButton } from "./menus";

/** The frame of the guide and the API reference; both are public and contain no user data. */
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
