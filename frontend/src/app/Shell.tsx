import { Link, Navigate, NavLink, Outlet, useLocation } from "react-router";
import { ErrorNote, Notice, Waiting } from "../components/Notices";
import { useMe, useSlug } from "../lib/session";
import type { Me } from "../model/api";
import { AccountMenu, OrganisationMenu, ThemeButton } from "./menus";

export function Mark() {
  return <img src="/mark.svg" width="22" height="22" alt="" />;
}

function Bar({ me, slug }: { me: Me; slug: string }) {
  return (
    <header className="bar">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Link className="brand" to={`/t/${slug}/runs`}>
        <Mark /> Punctual
      </Link>
      <OrganisationMenu organisations={me.organisations} slug={slug} />
      <nav aria-label="Pages">
        <NavLink to={`/t/${slug}/streams`}>Streams</NavLink>
        <NavLink to={`/t/${slug}/queries`}>Queries</NavLink>
        <NavLink to={`/t/${slug}/runs`}>Runs</NavLink>
      </nav>
      <div className="end">
        <ThemeButton />
        <AccountMenu email={me.email} slug={slug} />
      </div>
    </header>
  );
}

/** The frame of every page inside an organisation. */
export function Shell() {
  const me = useMe();
  const slug = useSlug();
  const { pathname } = useLocation();
  if (me.isPending) return <Waiting>Looking who you are…</Waiting>;
  if (me.isError) {
    return (
      <main className="page">
        <ErrorNote error={me.error} onRetry={() => void me.refetch()} />
      </main>
    );
  }
  if (me.data === null) return <Navigate to={`/sign-in?next=${encodeURIComponent(pathname)}`} replace />;
  const mine = me.data.organisations.some((each) => each.slug === slug);
  return (
    <div className="shell">
      <Bar me={me.data} slug={slug} />
      <main id="content" className="page" tabIndex={-1}>
        {mine ? (
          <Outlet key={slug} />
        ) : (
          <Notice tone="bad">
            <p>There is no organisation “{slug}”, or you do not belong to it. Choose one of yours above.</p>
          </Notice>
        )}
      </main>
    </div>
  );
}
