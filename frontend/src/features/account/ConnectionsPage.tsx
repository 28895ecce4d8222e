import { useQueryClient } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { AskedAction } from "../../components/AskedAction";
import { Empty, ErrorNote, Notice, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Panel } from "../../components/Panel";
import { askAccount, goToProvider } from "../../lib/authentication";
import { providerSentence } from "../../model/signIn";
import { useConfirmed } from "./Confirmation";
import { CONNECTIONS, type Connection, useListed, useSignInOptions } from "./requests";

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
      <AskedAction
        opener="Disconnect…"
        label={`Disconnect ${provider.name}`}
        title={`Disconnect ${provider.name}?`}
        words={["Disconnect it", "Disconnecting…"]}
        keep="Keep it"
        act={disconnect}
      >
        <p>You cannot sign in with it any more. Your account and all that it holds stay.</p>
      </AskedAction>
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

/** The accounts elsewhere that sign in here. */
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
          <Empty title="No account elsewhere is connected.">
            <p>
              {options.data?.providers.length === 0
                ? "This installation offers none; you sign in by password or passkey."
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
