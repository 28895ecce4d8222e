import { useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { ConfirmedAction } from "../../../components/actions/ConfirmedAction";
import { Empty, ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { Panel } from "../../../components/page/Panel";
import { askAccount, goToProvider } from "../../../lib/account/authentication";
import { providerSentence } from "../../../model/account/signIn";
import { CONNECTIONS, type Connection, useListed, useSignInOptions } from "../requests";
import { useConfirmed } from "./Confirmation";

function ConnectionLine({ connection }: { connection: Connection }) {
  const confirmed = useConfirmed();
  const queries = useQueryClient();
  const { provider, uid, display } = connection;
  const disconnect = async () => {
    await confirmed(() => askAccount("DELETE", CONNECTIONS, { body: { provider: provider.id, account: uid } }));
    await queries.invalidateQueries({ queryKey: ["account", CONNECTIONS] });
  };
  return (
    <li className="line">
      <span className="grow">
        <strong>{provider.name}</strong> <span className="quiet small">{display}</span>
      </span>
      <ConfirmedAction
        opener="Disconnect…"
        label={`Disconnect ${provider.name}`}
        title={`Disconnect ${provider.name}?`}
        words={["Disconnect", "Disconnecting…"]}
        keep="Keep it"
        act={disconnect}
      >
        <p>You can't sign in with it any more. Your account and its data stay.</p>
      </ConfirmedAction>
    </li>
  );
}

function Connect({ connected }: { connected: readonly Connection[] }) {
  const options = useSignInOptions();
  const free = options.data?.providers.filter(({ id }) => !connected.some(({ provider }) => provider.id === id)) ?? [];
  return free.map(({ id, name }) => (
    <button
      key={id}
      type="button"
      className="button"
      onClick={() => goToProvider(id, "/account/connections", "connect")}
    >
      Connect {name}
    </button>
  ));
}

/** The external accounts that can sign in here. */
export function ConnectionsPage() {
  const connections = useListed(CONNECTIONS);
  const options = useSignInOptions();
  const [search] = useSearchParams();
  const error = search.get("error");
  const none = connections.data?.length === 0;
  return (
    <>
      <PageHead title="Connected accounts" actions={<Connect connected={connections.data ?? []} />} />
      {error === null ? null : (
        <Notice tone="bad">
          <p>{providerSentence(error)}</p>
        </Notice>
      )}
      <Panel title="Yours" flush={none}>
        {connections.isPending ? <Waiting>Loading your connected accounts…</Waiting> : null}
        <ErrorNote error={connections.error} onRetry={() => void connections.refetch()} />
        {none ? (
          <Empty title="No connected accounts">
            <p>
              {options.data?.providers.length === 0
                ? "This installation offers no providers. Sign in with a password or passkey."
                : "Connect one to sign in with it."}
            </p>
          </Empty>
        ) : null}
        <ul className="lines">
          {connections.data?.map((connection) => (
            <ConnectionLine key={`${connection.provider.id} ${connection.uid}`} connection={connection} />
          ))}
        </ul>
      </Panel>
    </>
  );
}
