import { useEffect, useState } from "react";
import { ErrorNote } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { comparedWords, uncomparedWords } from "../../../messages/preview";
import { differenceCounts, type OutputRows, resultRows } from "../../../model/simulation/resultRows";
import { useDesigner } from "../page/designer";
import { showDockTab } from "../page/dockTab";
import { usePageSample } from "../sampling/pageSample";
import { PreviewTable } from "./PreviewTable";
import { type PreviewState, usePreviewed } from "./preview";
import { useRunningComparison } from "./runningVersion";
import { FOREIGN } from "./usePreview";
import "./preview.css";

/** The time after which a slow preview is reported. */
const SLOW_MS = 2_000;

function Running({ isFirst, onStop }: { isFirst: boolean; onStop: () => void }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isSlow) return isFirst ? <p className="quiet">Running the query on the sample…</p> : null;
  return (
    <p className="row">
      <span>Running the query on the sample takes longer than usual.</span>
      <button type="button" className="button" onClick={onStop}>
        Stop
      </button>
    </p>
  );
}

/** The reason why the rows below, if any, are not those of the text on the screen. */
function Missing({ state }: { state: PreviewState }) {
  const { answer, stop, retry } = usePreviewed();
  const { loading, load } = usePageSample();
  if (state.kind === "failed") return <ErrorNote error={state.error} onRetry={retry} />;
  if (state.kind === "pending" && loading) return <p className="quiet">Loading a sample…</p>;
  if (state.kind === "pending") return <Running isFirst={answer === null} onStop={stop} />;
  if (state.kind === "stopped") {
    return (
      <p className="row">
        <span>Stopped.</span>
        <button type="button" className="button" onClick={retry}>
          Run on the sample
        </button>
      </p>
    );
  }
  if (state.kind === "current") return null;
  return (
    <p className="row">
      <span>{state.reason}</span>
      {state.reason.startsWith(FOREIGN) ? (
        <button type="button" className="button" onClick={load}>
          Load a sample
        </button>
      ) : null}
    </p>
  );
}

function stateWords(state: PreviewState, isOld: boolean): string {
  if (state.kind === "current") return "Live as you type.";
  if (!isOld) return "";
  if (state.kind === "pending") return "Updating… These results are from before your last change.";
  return "These results are from before the error or the change, not of the text on the screen.";
}

function SampleWords() {
  const { sample, note, loading } = usePageSample();
  if (loading || sample.rows.length === 0) return null;
  return (
    <span>
      Sample: {sample.from === "" ? "your rows" : sample.from}. {note}{" "}
      <button type="button" className="link" onClick={() => showDockTab("simulator")}>
        Change…
      </button>
    </span>
  );
}

function Results({
  outputs,
  isOld,
  version,
}: {
  outputs: readonly OutputRows[];
  isOld: boolean;
  version: number | null;
}) {
  return outputs.map(({ output, rows }) => (
    <PreviewTable key={output} output={output} rows={rows} isOld={isOld} version={version} />
  ));
}

/** The results of the query on the screen, on the sample, next to those of the running version. */
export function PreviewPanel() {
  const { query } = useDesigner();
  const { state, answer } = usePreviewed();
  const running = useRunningComparison(answer);
  const isOld = state.kind !== "current";
  const other = running.simulation;
  const outputs = answer === null ? [] : resultRows(answer.simulation, other);
  const present = outputs.reduce(
    (sum, { rows }) => sum + rows.filter(({ difference }) => difference !== "gone").length,
    0,
  );
  const version = other === null ? null : running.number;
  const uncompared = uncomparedWords(query !== null, running.number);
  return (
    <Panel
      title="Results preview"
      note={
        <>
          {answer === null ? null : <strong>{comparedWords(present, differenceCounts(outputs), version)}. </strong>}
          <span role="status" className="preview-state" data-live={!isOld}>
            {stateWords(state, answer !== null)}
          </span>{" "}
          <SampleWords />
        </>
      }
    >
      <div className="stack">
        <Missing state={state} />
        {running.error === null ? null : (
          <p className="small quiet">Version {running.number} can't run on this sample, so nothing is compared.</p>
        )}
        {running.others.length === 0 ? null : (
          <p className="small quiet">Version {running.others.join(" and ")} runs too; the newest one is compared.</p>
        )}
        {answer === null || uncompared === "" ? null : <p className="small quiet">{uncompared}</p>}
        <Results outputs={outputs} isOld={isOld} version={version} />
      </div>
    </Panel>
  );
}
