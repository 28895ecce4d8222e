import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { ActionButton } from "../../../components/actions/ActionButton";
import { ConfirmedAction } from "../../../components/actions/ConfirmedAction";
import { EntryForm } from "../../../components/forms/EntryForm";
import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { PageHead } from "../../../components/page/PageHead";
import { Panel } from "../../../components/page/Panel";
import { askAccount } from "../../../lib/account/authentication";
import { AUTHENTICATORS, type Authenticator, useListed } from "../requests";
import { useConfirmed } from "./Confirmation";
import { QrCode } from "./QrCode";
import { RecoveryCodes } from "./RecoveryCodes";
import { Moment } from "./Times";

const TOTP = `${AUTHENTICATORS}/totp`;
const CODES = `${AUTHENTICATORS}/recovery-codes`;

interface Offer {
  secret: string;
  totp_url: string;
}

async function beginTotp(): Promise<Offer> {
  const answer = await askAccount("GET", TOTP, { also: [404] });
  const offer = answer.meta as Partial<Offer> | undefined;
  if (!offer?.secret || !offer.totp_url)
    throw new Error("The authenticator app is already set up. Reload the page to see it.");
  return { secret: offer.secret, totp_url: offer.totp_url };
}

/** Return the recovery codes, which the server sends only once; empty if it already sent them. */
async function codesOnce(method: "GET" | "POST"): Promise<readonly string[]> {
  const asked = method === "POST" ? { body: {} } : { also: [404] };
  return (await askAccount<Authenticator>(method, CODES, asked)).data?.unused_codes ?? [];
}

function inFours(secret: string): string {
  return secret.replaceAll(/(.{4})(?=.)/g, "$1 ");
}

interface SetUpProps {
  offer: Offer;
  onDone: (codes: readonly string[]) => void;
  onCancel: () => void;
}

function SetUp({ offer, onDone, onCancel }: SetUpProps) {
  const confirmed = useConfirmed();
  return (
    <div className="set-up">
      <QrCode text={offer.totp_url} label="QR code for your authenticator app" />
      <div className="stack">
        <p>Scan the QR code with your authenticator app, or enter this key:</p>
        <code className="secret">{inFours(offer.secret)}</code>
        <EntryForm
          entries={[
            {
              name: "code",
              label: "Code",
              help: "The six digits that the app then shows.",
              autoComplete: "one-time-code",
              inputMode: "numeric",
              mono: true,
            },
          ]}
          words={["Turn on", "Checking…"]}
          send={({ code = "" }) =>
            confirmed(async () => {
              await askAccount("POST", TOTP, { body: { code: code.replaceAll(/\s/g, "") } });
              return codesOnce("GET");
            })
          }
          onSent={onDone}
          onCancel={onCancel}
          focus
        />
      </div>
    </div>
  );
}

function TotpOn({ totp }: { totp: Authenticator }) {
  const confirmed = useConfirmed();
  const queries = useQueryClient();
  const turnOff = async () => {
    await confirmed(() => askAccount("DELETE", TOTP));
    await queries.invalidateQueries({ queryKey: ["account", AUTHENTICATORS] });
  };
  return (
    <div className="line">
      <span className="grow">
        On since <Moment seconds={totp.created_at} />.{" "}
        <span className="quiet">
          Last used: {totp.last_used_at === null ? "never" : <Moment seconds={totp.last_used_at} />}
        </span>
      </span>
      <ConfirmedAction
        opener="Turn it off…"
        title="Turn off the second factor?"
        words={["Turn off", "Turning off…"]}
        keep="Keep it"
        act={turnOff}
      >
        <p>
          Then your password alone signs you in, unless you have a passkey. Recovery codes stop working with your last
          second factor.
        </p>
      </ConfirmedAction>
    </div>
  );
}

interface TotpProps {
  totp: Authenticator | undefined;
  onCodes: (codes: readonly string[]) => void;
}

function Totp({ totp, onCodes }: TotpProps) {
  const queries = useQueryClient();
  const [offer, setOffer] = useState<Offer | null>(null);
  const done = async (codes: readonly string[]) => {
    onCodes(codes);
    await queries.invalidateQueries({ queryKey: ["account", AUTHENTICATORS] });
    setOffer(null);
  };
  if (totp !== undefined) return <TotpOn totp={totp} />;
  if (offer !== null) return <SetUp offer={offer} onDone={done} onCancel={() => setOffer(null)} />;
  return (
    <div className="stack">
      <p>Off. When on, sign-in requires your password and a code from an app on your phone.</p>
      <div className="row">
        <ActionButton words={["Set up", "Preparing…"]} act={beginTotp} onDone={setOffer} kind="primary" />
      </div>
    </div>
  );
}

interface CodesProps {
  codes: Authenticator | undefined;
  onCodes: (codes: readonly string[]) => void;
}

function Codes({ codes, onCodes }: CodesProps) {
  const confirmed = useConfirmed();
  const queries = useQueryClient();
  const renew = async () => {
    onCodes(await confirmed(() => codesOnce("POST")));
    await queries.invalidateQueries({ queryKey: ["account", AUTHENTICATORS] });
  };
  if (codes === undefined) {
    return (
      <p className="quiet">
        Recovery codes are created when you set up an authenticator app or{" "}
        <Link to="/account/passkeys">add a passkey</Link>.
      </p>
    );
  }
  return (
    <div className="line">
      <span className="grow">
        {codes.unused_code_count} of {codes.total_code_count} codes are left.
      </span>
      <ConfirmedAction
        opener="Create new codes…"
        title="Create new recovery codes?"
        words={["Create new codes", "Creating…"]}
        keep="Keep the old codes"
        act={renew}
      >
        <p>The old codes stop working.</p>
      </ConfirmedAction>
    </div>
  );
}

/** The authenticator app and the recovery codes. */
export function SecondFactorPage() {
  const authenticators = useListed(AUTHENTICATORS);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const of = (type: Authenticator["type"]) => authenticators.data?.find((each) => each.type === type);
  return (
    <>
      <PageHead title="Second factor" />
      {authenticators.isPending ? <Waiting>Loading your second factors…</Waiting> : null}
      <ErrorNote error={authenticators.error} onRetry={() => void authenticators.refetch()} />
      {authenticators.isSuccess ? (
        <>
          <Panel title="Authenticator app">
            <Totp totp={of("totp")} onCodes={setCodes} />
          </Panel>
          <Panel title="Recovery codes" note="For when you don't have your second factor with you">
            {codes.length > 0 ? (
              <RecoveryCodes codes={codes} onKept={() => setCodes([])} />
            ) : (
              <Codes codes={of("recovery_codes")} onCodes={setCodes} />
            )}
          </Panel>
        </>
      ) : null}
    </>
  );
}
