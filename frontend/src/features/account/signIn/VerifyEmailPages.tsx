import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { ActionButton } from "../../../components/actions/ActionButton";
import { ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { addressOfKey, verifyEmail } from "../../../lib/account/authentication";
import { useMe } from "../../../lib/account/session";
import { type Step, withNext } from "../../../model/account/signIn";
import { Narrow } from "./Narrow";
import { useNext, useOnward } from "./onward";

/** The page of an account whose address is not verified yet. */
export function MailboxPage() {
  const next = useNext();
  return (
    <Narrow title="Check your email" under={<Link to={withNext("/sign-in", next)}>Back to the sign-in page</Link>}>
      <p>We have sent you an email with a link. Open it to verify your address and continue.</p>
      <p className="quiet small">
        No email? Check your spam folder. Signing in again sends another one, at most one every few minutes.
      </p>
    </Narrow>
  );
}

function Verified() {
  const me = useMe();
  return (
    <Narrow title="Address verified">
      <Notice tone="good">
        <p>{me.data ? "You can continue." : "Sign in to continue."}</p>
      </Notice>
      <p className="row">
        <Link className="button" data-kind="primary" to={me.data ? "/" : "/sign-in"}>
          {me.data ? "Continue" : "Sign in"}
        </Link>
      </p>
    </Narrow>
  );
}

/** The page of the emailed link. It verifies only when the button is pressed, because mail programs open links automatically. */
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
  /** In another browser than the one that signed up, the link verifies the address but does not sign in. */
  const settle = (step: Step) =>
    step.kind === "signed_out" || step.kind === "mailbox" ? setVerified(true) : onward(step);
  if (verified) return <Verified />;
  return (
    <Narrow title="Verify your address" under={<Link to="/sign-in">Sign in</Link>}>
      {address.isPending ? <Waiting>Checking the link…</Waiting> : null}
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
