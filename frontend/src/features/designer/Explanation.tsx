import { useState } from "react";
import { ErrorNote, Waiting } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import { useDesigner } from "./page/designer";
import { useExplanation } from "./requests";

function Explained({ sql }: { sql: string }) {
  const explained = useExplanation({ text: sql }); // also of JSON: its SQL alone holds ADVANCE TIME and EVENTTIME BY
  if (explained.isPending) return <Waiting>Explaining the query…</Waiting>;
  if (explained.isError) return <ErrorNote error={explained.error} onRetry={() => void explained.refetch()} />;
  return (
    <Scroll label="Explanation">
      <pre className="explained">{explained.data.text}</pre>
    </Scroll>
  );
}

/** How the query runs: stages, where CTIs are held back, what state is kept. Asked for, since most edits do not need it. */
export function Explanation() {
  const { sql, known, faults } = useDesigner();
  const [open, setOpen] = useState(false);
  const sound = known.every((fault) => fault.severity !== "error") && sql !== null;
  const button = (
    <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
      {open ? "Hide" : "Explain"}
    </button>
  );
  return (
    <Panel title="How it runs" note="Stages, where CTIs are held back, and what state is kept." actions={button}>
      {open && sound ? <Explained sql={sql} /> : null}
      {open && !sound ? (
        <p className="quiet">
          {faults === null && sql !== null ? "Being checked…" : "The query is explained once it has no errors."}
        </p>
      ) : null}
    </Panel>
  );
}
