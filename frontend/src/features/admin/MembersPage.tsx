import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { ActionButton } from "../../components/ActionButton";
import { Ask } from "../../components/Ask";
import { IsoInstant } from "../../components/Instant";
import { ErrorNote, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Panel } from "../../components/Panel";
import { ReasonedButton } from "../../components/Reasoned";
import { Scroll } from "../../components/Scroll";
import { api, unwrap } from "../../lib/api";
import { ME, useOrganisation, usePermissionMatrix, useReason, useSlug } from "../../lib/session";
import type { MemberShown, Role } from "../../model/api";
import { usageWords } from "../../model/quotas";
import { removalReason, roleReason, rolesWithin, type Standing } from "../../model/reasons";
import { Invitations } from "./Invitations";
import { Invite } from "./Invite";
import { RoleChooser } from "./RoleChooser";
import { useMembers, useRefresh, useUsages } from "./requests";

/** Gives a member another role; one's own changes what one may do, so that is asked for again. */
function useChangeRole() {
  const slug = useSlug();
  const refresh = useRefresh();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ member, role }: { member: MemberShown; role: Role }) =>
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
  asked: { member: MemberShown; role: Role } | null;
  changing: Changing;
  onClose: () => void;
}

/** Lowering oneself cannot be taken back by oneself. */
function OwnRole({ asked, changing, onClose }: OwnRoleProps) {
  return (
    <Ask title={`Change your own role to ${asked?.role}?`} open={asked !== null} onClose={onClose}>
      <p>You may do less then, and somebody else has to give you another role again.</p>
      <div className="row">
        <ActionButton
          words={["Change my role", "Changing it…"]}
          act={async () => asked && (await changing.mutateAsync(asked))}
          onDone={onClose}
          kind="danger"
        />
        <button type="button" className="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Ask>
  );
}

function Removal({ member, reason }: { member: MemberShown; reason: string | null }) {
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
      <Ask title={member.me ? "Leave the organisation?" : `Remove ${member.email}?`} open={open} onClose={close}>
        <p>
          {member.me ? "You see nothing of it any more, and your" : "They see nothing of it any more, and their"} access
          tokens here are refused from now on. What runs goes on, and what was made stays.
        </p>
        <div className="row">
          <ActionButton
            words={member.me ? ["Leave", "Leaving…"] : ["Remove the member", "Removing…"]}
            act={remove}
            onDone={done}
            kind="danger"
          />
          <button type="button" className="button" onClick={close}>
            Stay as it is
          </button>
        </div>
      </Ask>
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
  member: MemberShown;
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

function MemberTable({ members }: { members: readonly MemberShown[] }) {
  const role = useOrganisation()?.role ?? "viewer";
  const administer = useReason("administer");
  const roles = rolesWithin(usePermissionMatrix().data, role);
  const changing = useChangeRole();
  const [own, setOwn] = useState<{ member: MemberShown; role: Role } | null>(null);
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

/** Who belongs to the organisation, in which role, and who is invited. */
export function MembersPage() {
  const members = useMembers();
  const places = useUsages().data?.find((each) => each.quota === "members");
  return (
    <>
      <PageHead
        title="Members"
        beside={
          places === undefined ? null : (
            <span className="mark" data-tone="idle" title="Members and invitations that can still be accepted">
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
