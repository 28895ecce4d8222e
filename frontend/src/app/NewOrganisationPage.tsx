import { Navigate, useNavigate } from "react-router";
import { Notice, Waiting } from "../components/Notices";
import { Narrow, NewOrganisation } from "../features/account";
import { useMe } from "../lib/session";

/** A further organisation. */
export function NewOrganisationPage() {
  const me = useMe();
  const navigate = useNavigate();
  if (me.isPending) return <Waiting>Looking who you are…</Waiting>;
  if (!me.data) return <Navigate to="/sign-in?next=%2Forganisations%2Fnew" replace />;
  return (
    <Narrow title="Create an organisation">
      {me.data.may_create_organisations ? (
        <NewOrganisation onCancel={() => void navigate(-1)} />
      ) : (
        <Notice tone="unknown">
          <p>Organisations are made by the people who run this installation. Ask them for one.</p>
        </Notice>
      )}
    </Narrow>
  );
}
