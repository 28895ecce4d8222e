import { useState } from "react";
import { Link } from "react-router";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { DraftGuard } from "../../../components/forms/DraftGuard";
import { EntryForm } from "../../../components/forms/EntryForm";
import { SelectField } from "../../../components/forms/Field";
import { Empty, ErrorNote, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { Scroll } from "../../../components/page/Scroll";
import { IsoInstant } from "../../../components/values/Instant";
import { useOrganisation, usePermissionMatrix, useReason, useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import { withFields } from "../../../lib/api/fieldFailure";
import { useDrafted } from "../../../lib/drafts/drafts";
import { rolesWithin } from "../../../messages/organisation/reasons";
import type { Role, ServiceAccountResponse } from "../../../model/api";
import { Forbidden } from "../Forbidden";
import { RoleChooser } from "../RoleChooser";
import { useRefresh, useReplaceServiceAccount, useServiceAccounts } from "../requests";
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
          help: "The program that uses it, for example nightly-loader.",
        },
      ]}
      words={["Create service account", "Creating…"]}
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
        help="The upper limit for its tokens."
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
      <ModalDialog title="New service account" open={open} onClose={close}>
        <NewForm onDone={close} />
      </ModalDialog>
    </>
  );
}

interface RowProps {
  account: ServiceAccountResponse;
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

function AccountTable({ accounts }: { accounts: readonly ServiceAccountResponse[] }) {
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
              <th className="num">Active tokens</th>
              <th>Last used (UTC)</th>
              <th>Created by</th>
              <th>
                <span className="visually-hidden">Disable or delete</span>
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

/** The organisation's service accounts. */
export function ServiceAccountsPage() {
  const reason = useReason("administer");
  const accounts = useServiceAccounts(reason === null);
  return (
    <>
      <PageHead title="Service accounts" actions={<NewAccount reason={reason} />} />
      <p className="quiet">
        A service account lets a program work here under its own name. It keeps working when people leave.
      </p>
      <Forbidden reason={reason} />
      {reason === null && accounts.isPending ? <Waiting>Loading the service accounts…</Waiting> : null}
      <ErrorNote error={accounts.error} onRetry={() => void accounts.refetch()} />
      {accounts.data?.length === 0 ? (
        <div className="panel">
          <Empty title="No service accounts yet">
            <p>Create one for each program, then open it to create its tokens.</p>
          </Empty>
        </div>
      ) : null}
      {accounts.data !== undefined && accounts.data.length > 0 ? <AccountTable accounts={accounts.data} /> : null}
    </>
  );
}
