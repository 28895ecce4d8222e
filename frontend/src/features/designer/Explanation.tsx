import { ErrorNote, Waiting } from "../../components/notices/Notices";
import { Panel } from "../../components/page/Panel";
import { Scroll } from "../../components/page/Scroll";
import { useDesigner } from "./page/designer";
import { useDockTab } from "./page/dockTab";
import { useExplanation } from "./requests";

function ExplanationText({ sql }: { sql: string }) {
  const explained = useExplanation(sql); // for JSON too: only its SQL has ADVANCE TIME and EVENTTIME BY
  if (explained.isPending) return <Waiting>Explaining the query…</Waiting>;
  if (explained.isError) return <ErrorNote error={explained.error} onRetry={() => void explained.refetch()} />;
  return (
    <Scroll label="Explanation">
      <pre className="explained">{explained.data.text}</pre>
    </Scroll>
  );
}

/** The execution plan: stages, where CTIs are delayed, and the state. Loaded while the panel is open, since most edits don't need it. */
export function Explanation() {
  const { sql, known, faults } = useDesigner();
  const open = useDockTab() === "explanation";
  const sound = known.every((fault) => fault.severity !== "error") && sql !== null;
  return (
    <Panel title="How it runs" note="Stages, CTI delays and state">
      {open && sound ? <ExplanationText sql={sql} /> : null}
      {open && !sound ? (
        <p className="quiet">
          {faults === null && sql !== null ? "Checking…" : "Fix the errors in the query to see how it runs."}
        </p>
      ) : null}
    </Panel>
  );
}
