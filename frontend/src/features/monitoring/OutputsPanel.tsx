import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Link } from "react-router";
import { ErrorNote, Waiting } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { api, unwrap } from "../../lib/api";
import { useSlug } from "../../lib/session";
import type { RunShown } from "../../model/api";

const Deliveries = lazy(async () => ({ default: (await import("./Deliveries")).Deliveries }));
const EVERY_MS = 3_000;

function useOutputs(binding: string) {
  const slug = useSlug();
  return useQuery({
    queryKey: [slug, "runs", "bindings", binding],
    queryFn: () => unwrap(api.GET("/api/t/{slug}/bindings/{binding}/", { params: { path: { slug, binding } } })),
    refetchInterval: EVERY_MS,
    select: (found) => found.outputs,
  });
}

/** Where the results of the run's binding go, and how far they have come: what is committed, whichever run made it. */
export function OutputsPanel({ run }: { run: RunShown }) {
  const slug = useSlug();
  const outputs = useOutputs(run.binding);
  if (outputs.isError && outputs.data === undefined) return <ErrorNote error={outputs.error} />;
  if (outputs.data === undefined || outputs.data.length === 0) return null;
  return (
    <Panel
      title="Deliveries"
      note="What is committed is brought to these outputs beside the run: they hold up neither it nor each other."
      actions={<Link to={`/t/${slug}/bindings/${run.binding}`}>Change the outputs</Link>}
      flush
    >
      <Suspense fallback={<Waiting>Loading…</Waiting>}>
        <Deliveries binding={run.binding} outputs={outputs.data} />
      </Suspense>
    </Panel>
  );
}
