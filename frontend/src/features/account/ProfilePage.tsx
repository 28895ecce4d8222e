import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ActionButton } from "../../components/ActionButton";
import { AskedAction } from "../../components/AskedAction";
import { EntryForm } from "../../components/EntryForm";
import { ErrorNote, Notice, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Panel } from "../../components/Panel";
import { askAccount } from "../../lib/authentication";
import { ME } from "../../lib/session";
import { useConfirmed } from "./Confirmation";
import { NoMailServer } from "./NoMailServer";
import { ADDRESSES, type Address, useListed } from "./requests";
import { NEW_PASSWORD } from "./words";

/** Changes the addresses and shows them as they are then. */
function useChange() {
  const confirmed = useConfirmed();
  const queries = useQueryClient();
  return async (method: "POST" | "PUT" | "PATCH" | "DELETE", body: object) => {
    const answer = await confirmed(() => askAccount<readonly Address[]>(method, ADDRESSES, { body }));
    await queries.invalidateQueries({ queryKey: ["account", ADDRESSES] });
    await queries.invalidateQueries({ queryKey: ME });
    return answer;
  };
}

function NewAddress({ onDone }: { onDone: (email: string) => void }) {
  const change = useChange();
  return (
    <EntryForm
      entries={[
        {
          name: "email",
          label: "New address",
          type: "email",
          autoComplete: "email",
          help: "The present address stays in force until the link in the mail to the new one was opened.",
        },
      ]}
      words={["Send the link", "Sending…"]}
      send={async ({ email = "" }) => {
        await change("POST", { email });
        return email;
      }}
      onSent={onDone}
    />
  );
}

function Waits({ address }: { address: Address }) {
  const change = useChange();
  const [sent, setSent] = useState(false);
  const { email } = address;
  return (
    <>
      <ActionButton
        words={[sent ? "Sent" : "Send the mail again", "Sending…"]}
        act={() => change("PUT", { email })}
        onDone={() => setSent(true)}
      />
      {address.primary ? null : (
        <AskedAction
          opener="Withdraw…"
          title={`Withdraw ${email}?`}
          words={["Withdraw it", "Withdrawing…"]}
          keep="Keep it"
          act={() => change("DELETE", { email })}
        >
          <p>The link in the mail to it does nothing any more.</p>
        </AskedAction>
      )}
    </>
  );
}

function AddressLine({ address }: { address: Address }) {
  const change = useChange();
  const { email, primary, verified } = address;
  return (
    <li className="line">
      <span className="grow">
        <strong>{email}</strong>{" "}
        <span className="quiet small">
          {primary ? "in use" : "not in use"}, {verified ? "verified" : "not verified"}
        </span>
      </span>
      <span className="row">
        {verified ? null : <Waits address={address} />}
        {verified && !primary ? (
          <ActionButton words={["Use this one", "Changing…"]} act={() => change("PATCH", { email, primary: true })} />
        ) : null}
      </span>
    </li>
  );
}

function Addresses() {
  const addresses = useListed(ADDRESSES);
  const [changing, setChanging] = useState(false);
  return (
    <Panel
      title="E-mail address"
      note="You sign in with it, and mails go to it."
      actions={
        changing ? null : (
          <button type="button" className="button" onClick={() => setChanging(true)}>
            Change the address
          </button>
        )
      }
    >
      <div className="stack">
        <NoMailServer>
          Addresses cannot be verified, and none needs to be. The link of a changed address stands in the log of the
          server, for who runs it.
        </NoMailServer>
        {addresses.isPending ? <Waiting>Loading your address…</Waiting> : null}
        <ErrorNote error={addresses.error} onRetry={() => void addresses.refetch()} />
        <ul className="lines">
          {addresses.data?.map((address) => (
            <AddressLine key={address.email} address={address} />
          ))}
        </ul>
        {changing ? <NewAddress onDone={() => setChanging(false)} /> : null}
      </div>
    </Panel>
  );
}

function Password() {
  const confirmed = useConfirmed();
  const [changed, setChanged] = useState(0);
  return (
    <Panel title="Password" note="Changing it ends your sessions in other browsers.">
      <div className="stack">
        {changed > 0 ? (
          <Notice tone="good">
            <p>Your password is changed.</p>
          </Notice>
        ) : null}
        <EntryForm
          key={changed}
          entries={[
            {
              name: "current_password",
              label: "Present password",
              type: "password",
              autoComplete: "current-password",
              help: "Leave it empty if you have none yet.",
              optional: true,
            },
            { name: "new_password", label: "New password", ...NEW_PASSWORD },
          ]}
          words={["Change the password", "Changing it…"]}
          send={({ current_password, new_password }) => {
            const body = current_password ? { current_password, new_password } : { new_password };
            return confirmed(() => askAccount("POST", "/account/password/change", { body }));
          }}
          onSent={() => setChanged(changed + 1)}
        />
      </div>
    </Panel>
  );
}

/** My address and my password. */
export function ProfilePage() {
  return (
    <>
      <PageHead title="Profile" />
      <Addresses />
      <Password />
    </>
  );
}
