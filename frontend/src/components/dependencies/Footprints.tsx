import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useSlug } from "../../lib/account/session";
import { api, unwrap } from "../../lib/api/client";
import { ErrorNote, Waiting } from "../notices/Notices";
import { Panel } from "../page/Panel";

const FootprintList = lazy(async () => ({ default: (await import("./FootprintList")).FootprintList }));
const EVERY_MS = 30_000;

/** Return the footprints of a binding's inputs on other servers; without a binding, all of them. */
function useFootprints(binding?: string) {
  const slug = useSlug();
  const query = binding === undefined ? {} : { binding };
  return useQuery({
    queryKey: [slug, "footprints", binding],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/footprints/", { params: { path: { slug }, query } })),
    refetchInterval: EVERY_MS,
  });
}

/** A binding's footprints on other servers; renders nothing if there are no footprints. */
export function FootprintsPanel({ binding }: { binding: string }) {
  const found = useFootprints(binding);
  if (found.data === undefined) return <ErrorNote error={found.error} onRetry={() => void found.refetch()} />;
  if (found.data.length === 0) return null;
  return (
    <Panel
      title="On other servers"
      note="What its inputs store there, checked every 5 minutes. Removed when the binding is deleted or reads from elsewhere."
    >
      <Suspense fallback={<Waiting>Loading…</Waiting>}>
        <FootprintList footprints={found.data} />
      </Suspense>
    </Panel>
  );
}

/** Footprints of deleted bindings that still have to be removed; renders nothing if there are no such footprints. */
export function LeftElsewhere() {
  const found = useFootprints();
  const leaving = found.data?.filter((left) => !left.used) ?? [];
  if (leaving.length === 0) return null;
  return (
    <Panel title="To be removed from other servers" note="Replication slots and the like left by deleted bindings">
      <Suspense fallback={<Waiting>Loading…</Waiting>}>
        <FootprintList footprints={leaving} />
      </Suspense>
    </Panel>
  );
}
