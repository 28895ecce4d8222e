import type { ReactNode } from "react";
import { Link, NavLink } from "react-router";
import { Mark } from "../components/Mark";
import type { Me } from "../model/api";
import { DeletionBanner, ImpersonationBanner } from "./Banners";
import { AccountMenu, HelpMenu, OrganisationMenu, ThemeButton } from "./menus";

interface FrameProps {
  me: Me;
  /** Null outside of organisations. */
  slug: string | null;
}

function Bar({ me, slug }: FrameProps) {
  return (
    <header className="bar">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Link className="brand" to={slug === null ? "/" : `/t/${slug}`}>
        <Mark /> Punctual
      </Link>
      <OrganisationMenu me={me} slug={slug} />
      {slug === null ? null : (
        <nav aria-label="Pages">
          <NavLink to={`/t/${slug}/streams`}>Streams</NavLink>
          <NavLink to={`/t/${slug}/queries`}>Queries</NavLink>
          <NavLink to={`/t/${slug}/runs`}>Runs</NavLink>
          <NavLink to={`/t/${slug}/admin`}>Organisation</NavLink>
        </nav>
      )}
      <div className="end">
        <HelpMenu />
        <ThemeButton />
        <AccountMenu email={me.email} slug={slug} />
      </div>
    </header>
  );
}

/** What stands around every page of somebody who is signed in. */
export function Frame({ me, slug, children }: FrameProps & { children: ReactNode }) {
  return (
    <div className="shell">
      <div className="top">
        <ImpersonationBanner me={me} />
        <Bar me={me} slug={slug} />
        <DeletionBanner organisation={me.organisations.find((each) => each.slug === slug)} />
      </div>
      <main id="content" className="page" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
