import { Link, Navigate } from "react-router";
import { EntryForm } from "../../components/EntryForm";
import { Notice, Waiting } from "../../components/Notices";
import { finishSignUp, signUp } from "../../lib/authentication";
import { useMe } from "../../lib/session";
import { withNext } from "../../model/signIn";
import { useInvitation } from "./invitation";
import { Narrow } from "./Narrow";
import { useNext, useOnward } from "./onward";
import { useSignInOptions } from "./requests";
import { NEW_PASSWORD } from "./words";

function Form({ email, mailed }: { email: string | null; mailed: boolean }) {
  const onward = useOnward();
  return (
    <EntryForm
      entries={[
        {
          name: "email",
          label: "E-mail address",
          type: "email",
          autoComplete: "username",
          value: email ?? "",
          readOnly: email !== null,
          help:
            email !== null
              ? "The address that was invited."
              : mailed
                ? "You will be sent a link to it."
                : "You sign in with it.",
        },
        { name: "password", label: "Password", ...NEW_PASSWORD },
      ]}
      words={["Create the account", "Creating it…"]}
      send={(values) => signUp(values.email ?? "", values.password ?? "")}
      onSent={onward}
      focus
    />
  );
}

/** A new account; by invitation where sign-up is closed to everybody else. */
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
          You have one already? <Link to={withNext("/sign-in", next)}>Sign in</Link>
        </p>
      }
    >
      {options.isPending ? <Waiting>Looking whether accounts can be made…</Waiting> : null}
      {open ? <Form email={invitation?.email ?? null} mailed={options.data?.mail !== false} /> : null}
      {!open && options.isSuccess ? (
        <Notice tone="unknown">
          <p>Accounts here are made by invitation. Ask an administrator of your organisation to invite you.</p>
        </Notice>
      ) : null}
    </Narrow>
  );
}

/** A provider said who somebody is, but not their address. */
export function FinishSignUpPage() {
  const onward = useOnward();
  return (
    <Narrow title="One thing is missing" under={<Link to="/sign-in">Sign in another way</Link>}>
      <p>The other page did not tell your e-mail address. Punctual needs it to reach you.</p>
      <EntryForm
        entries={[{ name: "email", label: "E-mail address", type: "email", autoComplete: "email" }]}
        words={["Create the account", "Creating it…"]}
        send={({ email = "" }) => finishSignUp(email)}
        onSent={onward}
        focus
      />
    </Narrow>
  );
}
