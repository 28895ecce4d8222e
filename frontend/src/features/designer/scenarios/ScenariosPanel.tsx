import { useEffect, useRef } from "react";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { Empty, ErrorNote, Waiting } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { useReason } from "../../../lib/account/session";
import type { QueryResponse, ScenarioSummary } from "../../../model/api";
import { useDesigner } from "../page/designer";
import { useSampleNow } from "../simulator/sample/sampleStore";
import { useRunScenarios, useScenarios } from "./requests";
import { SaveScenario } from "./SaveScenario";
import { ScenarioLine } from "./ScenarioLine";
import { UploadTranscript } from "./UploadTranscript";
import "./scenarios.css";

const NONE: readonly ScenarioSummary[] = [];

/** Run scenarios that have no verdict on the current version, once for each version and set of scenarios. */
function useRunOnCurrent(query: QueryResponse, scenarios: readonly ScenarioSummary[]) {
  const running = useRunScenarios(query.id);
  const version = query.current.id;
  const open = scenarios.filter(({ verdict }) => verdict === null).map(({ id, changed_at }) => `${id} ${changed_at}`);
  const asked = useRef("");
  const wanted = open.length === 0 ? "" : `${version} ${open.join(" ")}`;
  const run = running.mutate;
  useEffect(() => {
    if (wanted === "" || asked.current === wanted) return;
    asked.current = wanted;
    run({ version });
  }, [wanted, version, run]);
  return running;
}

/** Return the verdicts on the unsaved text; undefined without changes. */
function useDraftVerdicts(query: QueryResponse) {
  const { sql } = useDesigner();
  const running = useRunScenarios(query.id);
  const changed = sql !== null && sql !== query.current.text;
  const ran = running.variables !== undefined && "text" in running.variables ? running.variables.text : null;
  const current = changed && ran === sql;
  const of = (scenario: string) => {
    if (!changed) return undefined;
    if (!current) return null;
    if (running.isPending) return "running" as const;
    return running.data?.find((each) => each.scenario === scenario)?.findings ?? null;
  };
  const reason = changed ? null : "Nothing has changed since the current version.";
  return { of, reason, run: () => sql !== null && running.mutate({ text: sql }), running };
}

function Listed({ query, scenarios }: { query: QueryResponse; scenarios: readonly ScenarioSummary[] }) {
  const { sql } = useDesigner();
  const reason = useReason("edit");
  const current = useRunOnCurrent(query, scenarios);
  const draft = useDraftVerdicts(query);
  return (
    <>
      <ErrorNote error={current.error} onRetry={() => current.mutate({ version: query.current.id })} />
      <ErrorNote error={draft.running.error} />
      <ul className="scenarios">
        {scenarios.map((scenario) => (
          <ScenarioLine
            key={scenario.id}
            query={query.id}
            scenario={scenario}
            stored={scenario.verdict?.findings ?? (current.isPending ? "running" : null)}
            draft={draft.of(scenario.id)}
            sql={sql}
            reason={reason}
          />
        ))}
      </ul>
      <p className="row">
        <ReasonedButton reason={draft.reason} onClick={draft.run}>
          {draft.running.isPending ? "Running…" : "Run on my changes"}
        </ReasonedButton>
      </p>
    </>
  );
}

function Scenarios({ query }: { query: QueryResponse }) {
  const { sql } = useDesigner();
  const reason = useReason("edit");
  const scenarios = useScenarios(query.id);
  const sample = useSampleNow();
  const listed = scenarios.data ?? NONE;
  return (
    <Panel
      title="Scenarios"
      note={`Samples with expected results, run on each new version; marks are for version ${query.current.number}`}
      actions={
        <>
          <SaveScenario query={query.id} sql={sql} sample={sample} reason={reason} />
          <UploadTranscript query={query.id} reason={reason} />
        </>
      }
    >
      <div className="stack">
        <ErrorNote error={scenarios.error} onRetry={() => void scenarios.refetch()} />
        {scenarios.isPending ? <Waiting>Loading the scenarios…</Waiting> : null}
        {scenarios.data?.length === 0 ? (
          <Empty title="No scenarios yet">
            <p>
              Add a sample in the simulator, check its results, then save it here. Each new version is tested with it.
            </p>
          </Empty>
        ) : null}
        {listed.length === 0 ? null : <Listed query={query} scenarios={listed} />}
      </div>
    </Panel>
  );
}

/** The scenarios of a stored query. */
export function ScenariosPanel() {
  const { query } = useDesigner();
  return query === null ? null : <Scenarios query={query} />;
}
