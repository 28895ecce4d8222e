import { Link } from "react-router";
import { ActionButton } from "../components/ActionButton";
import { IsoInstant } from "../components/Instant";
import { stopImpersonation } from "../lib/people";
import type { Me, MyOrganisation } from "../model/api";

/** Somebody of the installation looks through the eyes of another person. */
export function ImpersonationBanner({ me }: { me: Me }) {
  if (!me.impersonator) return null;
  const stop = async () => {
    await stopImpersonation();
    window.location.assign("/installation/");
  };
  return (
    <aside className="banner" data-tone="unknown" aria-label="Impersonation">
      <span>
        You see Punctual as <strong>{me.email}</strong>. Everything you do is recorded as done by {me.impersonator}.
      </span>
      <ActionButton words={["Stop", "Stopping…"]} act={stop} />
    </aside>
  );
}

/** The organisation is to be deleted: everything in it stands still. */
export function DeletionBanner({ organisation }: { organisation: MyOrganisation | undefined }) {
  if (!organisation?.delete_after) return null;
  return (
    <aside className="banner" data-tone="bad" aria-label="Deletion">
      <span>
        {organisation.name} is to be deleted after <IsoInstant iso={organisation.delete_after} />. Its runs are stopped,
        and it can only be read. <Link to={`/t/${organisation.slug}/admin`}>See its settings</Link>
      </span>
    </aside>
  );
}
