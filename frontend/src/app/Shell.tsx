import { useEffect } from "react";
import { Outlet } from "react-router";
import { Notice } from "../components/notices/Notices";
import { Tour } from "../features/tour";
import { rememberOrganisation } from "../lib/account/lastOrganisation";
import { useSlug } from "../lib/account/session";
import type { Me } from "../model/api";
import { Frame } from "./Frame";
import { SignedIn } from "./SignedIn";

function belongsTo(me: Me, slug: string): boolean {
  return me.organisations.some((each) => each.slug === slug);
}

/** The frame of every page inside an organisation. */
export function Shell() {
  const slug = useSlug();
  useEffect(() => rememberOrganisation(slug), [slug]);
  return (
    <SignedIn>
      {(me) => (
        <>
          <Frame me={me} slug={slug}>
            {belongsTo(me, slug) ? (
              <Outlet key={slug} />
            ) : (
              <Notice tone="bad">
                <p>
                  There is no organisation “{slug}”, or you are not a member. Choose one of your organisations above.
                </p>
              </Notice>
            )}
          </Frame>
          {belongsTo(me, slug) ? <Tour key={slug} /> : null}
        </>
      )}
    </SignedIn>
  );
}
