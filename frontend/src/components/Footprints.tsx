import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { api, unwrap } from "../lib/api";
import { useSlug } from "../lib/session";
import { ErrorNote, Waiting } from "./Notices";
import { Panel } from "./Panel";

const FootprintList = lazy(async () => ({ default: (await import("./FootprintList")).FootprintList }));
const EVERY_MS = 30_000;

/** What inputs of a binding, without one of all, leave on other servers. */
function useFootprints(binding?: string) {
  const slug = useSlug();
  const query = binding === undefined ? {} : { binding };
  return useQuery({
    queryKey: [slug, "footprints", binding],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/footprints/", { params: { path: { slug }, query } })),
    refetchInterval: EVERY_MS,
  });
}

/** What the inputs of a binding leave on other servers; nothing where they leave nothing. */
export function FootprintsPanel({ binding }: { binding: string }) {
  const found = useFootprints(binding);
  if (found.data === undefined) return <ErrorNote error={found.error} onRetry={() => void found.refetch()} />;
  if (found.data.length === 0) return null;
  return (
    <Panel
      title="On other servers"
      note="What its inputs keep there, looked at every five minutes. It is removed when the binding is deleted or reads there no more."
    >
      <Suspense fallback={<Waiting>Loading…</Waiting>}>
        <FootprintList footprints={found.data} />
      </Suspense>
    </Panel>
  );
}

/** What is left of bindings on other servers that nobody uses any more; nothing where all is removed. */
export function LeftElsewhere() {
  const found = useFootprints();
  const leaving = found.data?.filter((left) => !left.used) ?? [];
  if (leaving.length === 0) return null;
  return (
    <Panel title="Still to be removed on other servers" note="Inputs of bindings have left this there.">
      <Suspense fallback={<Waiting>Loading…</Waiting>}>
        <FootprintList footprints={leaving} />
      </Suspense>
    </Panel>
  );
}
