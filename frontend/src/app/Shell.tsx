import { useEffect } from "react";
import { Outlet } from "react-router";
import { Notice } from "../components/Notices";
import { rememberOrganisation } from "../lib/lastOrganisation";
import { useSlug } from "../lib/session";
import { Frame } from "./Frame";
import { SignedIn } from "./SignedIn";

/** The frame of every page inside an organisation. */
export function Shell() {
  const slug = useSlug();
  useEffect(() => rememberOrganisation(slug), [slug]);
  return (
    <SignedIn>
      {(me) => (
        <Frame me={me} slug={slug}>
          {me.organisations.some((each) => each.slug === slug) ? (
            <Outlet key={slug} />
          ) : (
            <Notice tone="bad">
              <p>There is no organisation “{slug}”, or you do not belong to it. Choose one of yours above.</p>
            </Notice>
          )}
        </Frame>
      )}
    </SignedIn>
  );
}
