import { Navigate, useParams } from "react-router";
import { lastOrganisation } from "../lib/lastOrganisation";
import { SignedIn } from "./SignedIn";

/** Opens an example of the guide in the organisation that one was in last; who is in none begins there. */
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
