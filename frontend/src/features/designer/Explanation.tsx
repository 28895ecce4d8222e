import { useState } from "react";
import { ErrorNote, Waiting } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import type { Draft } from "./draft";
import { useExplanation } from "./requests";

function Explained({ draft }: { draft: Draft }) {
  const explained = useExplanation(draft.storable); // also of JSON: its SQL alone holds ADVANCE TIME and EVENTTIME BY
  if (explained.isPending) return <Waiting>Explaining the query…</Waiting>;
  if (explained.isError) return <ErrorNote error={explained.error} onRetry={() => void explained.refetch()} />;
  return (
    <Scroll label="Explanation">
      <pre className="explained">{explained.data.text}</pre>
    </Scroll>
  );
}

/** How the query runs: stages, where CTIs are held back, what state is kept. Asked for, since most edits do not need it. */
export function Explanation({ draft }: { draft: Draft }) {
  const [open, setOpen] = useState(false);
  const sound = draft.known.every((fault) => fault.severity !== "error") && draft.storable !== null;
  const button = (
    <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
      {open ? "Hide" : "Explain"}
    </button>
  );
  return (
    <Panel title="How it runs" note="Stages, where CTIs are held back, and what state is kept." actions={button}>
      {open && sound ? <Explained draft={draft} /> : null}
      {open && !sound ? (
        <p className="quiet">
          {draft.faults === null && draft.written !== null
            ? "Being checked…"
            : "The query is explained once it has no errors."}
        </p>
      ) : null}
    </Panel>
  );
}
