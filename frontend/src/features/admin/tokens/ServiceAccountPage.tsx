import { useNavigate, useParams } from "react-router";
import { Empty, ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { Panel } from "../../../components/page/Panel";
import { useOrganisation, usePermissionMatrix, useReason, useSlug } from "../../../lib/account/session";
import { rolesWithin } from "../../../messages/organisation/reasons";
import type { ServiceAccountResponse } from "../../../model/api";
import { Forbidden } from "../Forbidden";
import { useServiceAccounts, useTokens } from "../requests";
import { NewToken } from "./NewToken";
import { AccountState, DeleteAccount, RenameAccount, ruleReason, SwitchAccount } from "./serviceAccountParts";
import { MoreTokens, TokenTable } from "./TokenTable";

function Tokens({ account }: { account: ServiceAccountResponse }) {
  const tokens = useTokens(account.id);
  return (
    <Panel title="Tokens" note="For the program to sign in" flush>
      {tokens.isPending ? <Waiting>Loading the tokens…</Waiting> : null}
      <ErrorNote error={tokens.error} onRetry={() => void tokens.refetch()} />
      {tokens.data?.length === 0 ? (
        <Empty title="No tokens yet">
          <p>Create one and enter it in the program. A token is shown only once.</p>
        </Empty>
      ) : null}
      {tokens.data !== undefined && tokens.data.length > 0 ? <TokenTable tokens={tokens.data} holder={false} /> : null}
      <MoreTokens tokens={tokens} />
    </Panel>
  );
}

function Account({ account }: { account: ServiceAccountResponse }) {
  const slug = useSlug();
  const navigate = useNavigate();
  const mine = useOrganisation()?.role ?? "viewer";
  const reason = ruleReason(account, mine, rolesWithin(usePermissionMatrix().data, mine));
  const list = `/t/${slug}/admin/service-accounts`;
  return (
    <>
      <PageHead
        title={account.name}
        crumb={{ to: list, label: "Service accounts" }}
        beside={
          <>
            <AccountState account={account} />
            <span className="mark" data-tone="idle">
              {account.role}
            </span>
          </>
        }
        actions={
          <>
            <RenameAccount account={account} reason={reason} />
            <SwitchAccount account={account} reason={reason} />
            <DeleteAccount account={account} reason={reason} onDone={() => navigate(list)} />
            <NewToken account={account} reason={reason} />
          </>
        }
      />
      {account.disabled ? (
        <Notice tone="unknown">
          <p>Disabled. Its tokens are rejected until you enable it again.</p>
        </Notice>
      ) : null}
      <Tokens account={account} />
    </>
  );
}

/** One service account and its tokens. */
export function ServiceAccountPage() {
  const { account: id } = useParams();
  const reason = useReason("administer");
  const accounts = useServiceAccounts(reason === null);
  const account = accounts.data?.find((each) => each.id === id);
  if (reason !== null) return <Forbidden reason={reason} />;
  if (accounts.isPending) return <Waiting>Loading the service account…</Waiting>;
  if (accounts.isError) return <ErrorNote error={accounts.error} onRetry={() => void accounts.refetch()} />;
  if (account === undefined) {
    return (
      <Notice tone="bad">
        <p>This service account does not exist; it may have been deleted. Choose another one from the list.</p>
      </Notice>
    );
  }
  return <Account account={account} />;
}
