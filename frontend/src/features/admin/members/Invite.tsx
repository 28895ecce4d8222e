import { useState } from "react";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { OneTimeSecret } from "../../../components/actions/OneTimeSecret";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { DraftGuard } from "../../../components/forms/DraftGuard";
import { EntryForm } from "../../../components/forms/EntryForm";
import { SelectField } from "../../../components/forms/Field";
import { Notice } from "../../../components/notices/Notices";
import { useOrganisation, usePermissionMatrix, useReason, useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { withFields } from "../../../lib/api/fieldFailure";
import { useDrafted } from "../../../lib/drafts/drafts";
import { usageWords } from "../../../messages/organisation/quotas";
import { rolesWithin } from "../../../messages/organisation/reasons";
import type { InvitationResponse, Role, UsageResponse } from "../../../model/api";
import { useRefresh } from "../requests";

/** The result of sending an invitation: it was emailed, or its link has to be handed over in person. */
export function Sent({ invitation, onDone }: { invitation: InvitationResponse; onDone: () => void }) {
  if (invitation.link) {
    return (
      <OneTimeSecret secret={invitation.link} what="the link" onDone={onDone}>
        This installation has no mail server, so nothing was sent. Send this link to {invitation.email} yourself. It is
        valid for seven days and is shown only once.
      </OneTimeSecret>
    );
  }
  return (
    <div className="stack">
      {invitation.message === null ? (
        <Notice tone="good">
          <p>The invitation was sent to {invitation.email}. Its link is valid for seven days.</p>
        </Notice>
      ) : (
        <Notice tone="bad">
          <p>{invitation.message}</p>
        </Notice>
      )}
      <p className="row">
        <button type="button" className="button" data-kind="primary" onClick={onDone}>
          Done
        </button>
      </p>
    </div>
  );
}

function InviteForm({ onSent, onCancel }: { onSent: (sent: InvitationResponse) => void; onCancel: () => void }) {
  const slug = useSlug();
  const refresh = useRefresh();
  const matrix = usePermissionMatrix().data;
  const mine = useOrganisation()?.role ?? "viewer";
  const draft = useDrafted<{ email: string; role: Role }>("invitation", { email: "", role: "viewer" });
  const { email: typed, role } = draft.value;
  const roles = rolesWithin(matrix, mine);
  const words = matrix?.roles.find((each) => each.role === role)?.words;
  const invite = (email: string) =>
    withFields(unwrap(api.POST("/api/t/{slug}/invitations/", { params: { path: { slug } }, body: { email, role } })));
  return (
    <EntryForm
      entries={[
        {
          name: "email",
          label: "Email address",
          type: "email",
          value: typed,
          onChange: (email) => draft.change({ email, role }),
          help: "Only an account with this address can accept the invitation.",
        },
      ]}
      words={["Send invitation", "Sending…"]}
      send={({ email = "" }) => invite(email.trim())}
      onSent={async (sent) => {
        draft.done();
        await refresh("invitations", "quotas", "audit");
        onSent(sent);
      }}
      onCancel={() => {
        draft.done();
        onCancel();
      }}
      focus
    >
      <DraftGuard draft={draft} />
      <SelectField
        label="Role"
        value={role}
        options={roles.map((each) => [each, each] as const)}
        onChange={(chosen) => draft.change({ email: typed, role: chosen })}
        help={words === undefined ? "" : `A person who ${words}.`}
      />
    </EntryForm>
  );
}

/** Return why no more people can be invited; null if there is room. */
function fullReason(places: UsageResponse | undefined): string | null {
  if (places === undefined || places.used < places.limit) return null;
  return `${usageWords(places)} are taken. Remove a member, revoke an invitation, or ask your administrator for more.`;
}

/** Invite a person by email, and report whether the email was sent. */
export function Invite({ places }: { places: UsageResponse | undefined }) {
  const administer = useReason("administer");
  const [open, setOpen] = useState(false);
  const [sent, setSent] = useState<InvitationResponse | null>(null);
  const close = () => {
    setOpen(false);
    setSent(null);
  };
  return (
    <>
      <ReasonedButton reason={administer ?? fullReason(places)} kind="primary" onClick={() => setOpen(true)}>
        Invite a person
      </ReasonedButton>
      <ModalDialog title="Invite a person" open={open} onClose={close}>
        {sent === null ? <InviteForm onSent={setSent} onCancel={close} /> : <Sent invitation={sent} onDone={close} />}
      </ModalDialog>
    </>
  );
}
