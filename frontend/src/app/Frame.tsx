import type { ReactNode } from "react";
import { Link, NavLink } from "react-router";
import { Mark } from "../components/Mark";
import { useMedia } from "../lib/media";
import type { Me } from "../model/api";
import { DeletionBanner, ImpersonationBanner } from "./Banners";
import { AccountMenu, HelpMenu, OrganisationMenu, PagesMenu, ThemeButton } from "./menus";
import { NAVIGATION } from "./pages";

interface FrameProps {
  me: Me;
  /** Null outside of organisations. */
  slug: string | null;
}

function Bar({ me, slug }: FrameProps) {
  const narrow = useMedia("(max-width: 560px)");
  return (
    <header className="bar">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Link className="brand" aria-label="Punctual" to={slug === null ? "/" : `/t/${slug}`}>
        <Mark /> <span className="brand-word">Punctual</span>
      </Link>
      <OrganisationMenu me={me} slug={slug} />
      {slug === null ? null : (
        <nav aria-label="Pages">
          {narrow ? (
            <PagesMenu slug={slug} />
          ) : (
            NAVIGATION.map(([page, words]) => (
              <NavLink key={page} to={`/t/${slug}/${page}`}>
                {words}
              </NavLink>
            ))
          )}
        </nav>
      )}
      <div className="end">
        <HelpMenu slug={slug} />
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
