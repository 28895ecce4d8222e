import { Navigate, useNavigate } from "react-router";
import { Empty } from "../components/Notices";
import { INVITATION_PAGE, keptInvitation, Narrow, NewOrganisation } from "../features/account";
import { lastOrganisation } from "../lib/lastOrganisation";
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
            Streams, queries and runs belong to an organisation. You can invite others to it, or ask to be invited to
            one that there is.
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

/** Goes to the organisation that one was in, to an invitation that waits, or to the sign-in page. */
export function Home() {
  return <SignedIn>{(me) => <FirstPage me={me} />}</SignedIn>;
}
