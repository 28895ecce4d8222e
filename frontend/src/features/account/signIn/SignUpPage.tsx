import { Link, Navigate } from "react-router";
import { EntryForm } from "../../../components/forms/EntryForm";
import { Notice, Waiting } from "../../../components/notices/Notices";
import { finishSignUp, signUp } from "../../../lib/account/authentication";
import { useMe } from "../../../lib/account/session";
import { withNext } from "../../../model/account/signIn";
import { NEW_PASSWORD } from "../newPassword";
import { useSignInOptions } from "../requests";
import { useInvitation } from "./invitation";
import { Narrow } from "./Narrow";
import { useNext, useOnward } from "./onward";

function Form({ email, mailed }: { email: string | null; mailed: boolean }) {
  const onward = useOnward();
  return (
    <EntryForm
      entries={[
        {
          name: "email",
          label: "Email address",
          type: "email",
          autoComplete: "username",
          value: email ?? "",
          readOnly: email !== null,
          help:
            email !== null
              ? "The invited address."
              : mailed
                ? "We send a link to this address."
                : "You sign in with this address.",
        },
        { name: "password", label: "Password", ...NEW_PASSWORD },
      ]}
      words={["Create account", "Creating…"]}
      send={(values) => signUp(values.email ?? "", values.password ?? "")}
      onSent={onward}
      focus
    />
  );
}

/** The page that creates an account; by invitation if sign-up is closed. */
export function SignUpPage() {
  const next = useNext();
  const me = useMe();
  const options = useSignInOptions();
  const invitation = useInvitation();
  if (me.data) return <Navigate to={next} replace />;
  const open = options.data?.sign_up || invitation !== null;
  return (
    <Narrow
      title="Create an account"
      under={
        <p>
          Already have an account? <Link to={withNext("/sign-in", next)}>Sign in</Link>
        </p>
      }
    >
      {options.isPending ? <Waiting>Checking whether sign-up is open…</Waiting> : null}
      {open ? <Form email={invitation?.email ?? null} mailed={options.data?.mail !== false} /> : null}
      {!open && options.isSuccess ? (
        <Notice tone="unknown">
          <p>Accounts are by invitation only. Ask an administrator of your organisation to invite you.</p>
        </Notice>
      ) : null}
    </Narrow>
  );
}

/** The page after a provider confirmed a person's identity without an email address. */
export function FinishSignUpPage() {
  const onward = useOnward();
  return (
    <Narrow title="Your email address" under={<Link to="/sign-in">Sign in another way</Link>}>
      <p>Your provider did not send your email address. Enter it to finish signing up.</p>
      <EntryForm
        entries={[{ name: "email", label: "Email address", type: "email", autoComplete: "email" }]}
        words={["Create account", "Creating…"]}
        send={({ email = "" }) => finishSignUp(email)}
        onSent={onward}
        focus
      />
    </Narrow>
  );
}
