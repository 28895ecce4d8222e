import { useNavigate } from "react-router";
import { Notice } from "../components/Notices";
import { Narrow, NewOrganisation } from "../features/account";
import { SignedIn } from "./SignedIn";

/** A further organisation. */
export function NewOrganisationPage() {
  const navigate = useNavigate();
  return (
    <SignedIn>
      {(me) => (
        <Narrow title="Create an organisation">
          {me.may_create_organisations ? (
            <NewOrganisation onCancel={() => void navigate(-1)} />
          ) : (
            <Notice tone="unknown">
              <p>Organisations are made by the people who run this installation. Ask them for one.</p>
            </Notice>
          )}
        </Narrow>
      )}
    </SignedIn>
  );
}
