import { Link } from "react-router";
import { LeftElsewhere } from "../../components/dependencies/Footprints";
import { Empty, ErrorNote, Waiting } from "../../components/notices/Notices";
import { PageHead } from "../../components/page/PageHead";
import { Panel } from "../../components/page/Panel";
import { useSlug } from "../../lib/account/session";
import { Bindings } from "./Bindings";
import { History } from "./History";
import { NewBinding } from "./NewBinding";
import { useBindings, useRuns } from "./requests";

/** The organisation's bindings with their states, and all runs. */
export function RunsPage() {
  const slug = useSlug();
  const bindings = useBindings();
  const runs = useRuns();
  return (
    <>
      <PageHead title="Runs" actions={<NewBinding />} />
      <p className="quiet">A binding connects a version of a query to its input streams. Starting it creates a run.</p>
      <ErrorNote error={bindings.error ?? runs.error} onRetry={() => void bindings.refetch()} />
      <Panel title="Bindings" flush>
        {bindings.isPending ? <Waiting>Loading the bindings…</Waiting> : null}
        {bindings.data?.length === 0 ? (
          <Empty title="No bindings yet">
            <p>
              A binding needs a query: <Link to={`/t/${slug}/queries`}>write one</Link> first. Then press “New binding”
              and start it.
            </p>
          </Empty>
        ) : null}
        {bindings.data !== undefined && bindings.data.length > 0 ? <Bindings bindings={bindings.data} /> : null}
      </Panel>
      <LeftElsewhere />
      <Panel title="All runs" note="The newest 100, newest first" flush>
        {runs.isPending ? <Waiting>Loading the runs…</Waiting> : null}
        {runs.data?.length === 0 ? (
          <Empty title="No runs yet">
            <p>Start a binding above. Its results and its log then appear on the page of the run.</p>
          </Empty>
        ) : null}
        {runs.data !== undefined && runs.data.length > 0 ? <History runs={runs.data} /> : null}
      </Panel>
    </>
  );
}
