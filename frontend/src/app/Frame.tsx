import type { ReactNode } from "react";
import { Link, useLocation } from "react-router";
import { Mark } from "../components/page/Mark";
import type { Me } from "../model/api";
import { AlertsBadge } from "./AlertsBadge";
import { DeletionBanner, ImpersonationBanner } from "./Banners";
import { AccountMenu, HelpMenu, OrganisationMenu, ThemeButton } from "./menus";
import { currentEntry, NAVIGATION } from "./pages";

interface FrameProps {
  me: Me;
  /** Null outside of organisations. */
  slug: string | null;
}

/** Links to the areas of an organisation: in the rail, on phones at the lower edge. */
function Navigation({ slug }: { slug: string }) {
  const base = `/t/${slug}`;
  const { pathname } = useLocation();
  const current = pathname.startsWith(base) ? currentEntry(pathname.slice(base.length + 1)) : null;
  return (
    <nav aria-label="Pages">
      {NAVIGATION.map(({ page, word, icon }) => (
        <Link
          key={page}
          to={page === "" ? base : `${base}/${page}`}
          aria-current={page === current ? "page" : undefined}
        >
          <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
            <path d={icon} fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
          </svg>
          {word}
          {page === "alerts" ? <AlertsBadge /> : null}
        </Link>
      ))}
    </nav>
  );
}

function Bar({ me, slug }: FrameProps) {
  return (
    <header className={slug === null ? "bar" : "bar rail"}>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Link className="brand" aria-label="Punctual" to={slug === null ? "/" : `/t/${slug}`}>
        <Mark /> <span className="brand-word">Punctual</span>
      </Link>
      <OrganisationMenu me={me} slug={slug} />
      {slug === null ? null : <Navigation slug={slug} />}
      <div className="end">
        <HelpMenu slug={slug} />
        <ThemeButton />
        <AccountMenu email={me.email} slug={slug} />
      </div>
    </header>
  );
}

/** The frame around every page for a signed-in person. */
export function Frame({ me, slug, children }: FrameProps & { children: ReactNode }) {
  return (
    <div className={slug === null ? "shell" : "shell with-rail"}>
      <Bar me={me} slug={slug} />
      <div className="banners">
        <ImpersonationBanner me={me} />
        <DeletionBanner organisation={me.organisations.find((each) => each.slug === slug)} />
      </div>
      <main id="content" className="page" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
