import { useState } from "react";
import { ActionButton } from "../../components/ActionButton";
import { Ask } from "../../components/Ask";
import { AskedAction } from "../../components/AskedAction";
import { IsoInstant } from "../../components/Instant";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { ReasonedButton } from "../../components/Reasoned";
import { Scroll } from "../../components/Scroll";
import { api, unwrap } from "../../lib/api";
import { useOrganisation, usePermissionMatrix, useReason, useSlug } from "../../lib/session";
import type { InvitationShown } from "../../model/api";
import { rolesWithin } from "../../model/reasons";
import { Sent } from "./Invite";
import { NotForYou } from "./NotForYou";
import { RoleChooser } from "./RoleChooser";
import { useChangeInvitation, useInvitations, useRefresh } from "./requests";

/** Whether the mail went out, and whether its link still opens something. */
function State({ invitation }: { invitation: InvitationShown }) {
  if (invitation.state === "expired") {
    return (
      <span className="mark" data-tone="idle">
        expired
      </span>
    );
  }
  return invitation.sent_at === null ? (
    <span className="mark" data-tone="bad">
      not mailed
    </span>
  ) : (
    <span className="mark" data-tone="good">
      open
    </span>
  );
}

/** The roles that I may give, and why I may not deal with an invitation; null if I may. */
function useGiving(invitation: InvitationShown) {
  const mine = useOrganisation()?.role ?? "viewer";
  const roles = rolesWithin(usePermissionMatrix().data, mine);
  const reason = roles.includes(invitation.role)
    ? null
    : `It is for the role ${invitation.role}, which your role ${mine} may not give; owner may.`;
  return { roles, reason };
}

function InvitedRole({ invitation }: { invitation: InvitationShown }) {
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

function Actions({ invitation }: { invitation: InvitationShown }) {
  const [sent, setSent] = useState<InvitationShown | null>(null);
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
        words={["Send again", "Sending it…"]}
        label={`Send again the invitation of ${invitation.email}`}
        act={() => unwrap(api.POST("/api/t/{slug}/invitations/{invitation}/resend/", params))}
        onDone={(again) => {
          if (again.link) setSent(again);
          return renew();
        }}
      />
      <Ask title={`Invitation of ${invitation.email}`} open={sent !== null} onClose={() => setSent(null)}>
        {sent === null ? null : <Sent invitation={sent} onDone={() => setSent(null)} />}
      </Ask>
      <AskedAction
        opener="Revoke…"
        label={`Revoke the invitation of ${invitation.email}`}
        title={`Revoke the invitation of ${invitation.email}?`}
        words={["Revoke it", "Revoking it…"]}
        keep="Keep it"
        act={async () => {
          await unwrap(api.DELETE("/api/t/{slug}/invitations/{invitation}/", params));
          await renew();
        }}
      >
        <p>Its link opens nothing any more.</p>
      </AskedAction>
    </div>
  );
}

function InvitationTable({ invitations }: { invitations: readonly InvitationShown[] }) {
  return (
    <Scroll label="Table of invitations">
      <table>
        <thead>
          <tr>
            <th>Address</th>
            <th>Role</th>
            <th>State</th>
            <th>Holds until (UTC)</th>
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

/** The invitations that wait or have expired, for who may invite. */
export function Invitations() {
  const reason = useReason("administer");
  const invitations = useInvitations(reason === null);
  return (
    <Panel
      title="Invitations"
      note="Who accepts joins in the role that stands here, whatever the mail said when it was sent."
      flush
    >
      <NotForYou reason={reason} />
      {reason === null && invitations.isPending ? <Waiting>Loading the invitations…</Waiting> : null}
      <ErrorNote error={invitations.error} onRetry={() => void invitations.refetch()} />
      {invitations.data?.length === 0 ? (
        <Empty title="No invitation waits.">
          <p>Invite somebody by their e-mail address; they join once they open the link of the invitation.</p>
        </Empty>
      ) : null}
      {invitations.data !== undefined && invitations.data.length > 0 ? (
        <InvitationTable invitations={invitations.data} />
      ) : null}
    </Panel>
  );
}
