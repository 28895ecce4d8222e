import { useState } from "react";
import { ActionButton } from "../../../components/actions/ActionButton";
import { ConfirmedAction } from "../../../components/actions/ConfirmedAction";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { Empty, ErrorNote, Waiting } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { IsoInstant } from "../../../components/values/Instant";
import { useOrganisation, usePermissionMatrix, useReason, useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { rolesWithin } from "../../../messages/organisation/reasons";
import type { InvitationResponse } from "../../../model/api";
import { Forbidden } from "../Forbidden";
import { RoleChooser } from "../RoleChooser";
import { useChangeInvitation, useInvitations, useRefresh } from "../requests";
import { Sent } from "./Invite";

/** The state of an invitation: whether it was emailed, and whether it is still valid. */
function State({ invitation }: { invitation: InvitationResponse }) {
  if (invitation.state === "expired") {
    return (
      <span className="mark" data-tone="idle">
        expired
      </span>
    );
  }
  return invitation.sent_at === null ? (
    <span className="mark" data-tone="bad">
      not emailed
    </span>
  ) : (
    <span className="mark" data-tone="good">
      open
    </span>
  );
}

/** Return the roles that the user may assign, and why the user can't manage the invitation (null if allowed). */
function useGiving(invitation: InvitationResponse) {
  const mine = useOrganisation()?.role ?? "viewer";
  const roles = rolesWithin(usePermissionMatrix().data, mine);
  const reason = roles.includes(invitation.role)
    ? null
    : `Your role ${mine} can't assign the role ${invitation.role}; an owner can.`;
  return { roles, reason };
}

function InvitedRole({ invitation }: { invitation: InvitationResponse }) {
  const { roles, reason } = useGiving(invitation);
  const changing = useChangeInvitation();
  return (
    <>
      <RoleChooser
        label={`Role of the invitation of ${invitation.email}`}
        role={invitation.role}
        roles={roles}
        reason={reason}
        busy={changing.isPending}
        onChoose={(role) => changing.mutate({ invitation: invitation.id, role })}
      />
      <ErrorNote error={changing.error} />
    </>
  );
}

function Actions({ invitation }: { invitation: InvitationResponse }) {
  const [sent, setSent] = useState<InvitationResponse | null>(null);
  const slug = useSlug();
  const refresh = useRefresh();
  const { reason } = useGiving(invitation);
  const params = { params: { path: { slug, invitation: invitation.id } } };
  const renew = () => refresh("invitations", "quotas", "audit");
  if (reason !== null) {
    return (
      <div className="row end">
        <ReasonedButton reason={reason}>Send again</ReasonedButton>
        <ReasonedButton reason={reason}>Revoke…</ReasonedButton>
      </div>
    );
  }
  return (
    <div className="row end">
      <ActionButton
        words={["Send again", "Sending…"]}
        label={`Send again to ${invitation.email}`}
        act={() => unwrap(api.POST("/api/t/{slug}/invitations/{invitation}/resend/", params))}
        onDone={(again) => {
          if (again.link) setSent(again);
          return renew();
        }}
      />
      <ModalDialog title={`Invitation of ${invitation.email}`} open={sent !== null} onClose={() => setSent(null)}>
        {sent === null ? null : <Sent invitation={sent} onDone={() => setSent(null)} />}
      </ModalDialog>
      <ConfirmedAction
        opener="Revoke…"
        label={`Revoke the invitation of ${invitation.email}`}
        title={`Revoke the invitation of ${invitation.email}?`}
        words={["Revoke", "Revoking…"]}
        keep="Keep it"
        act={async () => {
          await unwrap(api.DELETE("/api/t/{slug}/invitations/{invitation}/", params));
          await renew();
        }}
      >
        <p>Its link stops working.</p>
      </ConfirmedAction>
    </div>
  );
}

function InvitationTable({ invitations }: { invitations: readonly InvitationResponse[] }) {
  return (
    <Scroll label="Table of invitations">
      <table>
        <thead>
          <tr>
            <th>Address</th>
            <th>Role</th>
            <th>State</th>
            <th>Valid until (UTC)</th>
            <th>Invited by</th>
            <th className="fixed">
              <span className="visually-hidden">Send again or revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {invitations.map((each) => (
            <tr key={each.id}>
              <th scope="row">{each.email}</th>
              <td>
                <InvitedRole invitation={each} />
              </td>
              <td>
                <State invitation={each} />
                {each.sent_at === null ? null : (
                  <p className="quiet small nowrap">
                    sent <IsoInstant iso={each.sent_at} />
                  </p>
                )}
                {each.message === null ? null : <p className="message small">{each.message}</p>}
              </td>
              <td>
                <IsoInstant iso={each.expires_at} />
              </td>
              <td>{each.invited_by}</td>
              <td className="num fixed">
                <Actions invitation={each} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Pending and expired invitations, for people who may invite. */
export function Invitations() {
  const reason = useReason("administer");
  const invitations = useInvitations(reason === null);
  return (
    <Panel title="Invitations" note="New members get the role shown here, even if the email named another one." flush>
      <Forbidden reason={reason} />
      {reason === null && invitations.isPending ? <Waiting>Loading the invitations…</Waiting> : null}
      <ErrorNote error={invitations.error} onRetry={() => void invitations.refetch()} />
      {invitations.data?.length === 0 ? (
        <Empty title="No pending invitations">
          <p>Invite people by email address. They join by opening the link in the invitation.</p>
        </Empty>
      ) : null}
      {invitations.data !== undefined && invitations.data.length > 0 ? (
        <InvitationTable invitations={invitations.data} />
      ) : null}
    </Panel>
  );
}
