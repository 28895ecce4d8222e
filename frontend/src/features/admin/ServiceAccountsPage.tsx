import { useState } from "react";
import { Link } from "react-router";
import { Ask } from "../../components/Ask";
import { DraftGuard } from "../../components/DraftGuard";
import { EntryForm } from "../../components/EntryForm";
import { SelectField } from "../../components/Field";
import { IsoInstant } from "../../components/Instant";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { ReasonedButton } from "../../components/Reasoned";
import { Scroll } from "../../components/Scroll";
import { api, unwrap } from "../../lib/api";
import { useDrafted } from "../../lib/drafts";
import { withFields } from "../../lib/fieldFailure";
import { useOrganisation, usePermissionMatrix, useReason, useSlug } from "../../lib/session";
import type { Role, ServiceAccountShown } from "../../model/api";
import { rolesWithin } from "../../model/reasons";
import { NotForYou } from "./NotForYou";
import { RoleChooser } from "./RoleChooser";
import { useRefresh, useReplaceServiceAccount, useServiceAccounts } from "./requests";
import { AccountState, DeleteAccount, ruleReason, SwitchAccount } from "./serviceAccountParts";

function NewForm({ onDone }: { onDone: () => void }) {
  const slug = useSlug();
  const refresh = useRefresh();
  const mine = useOrganisation()?.role ?? "viewer";
  const roles = rolesWithin(usePermissionMatrix().data, mine);
  const draft = useDrafted<{ name: string; role: Role }>("new service account", { name: "", role: "viewer" });
  const { name: typed, role } = draft.value;
  const cancel = () => {
    draft.done();
    onDone();
  };
  const create = (name: string) =>
    withFields(
      unwrap(api.POST("/api/t/{slug}/service-accounts/", { params: { path: { slug } }, body: { name, role } })),
    );
  return (
    <EntryForm
      entries={[
        {
          name: "name",
          label: "Name",
          value: typed,
          onChange: (name) => draft.change({ name, role }),
          help: "Of the program that works here, such as nightly-loader.",
        },
      ]}
      words={["Make the service account", "Making it…"]}
      send={({ name = "" }) => create(name.trim())}
      onSent={async () => {
        draft.done();
        await refresh("service-accounts", "audit");
        onDone();
      }}
      onCancel={cancel}
      focus
    >
      <DraftGuard draft={draft} />
      <SelectField
        label="Role"
        value={role}
        options={roles.map((each) => [each, each] as const)}
        onChange={(chosen) => draft.change({ name: typed, role: chosen })}
        help="Its tokens may never do more."
      />
    </EntryForm>
  );
}

function NewAccount({ reason }: { reason: string | null }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <ReasonedButton reason={reason} kind="primary" onClick={() => setOpen(true)}>
        New service account
      </ReasonedButton>
      <Ask title="New service account" open={open} onClose={close}>
        <NewForm onDone={close} />
      </Ask>
    </>
  );
}

interface RowProps {
  account: ServiceAccountShown;
  changing: ReturnType<typeof useReplaceServiceAccount>;
}

function Row({ account, changing }: RowProps) {
  const mine = useOrganisation()?.role ?? "viewer";
  const roles = rolesWithin(usePermissionMatrix().data, mine);
  const reason = ruleReason(account, mine, roles);
  const { name, disabled } = account;
  return (
    <tr>
      <th scope="row">
        <Link to={account.id}>{name}</Link>
      </th>
      <td>
        <RoleChooser
          label={`Role of ${name}`}
          role={account.role}
          roles={roles}
          reason={reason}
          busy={changing.isPending}
          onChoose={(role) => changing.mutate({ account: account.id, body: { name, role, disabled } })}
        />
      </td>
      <td>
        <AccountState account={account} />
      </td>
      <td className="num">
        <Link to={account.id} aria-label={`Tokens of ${name}: ${account.tokens}`}>
          {account.tokens}
        </Link>
      </td>
      <td>{account.last_used_at === null ? "never" : <IsoInstant iso={account.last_used_at} />}</td>
      <td>{account.created_by}</td>
      <td className="num">
        <div className="row end">
          <SwitchAccount account={account} reason={reason} />
          <DeleteAccount account={account} reason={reason} />
        </div>
      </td>
    </tr>
  );
}

function AccountTable({ accounts }: { accounts: readonly ServiceAccountShown[] }) {
  const changing = useReplaceServiceAccount();
  return (
    <>
      <ErrorNote error={changing.error} />
      <Scroll label="Table of service accounts" panel>
        <table>
          <thead>
            <tr>
              <th>Service account</th>
              <th>Role</th>
              <th>State</th>
              <th className="num">Tokens in force</th>
              <th>Last used (UTC)</th>
              <th>Made by</th>
              <th>
                <span className="visually-hidden">Switch off or delete</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {accounts.map((account) => (
              <Row key={account.id} account={account} changing={changing} />
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}

/** The programs that work in the organisation under names of their own. */
export function ServiceAccountsPage() {
  const reason = useReason("administer");
  const accounts = useServiceAccounts(reason === null);
  return (
    <>
      <PageHead title="Service accounts" actions={<NewAccount reason={reason} />} />
      <p className="quiet">
        A program that works here under a name of its own, and not in that of a person: it goes on when people leave.
      </p>
      <NotForYou reason={reason} />
      {reason === null && accounts.isPending ? <Waiting>Loading the service accounts…</Waiting> : null}
      <ErrorNote error={accounts.error} onRetry={() => void accounts.refetch()} />
      {accounts.data?.length === 0 ? (
        <div className="panel">
          <Empty title="There are no service accounts yet.">
            <p>Make one for each program, then open it to make its tokens.</p>
          </Empty>
        </div>
      ) : null}
      {accounts.data !== undefined && accounts.data.length > 0 ? <AccountTable accounts={accounts.data} /> : null}
    </>
  );
}
