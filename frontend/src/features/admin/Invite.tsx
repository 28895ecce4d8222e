import { useState } from "react";
import { Ask } from "../../components/Ask";
import { DraftGuard } from "../../components/DraftGuard";
import { EntryForm } from "../../components/EntryForm";
import { SelectField } from "../../components/Field";
import { Notice } from "../../components/Notices";
import { OnceShown } from "../../components/OnceShown";
import { ReasonedButton } from "../../components/Reasoned";
import { api, unwrap } from "../../lib/api";
import { useDrafted } from "../../lib/drafts";
import { withFields } from "../../lib/fieldFailure";
import { useOrganisation, usePermissionMatrix, useReason, useSlug } from "../../lib/session";
import type { InvitationShown, Role, UsageShown } from "../../model/api";
import { usageWords } from "../../model/quotas";
import { rolesWithin } from "../../model/reasons";
import { useRefresh } from "./requests";

/** What became of an invitation that was made or sent again: it was mailed, or its link is to be handed over. */
export function Sent({ invitation, onDone }: { invitation: InvitationShown; onDone: () => void }) {
  if (invitation.link) {
    return (
      <OnceShown secret={invitation.link} what="the link" onDone={onDone}>
        This installation has no mail server, so nothing was sent. Hand this link to {invitation.email} yourself: it
        holds for seven days, and it is shown only now.
      </OnceShown>
    );
  }
  return (
    <div className="stack">
      {invitation.message === null ? (
        <Notice tone="good">
          <p>The invitation is on its way to {invitation.email}. The link in the mail holds for seven days.</p>
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

function InviteForm({ onSent, onCancel }: { onSent: (sent: InvitationShown) => void; onCancel: () => void }) {
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
          label: "E-mail address",
          type: "email",
          value: typed,
          onChange: (email) => draft.change({ email, role }),
          help: "Only an account of this address can accept the invitation.",
        },
      ]}
      words={["Send the invitation", "Sending it…"]}
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

/** Why nobody can be invited now; null if somebody can. */
function fullReason(places: UsageShown | undefined): string | null {
  if (places === undefined || places.used < places.limit) return null;
  return `${usageWords(places)} are taken. Remove somebody or take an invitation back, or ask whoever runs this installation for more.`;
}

/** Invites somebody by mail, and says whether the mail went out. */
export function Invite({ places }: { places: UsageShown | undefined }) {
  const administer = useReason("administer");
  const [open, setOpen] = useState(false);
  const [sent, setSent] = useState<InvitationShown | null>(null);
  const close = () => {
    setOpen(false);
    setSent(null);
  };
  return (
    <>
      <ReasonedButton reason={administer ?? fullReason(places)} kind="primary" onClick={() => setOpen(true)}>
        Invite somebody
      </ReasonedButton>
      <Ask title="Invite somebody" open={open} onClose={close}>
        {sent === null ? <InviteForm onSent={setSent} onCancel={close} /> : <Sent invitation={sent} onDone={close} />}
      </Ask>
    </>
  );
}
