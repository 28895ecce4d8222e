import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { ActionButton } from "../../components/ActionButton";
import { ErrorNote, Notice, Waiting } from "../../components/Notices";
import { addressOfKey, verifyEmail } from "../../lib/authentication";
import { useMe } from "../../lib/session";
import { type Step, withNext } from "../../model/signIn";
import { Narrow } from "./Narrow";
import { useNext, useOnward } from "./onward";

/** The account waits for its address to be verified. */
export function MailboxPage() {
  const next = useNext();
  return (
    <Narrow
      title="Look into your mailbox"
      under={<Link to={withNext("/sign-in", next)}>Back to the sign-in page</Link>}
    >
      <p>We have sent you a mail with a link. Open the link to verify your address; then you can go on.</p>
      <p className="quiet small">
        Nothing came? Look into the folder for unwanted mail. Signing in again sends another one, at most one every few
        minutes.
      </p>
    </Narrow>
  );
}

function Verified() {
  const me = useMe();
  return (
    <Narrow title="Your address is verified">
      <Notice tone="good">
        <p>Thank you. {me.data ? "You can go on." : "Sign in to go on."}</p>
      </Notice>
      <p className="row">
        <Link className="button" data-kind="primary" to={me.data ? "/" : "/sign-in"}>
          {me.data ? "Go on" : "Sign in"}
        </Link>
      </p>
    </Narrow>
  );
}

/** The link of the mail. A press verifies, for mail programs open links by themselves. */
export function VerifyEmailPage() {
  const { key = "" } = useParams();
  const onward = useOnward();
  const [verified, setVerified] = useState(false);
  const address = useQuery({
    queryKey: ["sign-in", "key", key],
    queryFn: () => addressOfKey(key),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  /** Opened in another browser than the one that signed up, the link verifies and does not sign in. */
  const settle = (step: Step) =>
    step.kind === "signed_out" || step.kind === "mailbox" ? setVerified(true) : onward(step);
  if (verified) return <Verified />;
  return (
    <Narrow title="Verify your address" under={<Link to="/sign-in">Sign in</Link>}>
      {address.isPending ? <Waiting>Looking at the link…</Waiting> : null}
      <ErrorNote error={address.error} />
      {address.isSuccess ? (
        <>
          <p>
            Is <strong>{address.data}</strong> your address?
          </p>
          <div className="row">
            <ActionButton
              words={["Yes, verify it", "Verifying…"]}
              act={() => verifyEmail(key)}
              onDone={settle}
              kind="primary"
            />
          </div>
        </>
      ) : null}
    </Narrow>
  );
}
