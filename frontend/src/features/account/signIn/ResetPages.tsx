import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { EntryForm } from "../../../components/forms/EntryForm";
import { ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { askForReset, checkResetKey, resetPassword } from "../../../lib/account/authentication";
import { NoMailServer } from "../NoMailServer";
import { NEW_PASSWORD } from "../newPassword";
import { useSignInOptions } from "../requests";
import { Narrow } from "./Narrow";
import { useOnward } from "./onward";

const BACK = <Link to="/sign-in">Back to the sign-in page</Link>;

/** Request an email with a link that sets a new password. */
export function AskForResetPage() {
  const [asked, setAsked] = useState<string | null>(null);
  const mailed = useSignInOptions().data?.mail !== false;
  if (asked !== null && !mailed) {
    return (
      <Narrow title="Request the link" under={BACK}>
        <NoMailServer>
          Ask your administrator for a link that sets a new password for <strong>{asked}</strong>. They create it under{" "}
          <code>/installation/</code>, on the person's page; it is valid for one hour. If this is the address of an
          account, a link was also written to the server's log (<code>var/logs/web.log</code>).
        </NoMailServer>
      </Narrow>
    );
  }
  if (asked !== null) {
    return (
      <Narrow title="Check your email" under={BACK}>
        <p>
          If <strong>{asked}</strong> is the address of an account, we have sent it an email with a link that sets a new
          password.
        </p>
        <p className="quiet small">No email? Check your spam folder, then request another one.</p>
        <p className="row">
          <button type="button" className="button" onClick={() => setAsked(null)}>
            Request again
          </button>
        </p>
      </Narrow>
    );
  }
  return (
    <Narrow title="Reset your password" under={BACK}>
      <NoMailServer>Your administrator gives you the link.</NoMailServer>
      <EntryForm
        entries={[
          {
            name: "email",
            label: "Email address",
            type: "email",
            autoComplete: "username",
            help: mailed ? "We send a link to this address." : "The address of your account.",
          },
        ]}
        words={mailed ? ["Send the link", "Sending…"] : ["Request a link", "Requesting…"]}
        send={async ({ email = "" }) => {
          await askForReset(email);
          return email;
        }}
        onSent={setAsked}
        focus
      />
    </Narrow>
  );
}

/** The page of the emailed link, which sets a new password. */
export function ResetPasswordPage() {
  const { key = "" } = useParams();
  const onward = useOnward();
  const navigate = useNavigate();
  const [done, setDone] = useState(false);
  const checking = useQuery({
    queryKey: ["sign-in", "reset", key],
    queryFn: () => checkResetKey(key),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (done) {
    return (
      <Narrow title="Password set">
        <Notice tone="good">
          <p>Sign in with your new password.</p>
        </Notice>
        <p className="row">
          <button type="button" className="button" data-kind="primary" onClick={() => void navigate("/sign-in")}>
            Sign in
          </button>
        </p>
      </Narrow>
    );
  }
  return (
    <Narrow title="Choose a new password" under={BACK}>
      {checking.isPending ? <Waiting>Checking the link…</Waiting> : null}
      {checking.isError ? (
        <>
          <ErrorNote error={checking.error} />
          <p>
            <Link to="/reset-password">Request another link</Link>
          </p>
        </>
      ) : null}
      {checking.isSuccess ? (
        <EntryForm
          entries={[{ name: "password", label: "New password", ...NEW_PASSWORD }]}
          words={["Set password", "Setting…"]}
          send={({ password = "" }) => resetPassword(key, password)}
          onSent={(step) => (step.kind === "signed_out" ? setDone(true) : onward(step))}
          focus
        />
      ) : null}
    </Narrow>
  );
}
