import { Navigate, Outlet, useLocation } from "react-router";
import { ErrorNote, Notice, Waiting } from "../components/Notices";
import { useMe, useSlug } from "../lib/session";
import { Frame } from "./Frame";

/** The frame of every page inside an organisation. */
export function Shell() {
  const me = useMe();
  const slug = useSlug();
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
  const mine = me.data.organisations.some((each) => each.slug === slug);
  return (
    <Frame me={me.data} slug={slug}>
      {mine ? (
        <Outlet key={slug} />
      ) : (
        <Notice tone="bad">
          <p>There is no organisation “{slug}”, or you do not belong to it. Choose one of yours above.</p>
        </Notice>
      )}
    </Frame>
  );
}
