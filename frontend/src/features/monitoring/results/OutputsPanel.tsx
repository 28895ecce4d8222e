import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Link } from "react-router";
import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { useSlug } from "../../../lib/account/session";
import { api, unwrap } from "../../../lib/api/client";
import type { RunResponse } from "../../../model/api";

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

/** The outputs of the run's binding and their delivery progress, across all of its runs. */
export function OutputsPanel({ run }: { run: RunResponse }) {
  const slug = useSlug();
  const outputs = useOutputs(run.binding);
  if (outputs.isError && outputs.data === undefined) return <ErrorNote error={outputs.error} />;
  if (outputs.data === undefined || outputs.data.length === 0) return null;
  return (
    <Panel
      title="Deliveries"
      note="Committed results are delivered to these outputs independently, so a slow output delays neither the run nor the others"
      actions={<Link to={`/t/${slug}/bindings/${run.binding}`}>Edit outputs</Link>}
      flush
    >
      <Suspense fallback={<Waiting>Loading…</Waiting>}>
        <Deliveries binding={run.binding} outputs={outputs.data} />
      </Suspense>
    </Panel>
  );
}
