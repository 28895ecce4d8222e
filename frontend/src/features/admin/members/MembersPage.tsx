import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { ActionButton } from "../../../components/actions/ActionButton";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { IsoInstant } from "../../../components/values/Instant";
import { ME, useOrganisation, usePermissionMatrix, useReason, useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { usageWords } from "../../../messages/organisation/quotas";
import { removalReason, roleReason, rolesWithin, type Standing } from "../../../messages/organisation/reasons";
import type { MemberResponse, Role } from "../../../model/api";
import { RoleChooser } from "../RoleChooser";
import { useMembers, useRefresh, useUsages } from "../requests";
import { Invitations } from "./Invitations";
import { Invite } from "./Invite";

/** Change a member's role; a change of one's own role reloads one's permissions. */
function useChangeRole() {
  const slug = useSlug();
  const refresh = useRefresh();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ member, role }: { member: MemberResponse; role: Role }) =>
      unwrap(
        api.PUT("/api/t/{slug}/members/{member}/", { params: { path: { slug, member: member.id } }, body: { role } }),
      ),
    onSettled: async (_, __, { member }) => {
      if (member.me) await queries.invalidateQueries({ queryKey: ME });
      await refresh("members", "tokens", "audit");
    },
  });
}

type Changing = ReturnType<typeof useChangeRole>;

interface OwnRoleProps {
  asked: { member: MemberResponse; role: Role } | null;
  changing: Changing;
  onClose: () => void;
}

/** Ask before a person lowers their own role, because they can't undo it. */
function OwnRole({ asked, changing, onClose }: OwnRoleProps) {
  return (
    <ModalDialog title={`Change your own role to ${asked?.role}?`} open={asked !== null} onClose={onClose}>
      <p>You will lose permissions, and only another member can restore your role.</p>
      <div className="row">
        <ActionButton
          words={["Change my role", "Changing…"]}
          act={async () => asked && (await changing.mutateAsync(asked))}
          onDone={onClose}
          kind="danger"
        />
        <button type="button" className="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </ModalDialog>
  );
}

function Removal({ member, reason }: { member: MemberResponse; reason: string | null }) {
  const slug = useSlug();
  const queries = useQueryClient();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const remove = () =>
    unwrap(api.DELETE("/api/t/{slug}/members/{member}/", { params: { path: { slug, member: member.id } } }));
  const done = async () => {
    close();
    if (member.me) {
      await navigate("/", { replace: true });
      await queries.invalidateQueries({ queryKey: ME });
    } else await refresh("members", "quotas", "tokens", "audit");
  };
  return (
    <>
      <ReasonedButton
        reason={reason}
        aria-label={member.me ? "Leave the organisation" : `Remove ${member.email}`}
        onClick={() => setOpen(true)}
      >
        {member.me ? "Leave…" : "Remove…"}
      </ReasonedButton>
      <ModalDialog
        title={member.me ? "Leave the organisation?" : `Remove ${member.email}?`}
        open={open}
        onClose={close}
      >
        <p>
          {member.me ? "You lose access to it, and your" : "They lose access to it, and their"} access tokens here stop
          working. Runs continue, and all created objects stay.
        </p>
        <div className="row">
          <ActionButton
            words={member.me ? ["Leave", "Leaving…"] : ["Remove member", "Removing…"]}
            act={remove}
            onDone={done}
            kind="danger"
          />
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
        </div>
      </ModalDialog>
    </>
  );
}

function SecondFactor({ on }: { on: boolean }) {
  return (
    <span className="mark" data-tone={on ? "good" : "idle"}>
      {on ? "on" : "none"}
    </span>
  );
}

interface RowProps {
  member: MemberResponse;
  mine: Standing;
  roles: readonly Role[];
  changing: Changing;
  onOwn: (role: Role) => void;
}

function Row({ member, mine, roles, changing, onOwn }: RowProps) {
  const choose = (role: Role) => (member.me ? onOwn(role) : changing.mutate({ member, role }));
  return (
    <tr>
      <th scope="row">
        {member.email}{" "}
        {member.me ? (
          <span className="mark" data-tone="busy">
            you
          </span>
        ) : null}
      </th>
      <td>
        <RoleChooser
          label={`Role of ${member.email}`}
          role={member.role}
          roles={roles}
          reason={roleReason(member, mine)}
          busy={changing.isPending}
          onChoose={choose}
        />
      </td>
      {mine.administer === null ? (
        <td>
          <SecondFactor on={member.second_factor === true} />
        </td>
      ) : null}
      <td>
        <IsoInstant iso={member.joined_at} />
      </td>
      <td className="num">
        <Removal member={member} reason={removalReason(member, mine)} />
      </td>
    </tr>
  );
}

function MemberTable({ members }: { members: readonly MemberResponse[] }) {
  const role = useOrganisation()?.role ?? "viewer";
  const administer = useReason("administer");
  const roles = rolesWithin(usePermissionMatrix().data, role);
  const changing = useChangeRole();
  const [own, setOwn] = useState<{ member: MemberResponse; role: Role } | null>(null);
  const mine = { role, administer, owners: members.filter((each) => each.role === "owner").length };
  return (
    <>
      {own === null && changing.isError ? (
        <div className="inset">
          <ErrorNote error={changing.error} />
        </div>
      ) : null}
      <Scroll label="Table of members">
        <table>
          <thead>
            <tr>
              <th>Person</th>
              <th>Role</th>
              {administer === null ? <th>Second factor</th> : null}
              <th>Joined (UTC)</th>
              <th>
                <span className="visually-hidden">Remove or leave</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map((member) => (
              <Row
                key={member.id}
                member={member}
                mine={mine}
                roles={roles}
                changing={changing}
                onOwn={(chosen) => setOwn({ member, role: chosen })}
              />
            ))}
          </tbody>
        </table>
      </Scroll>
      <OwnRole asked={own} changing={changing} onClose={() => setOwn(null)} />
    </>
  );
}

/** Members with their roles, and invitations. */
export function MembersPage() {
  const members = useMembers();
  const places = useUsages().data?.find((each) => each.quota === "members");
  return (
    <>
      <PageHead
        title="Members"
        beside={
          places === undefined ? null : (
            <span className="mark" data-tone="idle" title="Members and pending invitations">
              {usageWords(places)}
            </span>
          )
        }
        actions={<Invite places={places} />}
      />
      <Panel title="Members" flush>
        {members.isPending ? <Waiting>Loading the members…</Waiting> : null}
        <ErrorNote error={members.error} onRetry={() => void members.refetch()} />
        {members.data === undefined ? null : <MemberTable members={members.data} />}
      </Panel>
      <Invitations />
    </>
  );
}
