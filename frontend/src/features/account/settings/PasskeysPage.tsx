import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { ConfirmedAction } from "../../../components/actions/ConfirmedAction";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { EntryForm } from "../../../components/forms/EntryForm";
import { Empty, ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { Panel } from "../../../components/page/Panel";
import { askAccount } from "../../../lib/account/authentication";
import { addPasskey, passkeysWork } from "../../../lib/account/passkeys";
import { deviceWords } from "../../../messages/organisation/device";
import { AUTHENTICATORS, type Authenticator, useListed } from "../requests";
import { useConfirmed } from "./Confirmation";
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
      <ModalDialog title="Add a passkey" open={open} onClose={() => setOpen(false)}>
        <p>Next, your browser asks where to store it: on this device, your phone or a security key.</p>
        <EntryForm
          entries={[
            {
              name: "name",
              label: "Name",
              value: deviceWords(navigator.userAgent),
              help: "To recognise it in the list.",
            },
          ]}
          words={["Continue", "Waiting for your passkey…"]}
          send={({ name = "" }) => confirmed(() => addPasskey(name.trim()))}
          onSent={async (codesMade) => {
            setOpen(false);
            onAdded(codesMade);
            await refresh();
          }}
          onCancel={() => setOpen(false)}
          focus
        />
      </ModalDialog>
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
      <ModalDialog title={`Rename ${passkey.name}`} open={open} onClose={() => setOpen(false)}>
        <EntryForm
          entries={[{ name: "name", label: "Name", value: passkey.name ?? "" }]}
          words={["Rename", "Renaming…"]}
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
      </ModalDialog>
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
        <ConfirmedAction
          opener="Remove…"
          label={`Remove ${passkey.name}`}
          title={`Remove ${passkey.name}?`}
          words={["Remove", "Removing…"]}
          keep="Keep it"
          act={remove}
        >
          <p>You can't sign in with it any more. Also delete it on the device that stores it.</p>
        </ConfirmedAction>
      </span>
    </li>
  );
}

/** The passkeys for signing in without a password. */
export function PasskeysPage() {
  const authenticators = useListed(AUTHENTICATORS);
  const [codesMade, setCodesMade] = useState(false);
  const passkeys = authenticators.data?.filter((each) => each.type === "webauthn") ?? [];
  return (
    <>
      <PageHead title="Passkeys" actions={passkeysWork() ? <Add onAdded={setCodesMade} /> : null} />
      <p className="quiet">
        A passkey signs you in with your fingerprint, face or PIN instead of the password. It does not work on phishing
        pages.
      </p>
      {passkeysWork() ? null : (
        <Notice tone="unknown">
          <p>
            This browser doesn't support passkeys, or the page isn't loaded over HTTPS. Use another browser to add one.
          </p>
        </Notice>
      )}
      {codesMade ? (
        <Notice tone="unknown">
          <p>
            Recovery codes were created with your first passkey. To save them, create a new list on the page{" "}
            <Link to="/account/second-factor">Second factor</Link>.
          </p>
        </Notice>
      ) : null}
      <Panel title="Yours" flush={passkeys.length === 0}>
        {authenticators.isPending ? <Waiting>Loading your passkeys…</Waiting> : null}
        <ErrorNote error={authenticators.error} onRetry={() => void authenticators.refetch()} />
        {authenticators.isSuccess && passkeys.length === 0 ? (
          <Empty title="No passkeys yet">
            <p>Add one for each device that you sign in with.</p>
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
