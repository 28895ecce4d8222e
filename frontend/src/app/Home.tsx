import { Navigate, useNavigate } from "react-router";
import { Empty } from "../components/notices/Notices";
import { INVITATION_PAGE, keptInvitation, Narrow, NewOrganisation } from "../features/account";
import { lastOrganisation } from "../lib/account/lastOrganisation";
import type { Me } from "../model/api";
import { useSignOut } from "./menus";
import { SignedIn } from "./SignedIn";

function NoOrganisation({ me }: { me: Me }) {
  const leave = useSignOut();
  const navigate = useNavigate();
  return (
    <Narrow
      title={me.may_create_organisations ? "Create an organisation" : "No organisation yet"}
      under={
        <p className="row">
          <button type="button" className="link" onClick={() => void navigate("/account")}>
            Your account
          </button>
          <button type="button" className="link" onClick={() => void leave()}>
            Sign out
          </button>
        </p>
      }
    >
      {me.may_create_organisations ? (
        <>
          <p>
            Streams, queries and runs belong to an organisation. Create one and invite others, or ask to be invited to
            an existing one.
          </p>
          <NewOrganisation />
        </>
      ) : (
        <Empty title={`${me.email} belongs to no organisation.`}>
          <p>Ask an administrator of your organisation to invite this address, then open the link of the invitation.</p>
        </Empty>
      )}
    </Narrow>
  );
}

function FirstPage({ me }: { me: Me }) {
  if (keptInvitation() !== null) return <Navigate to={INVITATION_PAGE} replace />;
  const last = lastOrganisation(me);
  return last === undefined ? <NoOrganisation me={me} /> : <Navigate to={`/t/${last.slug}`} replace />;
}

/** Go to the last used organisation, to a pending invitation or to the sign-in page. */
export function Home() {
  return <SignedIn>{(me) => <FirstPage me={me} />}</SignedIn>;
}
