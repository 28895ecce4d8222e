import { Navigate, useParams } from "react-router";
import { lastOrganisation } from "../lib/account/lastOrganisation";
import { SignedIn } from "./SignedIn";

/** Open an example of the guide in the last used organisation; without an organisation, go to the start page. */
export function ExampleLink() {
  const { name = "" } = useParams();
  return (
    <SignedIn>
      {(me) => {
        const last = lastOrganisation(me);
        const to = last === undefined ? "/" : `/t/${last.slug}/queries/new?example=${encodeURIComponent(name)}`;
        return <Navigate to={to} replace />;
      }}
    </SignedIn>
  );
}
