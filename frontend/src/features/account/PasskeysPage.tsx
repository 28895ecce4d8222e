import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { Ask } from "../../components/Ask";
import { AskedAction } from "../../components/AskedAction";
import { EntryForm } from "../../components/EntryForm";
import { Empty, ErrorNote, Notice, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Panel } from "../../components/Panel";
import { askAccount } from "../../lib/authentication";
import { addPasskey, passkeysWork } from "../../lib/passkeys";
import { deviceWords } from "../../model/device";
import { useConfirmed } from "./Confirmation";
import { AUTHENTICATORS, type Authenticator, useListed } from "./requests";
import { Moment } from "./Times";

const PASSKEYS = `${AUTHENTICATORS}/webauthn`;

function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["account", AUTHENTICATORS] });
}

interface AddProps {
  onAdded: (codesMade: boolean) => void;
}

function Add({ onAdded }: AddProps) {
  const [open, setOpen] = useState(false);
  const confirmed = useConfirmed();
  const refresh = useRefresh();
  return (
    <>
      <button type="button" className="button" data-kind="primary" onClick={() => setOpen(true)}>
        Add a passkey
      </button>
      <Ask title="Add a passkey" open={open} onClose={() => setOpen(false)}>
        <p>Your browser asks next where to keep it: on this device, on your telephone, or on a security key.</p>
        <EntryForm
          entries={[
            {
              name: "name",
              label: "Name",
              value: deviceWords(navigator.userAgent),
              help: "So that you know it again in the list.",
            },
          ]}
          words={["Go on", "Waiting for your passkey…"]}
          send={({ name = "" }) => confirmed(() => addPasskey(name.trim()))}
          onSent={async (codesMade) => {
            setOpen(false);
            onAdded(codesMade);
            await refresh();
          }}
          onCancel={() => setOpen(false)}
          focus
        />
      </Ask>
    </>
  );
}

function Rename({ passkey }: { passkey: Authenticator }) {
  const [open, setOpen] = useState(false);
  const confirmed = useConfirmed();
  const refresh = useRefresh();
  return (
    <>
      <button type="button" className="button" aria-label={`Rename ${passkey.name}`} onClick={() => setOpen(true)}>
        Rename…
      </button>
      <Ask title={`Rename ${passkey.name}`} open={open} onClose={() => setOpen(false)}>
        <EntryForm
          entries={[{ name: "name", label: "Name", value: passkey.name ?? "" }]}
          words={["Rename it", "Renaming…"]}
          send={({ name = "" }) =>
            confirmed(() => askAccount("PUT", PASSKEYS, { body: { id: passkey.id, name: name.trim() } }))
          }
          onSent={async () => {
            setOpen(false);
            await refresh();
          }}
          onCancel={() => setOpen(false)}
          focus
        />
      </Ask>
    </>
  );
}

function PasskeyLine({ passkey }: { passkey: Authenticator }) {
  const confirmed = useConfirmed();
  const refresh = useRefresh();
  const remove = async () => {
    await confirmed(() => askAccount("DELETE", PASSKEYS, { body: { authenticators: [passkey.id] } }));
    await refresh();
  };
  return (
    <li className="line">
      <span className="grow">
        <strong>{passkey.name}</strong>{" "}
        <span className="quiet small">
          added <Moment seconds={passkey.created_at} />, last used{" "}
          {passkey.last_used_at === null ? "never" : <Moment seconds={passkey.last_used_at} />}
        </span>
      </span>
      <span className="row">
        <Rename passkey={passkey} />
        <AskedAction
          opener="Remove…"
          label={`Remove ${passkey.name}`}
          title={`Remove ${passkey.name}?`}
          words={["Remove it", "Removing…"]}
          keep="Keep it"
          act={remove}
        >
          <p>It does not let you in any more. Delete it on the device that holds it, too.</p>
        </AskedAction>
      </span>
    </li>
  );
}

/** The passkeys that sign in without a password. */
export function PasskeysPage() {
  const authenticators = useListed(AUTHENTICATORS);
  const [codesMade, setCodesMade] = useState(false);
  const passkeys = authenticators.data?.filter((each) => each.type === "webauthn") ?? [];
  return (
    <>
      <PageHead title="Passkeys" actions={passkeysWork() ? <Add onAdded={setCodesMade} /> : null} />
      <p className="quiet">
        A passkey signs you in with your fingerprint, face or PIN instead of the password, and cannot be given to a
        forged page.
      </p>
      {passkeysWork() ? null : (
        <Notice tone="unknown">
          <p>This browser has no passkeys, or the page is not loaded by HTTPS. Use another browser to add one.</p>
        </Notice>
      )}
      {codesMade ? (
        <Notice tone="unknown">
          <p>
            Recovery codes were made with your first passkey. Make a fresh list that you can keep on the page{" "}
            <Link to="/account/second-factor">Second factor</Link>.
          </p>
        </Notice>
      ) : null}
      <Panel title="Yours" flush={passkeys.length === 0}>
        {authenticators.isPending ? <Waiting>Loading your passkeys…</Waiting> : null}
        <ErrorNote error={authenticators.error} onRetry={() => void authenticators.refetch()} />
        {authenticators.isSuccess && passkeys.length === 0 ? (
          <Empty title="There are no passkeys yet.">
            <p>Add one for each device with which you sign in.</p>
          </Empty>
        ) : null}
        <ul className="lines">
          {passkeys.map((passkey) => (
            <PasskeyLine key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      </Panel>
    </>
  );
}
