import type { ReactNode } from "react";
import { Navigate, useLocation } from "react-router";
import { ErrorNote, Waiting } from "../components/notices/Notices";
import { useMe } from "../lib/account/session";
import type { Me } from "../model/api";

/** Render pages for signed-in people; send everybody else to sign-in, and back here afterwards. */
export function SignedIn({ children }: { children: (me: Me) => ReactNode }) {
  const me = useMe();
  const { pathname } = useLocation();
  if (me.isPending) return <Waiting>Checking your session…</Waiting>;
  if (me.isError) {
    return (
      <main className="page">
        <ErrorNote error={me.error} onRetry={() => void me.refetch()} />
      </main>
    );
  }
  if (me.data === null) {
    const next = pathname === "/" ? "" : `?next=${encodeURIComponent(pathname)}`;
    return <Navigate to={`/sign-in${next}`} replace />;
  }
  return children(me.data);
}
