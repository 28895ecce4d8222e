import { Link } from "react-router";
import { IsoInstant } from "../components/Instant";
import { RawText } from "../components/RawText";
import { sendForm } from "../lib/sendForm";
import type { Me, MyOrganisation } from "../model/api";

/** Somebody of the installation looks through the eyes of another person. */
export function ImpersonationBanner({ me }: { me: Me }) {
  if (!me.impersonator) return null;
  return (
    <aside className="banner" data-tone="unknown" aria-label="Impersonation">
      <span>
        You see Punctual as <strong>{me.email}</strong>. Everything you do is recorded as done by {me.impersonator}.
      </span>
      <button type="button" className="button" onClick={() => sendForm("/api/impersonation/stop/", {})}>
        Stop
      </button>
    </aside>
  );
}

/** The organisation is to be deleted: everything in it stands still. */
export function DeletionBanner({ organisation }: { organisation: MyOrganisation | undefined }) {
  if (!organisation?.delete_after) return null;
  return (
    <aside className="banner" data-tone="bad" aria-label="Deletion">
      <span>
        <RawText text={organisation.name} /> is to be deleted after <IsoInstant iso={organisation.delete_after} />. Its
        runs are stopped, and it can only be read.{" "}
        <Link to={`/t/${organisation.slug}/admin/organisation`}>See its settings</Link>
      </span>
    </aside>
  );
}
