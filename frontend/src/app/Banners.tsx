import { Link } from "react-router";
import { IsoInstant } from "../components/values/Instant";
import { RawText } from "../components/values/RawText";
import { sendForm } from "../lib/api/sendForm";
import type { Me, MyOrganisation } from "../model/api";

/** A banner shown while an installation administrator impersonates another person. */
export function ImpersonationBanner({ me }: { me: Me }) {
  if (!me.impersonator) return null;
  return (
    <aside className="banner" data-tone="unknown" aria-label="Impersonation">
      <span>
        You are viewing Punctual as <strong>{me.email}</strong>. Your actions are recorded as done by {me.impersonator}.
      </span>
      <button type="button" className="button" onClick={() => sendForm("/api/impersonation/stop/", {})}>
        Stop
      </button>
    </aside>
  );
}

/** A banner for an organisation that is scheduled for deletion: its runs are stopped and it is read-only. */
export function DeletionBanner({ organisation }: { organisation: MyOrganisation | undefined }) {
  if (!organisation?.delete_after) return null;
  return (
    <aside className="banner" data-tone="bad" aria-label="Deletion">
      <span>
        <RawText text={organisation.name} /> will be deleted after <IsoInstant iso={organisation.delete_after} />. Its
        runs are stopped, and it is read-only.{" "}
        <Link to={`/t/${organisation.slug}/admin/organisation`}>Open settings</Link>
      </span>
    </aside>
  );
}
