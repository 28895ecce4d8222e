import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { DeliveryList } from "../../components/DeliveryList";
import { ErrorNote } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { useOutputKinds } from "../../lib/adapterKinds";
import { api, unwrap } from "../../lib/api";
import { useSlug } from "../../lib/session";
import type { RunShown } from "../../model/api";
import { titlesOf } from "../../model/deliveries";
import { DeliveredRows } from "./DeliveredRows";

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
  const wanted = outputs.data !== undefined && outputs.data.length > 0;
  const kinds = useOutputKinds(wanted);
  if (outputs.isError && outputs.data === undefined) return <ErrorNote error={outputs.error} />;
  if (!wanted) return null;
  const titles = titlesOf(kinds.data);
  const readable = new Set(kinds.data?.filter((kind) => kind.reads_back).map((kind) => kind.kind));
  return (
    <Panel
      title="Deliveries"
      note="What is committed is brought to these outputs beside the run: they hold up neither it nor each other."
      actions={<Link to={`/t/${slug}/bindings/${run.binding}`}>Change the outputs</Link>}
      flush
    >
      <DeliveryList binding={run.binding} outputs={outputs.data} titles={titles} />
      {outputs.data
        .filter(({ adapter }) => readable.has(adapter.kind))
        .map((output) => (
          <DeliveredRows
            key={output.identity}
            binding={run.binding}
            output={output}
            title={titles[output.adapter.kind] ?? output.adapter.kind}
          />
        ))}
    </Panel>
  );
}
