import { Navigate } from "react-router";
import { Empty, ErrorNote, Waiting } from "../components/Notices";
import { signOut, useMe } from "../lib/session";

/** Goes to the runs of the first organisation, or to the sign-in page. */
export function Home() {
  const me = useMe();
  if (me.isPending) return <Waiting>Looking who you are…</Waiting>;
  if (me.isError) {
    return (
      <main className="page">
        <ErrorNote error={me.error} onRetry={() => void me.refetch()} />
      </main>
    );
  }
  if (me.data === null) return <Navigate to="/sign-in" replace />;
  const [first] = me.data.organisations;
  if (first !== undefined) return <Navigate to={`/t/${first.slug}/runs`} replace />;
  return (
    <main className="page">
      <h1>No organisation yet</h1>
      <Empty title={`${me.data.email} belongs to no organisation.`}>
        <p>Ask an administrator of your organisation to add you, then reload this page.</p>
        <button
          type="button"
          className="button"
          onClick={() => void signOut().then(() => window.location.assign("/sign-in"))}
        >
          Sign out
        </button>
      </Empty>
    </main>
  );
}
