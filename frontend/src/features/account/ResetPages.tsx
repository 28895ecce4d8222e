import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { EntryForm } from "../../components/EntryForm";
import { ErrorNote, Notice, Waiting } from "../../components/Notices";
import { askForReset, checkResetKey, resetPassword } from "../../lib/authentication";
import { Narrow } from "./Narrow";
import { NoMailServer } from "./NoMailServer";
import { useOnward } from "./onward";
import { useSignInOptions } from "./requests";
import { NEW_PASSWORD } from "./words";

const BACK = <Link to="/sign-in">Back to the sign-in page</Link>;

/** Ask for a mail with a link that sets a new password. */
export function AskForResetPage() {
  const [asked, setAsked] = useState<string | null>(null);
  const mailed = useSignInOptions().data?.mail !== false;
  if (asked !== null && !mailed) {
    return (
      <Narrow title="Ask for the link" under={BACK}>
        <NoMailServer>
          Ask whoever runs this installation for a link that sets a new password of <strong>{asked}</strong>: they make
          it under <code>/installation/</code>, on the page of the person, and it holds for an hour. If it is the
          address of an account, one was also written into the log of the server (<code>var/logs/web.log</code>) now.
        </NoMailServer>
      </Narrow>
    );
  }
  if (asked !== null) {
    return (
      <Narrow title="Look into your mailbox" under={BACK}>
        <p>
          If <strong>{asked}</strong> is the address of an account, a mail is on its way to it with a link that sets a
          new password.
        </p>
        <p className="quiet small">Nothing came? Look into the folder for unwanted mail, then ask again.</p>
        <p className="row">
          <button type="button" className="button" onClick={() => setAsked(null)}>
            Ask again
          </button>
        </p>
      </Narrow>
    );
  }
  return (
    <Narrow title="Reset your password" under={BACK}>
      <NoMailServer>The link is given to you by whoever runs it.</NoMailServer>
      <EntryForm
        entries={[
          {
            name: "email",
            label: "E-mail address",
            type: "email",
            autoComplete: "username",
            help: mailed ? "You will be sent a link to it." : "The address of your account.",
          },
        ]}
        words={mailed ? ["Send the link", "Sending…"] : ["Ask for a link", "Asking…"]}
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

/** The link of the mail: a new password. */
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
      <Narrow title="Your password is set">
        <Notice tone="good">
          <p>Sign in with it from now on.</p>
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
      {checking.isPending ? <Waiting>Looking at the link…</Waiting> : null}
      {checking.isError ? (
        <>
          <ErrorNote error={checking.error} />
          <p>
            <Link to="/reset-password">Ask for another link</Link>
          </p>
        </>
      ) : null}
      {checking.isSuccess ? (
        <EntryForm
          entries={[{ name: "password", label: "New password", ...NEW_PASSWORD }]}
          words={["Set the password", "Setting it…"]}
          send={({ password = "" }) => resetPassword(key, password)}
          onSent={(step) => (step.kind === "signed_out" ? setDone(true) : onward(step))}
          focus
        />
      ) : null}
    </Narrow>
  );
}
