import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, useLocation, useNavigate } from "react-router";
import { ActionButton } from "../../../components/actions/ActionButton";
import { ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { IsoInstant } from "../../../components/values/Instant";
import { signOut } from "../../../lib/account/authentication";
import { ME, useMe } from "../../../lib/account/session";
import { ApiFailure, api, messageOf, unwrap } from "../../../lib/api/client";
import { withNext } from "../../../model/account/signIn";
import type { InvitationSeen } from "../../../model/api";
import { forgetInvitation, INVITATION_PAGE, keepInvitation, keptInvitation, useLook } from "./invitation";
import { Narrow } from "./Narrow";

const SIGN_IN = withNext("/sign-in", INVITATION_PAGE);
const SIGN_UP = withNext("/sign-up", INVITATION_PAGE);

function ToSignIn() {
  return (
    <>
      <p>Create an account with this address to accept it, or sign in if you have one.</p>
      <p className="row">
        <Link className="button" data-kind="primary" to={SIGN_UP}>
          Create an account
        </Link>
        <Link className="button" to={SIGN_IN}>
          Sign in
        </Link>
      </p>
    </>
  );
}

function SomebodyElse({ email, looked }: { email: string; looked: InvitationSeen }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    await signOut();
    queries.setQueryData(ME, null);
    // The server stores an invitation in the session, which has just ended.
    await queries.invalidateQueries({ queryKey: ["invitation"] });
    await navigate(INVITATION_PAGE);
  };
  return (
    <>
      <Notice tone="unknown">
        <p>
          You are signed in as <strong>{email}</strong>, but the invitation is for <strong>{looked.email}</strong>. Sign
          out to accept it, or ask for an invitation to your address.
        </p>
      </Notice>
      <div className="row">
        <ActionButton words={["Sign out and continue", "Signing out…"]} act={leave} kind="primary" />
        <Link to="/">Stay signed in</Link>
      </div>
    </>
  );
}

function Accept({ token, looked }: { token: string; looked: InvitationSeen }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const accept = async () => {
    const { slug } = await unwrap(api.POST("/api/invitations/accept/", { body: { token } }));
    forgetInvitation();
    await queries.invalidateQueries({ queryKey: ME });
    await navigate(`/t/${slug}`, { replace: true });
  };
  return (
    <div className="row">
      <ActionButton words={[`Join ${looked.organisation}`, "Joining…"]} act={accept} kind="primary" />
      <Link to="/" onClick={forgetInvitation}>
        Not now
      </Link>
    </div>
  );
}

function Looked({ token, looked }: { token: string; looked: InvitationSeen }) {
  const me = useMe();
  const mine = me.data?.email.toLowerCase() === looked.email.toLowerCase();
  return (
    <>
      <p>
        <strong>{looked.organisation}</strong> invites <strong>{looked.email}</strong> as <strong>{looked.role}</strong>
        .
      </p>
      <p className="quiet small">
        Sent by {looked.invited_by}. Valid until <IsoInstant iso={looked.expires_at} />.
      </p>
      {me.isPending ? <Waiting>Checking your session…</Waiting> : null}
      {me.data === null ? <ToSignIn /> : null}
      {me.data && !mine ? <SomebodyElse email={me.data.email} looked={looked} /> : null}
      {me.data && mine ? <Accept token={token} looked={looked} /> : null}
    </>
  );
}

function NoInvitation({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const gone = error instanceof ApiFailure && error.status >= 400 && error.status < 500 && error.status !== 429;
  useEffect(() => {
    if (gone) forgetInvitation();
  }, [gone]);
  if (!gone) return <ErrorNote error={error} onRetry={onRetry} />;
  return (
    <>
      <Notice tone="bad">
        <p>{messageOf(error)}</p>
      </Notice>
      <p className="quiet">If you have already accepted it, sign in and choose the organisation in the menu.</p>
      <p className="row">
        <Link className="button" to="/">
          Continue without it
        </Link>
      </p>
    </>
  );
}

/** The page of an invitation. Its token is in the address after the `#`, so that no server logs it. */
export function InvitationPage() {
  const { hash } = useLocation();
  const [token] = useState(() => (hash.length > 1 ? hash.slice(1) : keptInvitation()));
  const looked = useLook(token);
  useEffect(() => {
    if (token !== null && looked.isSuccess) keepInvitation(token);
  }, [token, looked.isSuccess]);
  return (
    <Narrow title="Invitation">
      {token === null ? <p>The link is incomplete. Open it again from the email, or copy all of it.</p> : null}
      {token !== null && looked.isPending ? <Waiting>Loading the invitation…</Waiting> : null}
      {looked.isError ? <NoInvitation error={looked.error} onRetry={() => void looked.refetch()} /> : null}
      {token !== null && looked.data ? <Looked token={token} looked={looked.data} /> : null}
    </Narrow>
  );
}
