import { Link } from "react-router";
import { LeftElsewhere } from "../../components/Footprints";
import { Empty, ErrorNote, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { Panel } from "../../components/Panel";
import { useSlug } from "../../lib/session";
import { Bindings } from "./Bindings";
import { History } from "./History";
import { NewBinding } from "./NewBinding";
import { useBindings, useRuns } from "./requests";

/** What is bound to run, what is wanted of it and what is seen; below, every run so far. */
export function RunsPage() {
  const slug = useSlug();
  const bindings = useBindings();
  const runs = useRuns();
  return (
    <>
      <PageHead title="Runs" actions={<NewBinding />} />
      <p className="quiet">
        A binding joins a version of a query to the streams that feed it. Starting it makes a run.
      </p>
      <ErrorNote error={bindings.error ?? runs.error} onRetry={() => void bindings.refetch()} />
      <Panel title="Bindings" flush>
        {bindings.isPending ? <Waiting>Loading the bindings…</Waiting> : null}
        {bindings.data?.length === 0 ? (
          <Empty title="Nothing is bound yet.">
            <p>
              A binding needs a query: <Link to={`/t/${slug}/queries`}>write one</Link> if there is none, then press
              “New binding” and start it.
            </p>
          </Empty>
        ) : null}
        {bindings.data !== undefined && bindings.data.length > 0 ? <Bindings bindings={bindings.data} /> : null}
      </Panel>
      <LeftElsewhere />
      <Panel title="All runs" note="The newest 100, newest first." flush>
        {runs.isPending ? <Waiting>Loading the runs…</Waiting> : null}
        {runs.data?.length === 0 ? (
          <Empty title="Nothing has run yet.">
            <p>Start a binding above; its results and its log then stand on the page of the run.</p>
          </Empty>
        ) : null}
        {runs.data !== undefined && runs.data.length > 0 ? <History runs={runs.data} /> : null}
      </Panel>
    </>
  );
}
