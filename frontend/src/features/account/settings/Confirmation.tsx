import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useMemo, useState } from "react";
import { ActionButton } from "../../../components/actions/ActionButton";
import { ModalDialog } from "../../../components/actions/ModalDialog";
import { EntryForm } from "../../../components/forms/EntryForm";
import { ConfirmationNeeded, confirmByCode, confirmByPassword } from "../../../lib/account/authentication";
import { confirmByPasskey, passkeysWork } from "../../../lib/account/passkeys";
import type { Flow } from "../../../model/account/signIn";
import { CodeEntry } from "../CodeEntry";

type Way = "password" | "code" | "passkey";

/** Return the ways that both the server and this browser support, the easiest first. */
function waysOf(flows: readonly Flow[]): Way[] {
  const types = flows.flatMap((flow) => flow.types ?? []);
  const ways: Way[] = [];
  if (flows.some((flow) => flow.id === "reauthenticate")) ways.push("password");
  if (types.includes("totp") || types.includes("recovery_codes")) ways.push("code");
  if (types.includes("webauthn") && passkeysWork()) ways.push("passkey");
  return ways;
}

const OTHERWISE: Record<Way, string> = {
  password: "Use the password",
  code: "Use a code from your authenticator app",
  passkey: "Use a passkey",
};

function ByPassword({ onDone }: { onDone: () => void }) {
  return (
    <EntryForm
      entries={[{ name: "password", label: "Your password", type: "password", autoComplete: "current-password" }]}
      words={["Confirm", "Checking…"]}
      send={({ password = "" }) => confirmByPassword(password)}
      onSent={onDone}
      focus
    />
  );
}

function Ways({ flows, onDone }: { flows: readonly Flow[]; onDone: () => void }) {
  const ways = waysOf(flows);
  const [way, setWay] = useState<Way | undefined>(ways[0]);
  return (
    <>
      <p>This changes how you sign in, so Punctual needs to confirm that it is you.</p>
      {way === "password" ? <ByPassword onDone={onDone} /> : null}
      {way === "code" ? (
        <CodeEntry recovery={false} words={["Confirm", "Checking…"]} send={confirmByCode} onSent={onDone} />
      ) : null}
      {way === "passkey" ? (
        <div className="row">
          <ActionButton
            words={["Use a passkey", "Waiting for your passkey…"]}
            act={confirmByPasskey}
            onDone={onDone}
            kind="primary"
          />
        </div>
      ) : null}
      {way === undefined ? <p>Sign out and in again, then repeat this action.</p> : null}
      {ways
        .filter((each) => each !== way)
        .map((each) => (
          <p key={each} className="small">
            <button type="button" className="link" onClick={() => setWay(each)}>
              {OTHERWISE[each]}
            </button>
          </p>
        ))}
    </>
  );
}

type Confirmed = <T>(action: () => Promise<T>) => Promise<T>;

const Context = createContext<Confirmed>((action) => action());

/** Run an action; if the server requires confirmation, ask the person and run it again. */
export function useConfirmed(): Confirmed {
  return use(Context);
}

interface Pending {
  flows: readonly Flow[];
  resolve: () => void;
  reject: (error: Error) => void;
}

/** Wraps pages whose actions may need confirmation. */
export function Confirmation({ children }: { children: ReactNode }) {
  const [pending, setPending] = useState<Pending | null>(null);
  const queries = useQueryClient();
  const run = useMemo<Confirmed>(
    () => async (action) => {
      try {
        return await action();
      } catch (error) {
        if (!(error instanceof ConfirmationNeeded)) throw error;
        const { flows } = error;
        await new Promise<void>((resolve, reject) => setPending({ flows, resolve, reject }));
        return await action();
      }
    },
    [],
  );
  const done = () => {
    pending?.resolve();
    setPending(null);
    void queries.invalidateQueries({ queryKey: ["account"] });
  };
  const close = () => {
    pending?.reject(new Error("Nothing was changed because you did not confirm your identity. Try again."));
    setPending(null);
  };
  return (
    <Context value={run}>
      {children}
      <ModalDialog title="Confirm that it is you" open={pending !== null} onClose={close}>
        {pending === null ? null : <Ways flows={pending.flows} onDone={done} />}
      </ModalDialog>
    </Context>
  );
}
