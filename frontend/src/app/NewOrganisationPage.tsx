import { useNavigate } from "react-router";
import { Notice } from "../components/notices/Notices";
import { Narrow, NewOrganisation } from "../features/account";
import { SignedIn } from "./SignedIn";

/** The page that creates another organisation. */
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
              <p>Only administrators of this installation can create organisations. Ask yours to create one.</p>
            </Notice>
          )}
        </Narrow>
      )}
    </SignedIn>
  );
}
