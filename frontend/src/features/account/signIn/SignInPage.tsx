import { Link, Navigate, useSearchParams } from "react-router";
import { ActionButton } from "../../../components/actions/ActionButton";
import { EntryForm } from "../../../components/forms/EntryForm";
import { ErrorNote, Notice } from "../../../components/notices/Notices";
import { goToProvider, signIn } from "../../../lib/account/authentication";
import { passkeysWork, signInByPasskey } from "../../../lib/account/passkeys";
import { useMe } from "../../../lib/account/session";
import { providerSentence, withNext } from "../../../model/account/signIn";
import { useSignInOptions } from "../requests";
import { useInvitation } from "./invitation";
import { Narrow } from "./Narrow";
import { useNext, useOnward } from "./onward";

/** The other ways to sign in: a passkey, and the providers of this installation. */
export function OtherWays({ next }: { next: string }) {
  const options = useSignInOptions();
  const onward = useOnward();
  const providers = options.data?.providers ?? [];
  const passkeys = passkeysWork();
  if (!passkeys && providers.length === 0) return null;
  return (
    <div className="other-ways">
      <p className="or">or</p>
      {passkeys ? (
        <ActionButton words={["Use a passkey", "Waiting for your passkey…"]} act={signInByPasskey} onDone={onward} />
      ) : null}
      {providers.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          className="button"
          onClick={() => goToProvider(id, withNext("/sign-in/return", next), "login")}
        >
          Continue with {name}
        </button>
      ))}
    </div>
  );
}

function SignUpHint({ next }: { next: string }) {
  const options = useSignInOptions();
  const invited = useInvitation() !== null;
  if (options.data?.sign_up || invited) {
    return (
      <p>
        No account yet? <Link to={withNext("/sign-up", next)}>Create one</Link>
      </p>
    );
  }
  if (options.data === undefined) return null;
  return <p className="quiet">Accounts are by invitation only. Ask an administrator of your organisation.</p>;
}

export function SignInPage() {
  const next = useNext();
  const onward = useOnward();
  const me = useMe();
  const invitation = useInvitation();
  const error = useSearchParams()[0].get("error");
  if (me.data) return <Navigate to={next} replace />;
  return (
    <Narrow
      title="Sign in"
      under={
        <>
          <p>
            <Link to="/reset-password">Forgot your password?</Link>
          </p>
          <SignUpHint next={next} />
        </>
      }
    >
      {error === null ? null : (
        <Notice tone="bad">
          <p>{providerSentence(error)}</p>
        </Notice>
      )}
      {invitation === null ? null : (
        <Notice tone="busy">
          <p>Sign in as {invitation.email} to accept your invitation.</p>
        </Notice>
      )}
      <EntryForm
        entries={[
          {
            name: "email",
            label: "Email address",
            type: "email",
            autoComplete: "username",
            value: invitation?.email ?? "",
          },
          { name: "password", label: "Password", type: "password", autoComplete: "current-password" },
        ]}
        words={["Sign in", "Signing in…"]}
        send={({ email = "", password = "" }) => signIn(email, password)}
        onSent={onward}
        focus
      />
      <OtherWays next={next} />
      <ErrorNote error={me.error} onRetry={() => void me.refetch()} />
    </Narrow>
  );
}
