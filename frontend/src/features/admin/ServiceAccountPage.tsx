import { useNavigate, useParams } from "react-router";
import { Empty, ErrorNote, Notice, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Panel } from "../../components/Panel";
import { useOrganisation, usePermissionMatrix, useReason, useSlug } from "../../lib/session";
import type { ServiceAccountShown } from "../../model/api";
import { rolesWithin } from "../../model/reasons";
import { NewToken } from "./NewToken";
import { NotForYou } from "./NotForYou";
import { useServiceAccounts, useTokens } from "./requests";
import { AccountState, DeleteAccount, RenameAccount, ruleReason, SwitchAccount } from "./serviceAccountParts";
import { MoreTokens, TokenTable } from "./TokenTable";

function Tokens({ account }: { account: ServiceAccountShown }) {
  const tokens = useTokens(account.id);
  return (
    <Panel title="Tokens" note="With one of these the program signs in." flush>
      {tokens.isPending ? <Waiting>Loading the tokens…</Waiting> : null}
      <ErrorNote error={tokens.error} onRetry={() => void tokens.refetch()} />
      {tokens.data?.length === 0 ? (
        <Empty title="It has no token yet.">
          <p>Make one, and give its text to the program; it is shown once.</p>
        </Empty>
      ) : null}
      {tokens.data !== undefined && tokens.data.length > 0 ? <TokenTable tokens={tokens.data} holder={false} /> : null}
      <MoreTokens tokens={tokens} />
    </Panel>
  );
}

function Account({ account }: { account: ServiceAccountShown }) {
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
          <p>It is switched off: its tokens are refused until it is switched on again.</p>
        </Notice>
      ) : null}
      <Tokens account={account} />
    </>
  );
}

/** One service account with its tokens. */
export function ServiceAccountPage() {
  const { account: id } = useParams();
  const reason = useReason("administer");
  const accounts = useServiceAccounts(reason === null);
  const account = accounts.data?.find((each) => each.id === id);
  if (reason !== null) return <NotForYou reason={reason} />;
  if (accounts.isPending) return <Waiting>Loading the service account…</Waiting>;
  if (accounts.isError) return <ErrorNote error={accounts.error} onRetry={() => void accounts.refetch()} />;
  if (account === undefined) {
    return (
      <Notice tone="bad">
        <p>There is no such service account; it may have been deleted. Choose another in the list.</p>
      </Notice>
    );
  }
  return <Account account={account} />;
}
