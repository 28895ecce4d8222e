import type { ReactNode } from "react";
import { Navigate, useLocation } from "react-router";
import { ErrorNote, Waiting } from "../components/Notices";
import { useMe } from "../lib/session";
import type { Me } from "../model/api";

/** What is for people who are signed in; everybody else goes to the sign-in page, and from there back here. */
export function SignedIn({ children }: { children: (me: Me) => ReactNode }) {
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
  if (me.data === null) {
    const next = pathname === "/" ? "" : `?next=${encodeURIComponent(pathname)}`;
    return <Navigate to={`/sign-in${next}`} replace />;
  }
  return children(me.data);
}
