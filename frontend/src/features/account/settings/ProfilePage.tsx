import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ActionButton } from "../../../components/actions/ActionButton";
import { ConfirmedAction } from "../../../components/actions/ConfirmedAction";
import { EntryForm } from "../../../components/forms/EntryForm";
import { ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { Panel } from "../../../components/page/Panel";
import { askAccount } from "../../../lib/account/authentication";
import { ME } from "../../../lib/account/session";
import { NoMailServer } from "../NoMailServer";
import { NEW_PASSWORD } from "../newPassword";
import { ADDRESSES, type Address, useListed } from "../requests";
import { useConfirmed } from "./Confirmation";

/** Change the addresses and reload them. */
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
          help: "Your current address stays active until you open the link sent to the new one.",
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
        words={[sent ? "Sent" : "Send the email again", "Sending…"]}
        act={() => change("PUT", { email })}
        onDone={() => setSent(true)}
      />
      {address.primary ? null : (
        <ConfirmedAction
          opener="Withdraw…"
          title={`Withdraw ${email}?`}
          words={["Withdraw", "Withdrawing…"]}
          keep="Keep it"
          act={() => change("DELETE", { email })}
        >
          <p>The link sent to it stops working.</p>
        </ConfirmedAction>
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
      title="Email address"
      note="For signing in and for emails from Punctual"
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
          Addresses can't be verified and don't have to be. The link for a changed address is in the server's log; ask
          your administrator.
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
            <p>Your password has been changed.</p>
          </Notice>
        ) : null}
        <EntryForm
          key={changed}
          entries={[
            {
              name: "current_password",
              label: "Current password",
              type: "password",
              autoComplete: "current-password",
              help: "Leave empty if you have no password yet.",
              optional: true,
            },
            { name: "new_password", label: "New password", ...NEW_PASSWORD },
          ]}
          words={["Change password", "Changing…"]}
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

/** A person's address and password. */
export function ProfilePage() {
  return (
    <>
      <PageHead title="Profile" />
      <Addresses />
      <Password />
    </>
  );
}
