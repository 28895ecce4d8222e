import { Navigate, useLocation } from "react-router";
import { ErrorNote, Waiting } from "../components/Notices";
import { AccountLayout } from "../features/account";
import { useMe } from "../lib/session";
import { Frame } from "./Frame";

/** The frame of the pages of one's own account, outside of organisations. */
export function AccountShell() {
  const me = useMe();
  const { pathname } = useLocation();
  if (me.isPending) return <Waiting>Looking who you are…</Waiting>;
  if (me.isError) {
    return (
      <main className="page">
        <ErrorNote error={me.error} onRetry={() => void me.refetch()} />
      </main>
    );
  }
  if (me.data === null) return <Navigate to={`/sign-in?next=${encodeURIComponent(pathname)}`} replace />;
  return (
    <Frame me={me.data} slug={null}>
      <AccountLayout />
    </Frame>
  );
}
