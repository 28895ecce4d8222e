import { type ReactNode, useCallback, useState } from "react";
import { Choices } from "../../components/Choices";
import { FaultList } from "../../components/FaultList";
import { JsonEditor } from "../../components/JsonEditor";
import { Empty, ErrorNote } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { Split } from "../../components/Split";
import { SqlEditor } from "../../components/SqlEditor";
import { keep, kept } from "../../lib/kept";
import type { Span } from "../../model/spans";
import type { Draft } from "./draft";
import { Explanation } from "./Explanation";
import { GraphView } from "./GraphView";
import { useCompletion } from "./requests";

function GraphPanel({ draft, onHide }: { draft: Draft; onHide: () => void }) {
  const note =
    draft.current || draft.graph === null
      ? undefined
      : "The text cannot be drawn; this is the last graph that could, read-only.";
  return (
    <Panel
      title="Graph"
      note={note}
      actions={
        <button type="button" className="button" onClick={onHide}>
          Hide the graph
        </button>
      }
      flush
    >
      {draft.graph === null ? (
        <Empty title="Nothing to draw yet.">
          <p>Write a query; it is drawn as you type.</p>
        </Empty>
      ) : (
        <GraphView graph={draft.graph} faults={draft.known} />
      )}
    </Panel>
  );
}

const FORMS = [
  ["sql", "SQL"],
  ["json", "JSON"],
] as const;

interface TextPanelProps {
  draft: Draft;
  /** Shows the graph again; null while it is shown. */
  onGraph: (() => void) | null;
  readOnly: boolean;
  shown: Span | null;
}

function TextPanel({ draft, onGraph, readOnly, shown }: TextPanelProps) {
  const complete = useCompletion();
  const choice = (
    <>
      <a className="small" href="/guide" target="_blank" rel="noopener">
        Guide
      </a>
      {onGraph === null ? null : (
        <button type="button" className="button" onClick={onGraph}>
          Show the graph
        </button>
      )}
      <Choices label="Form of the text" options={FORMS} value={draft.form} onChange={(form) => turnTo(form)} />
    </>
  );
  const turnTo = (form: Draft["form"]) => {
    if (form !== draft.form) draft.change?.();
  };
  const note = readOnly
    ? "Your role may read this, not change it."
    : draft.change === null
      ? "Checked as you type. The other form is there once this one can be read."
      : "Checked as you type. Both forms say the same.";
  const common = { text: draft.text, readOnly, onChange: draft.setText };
  return (
    <Panel title="Query" note={note} actions={choice}>
      {draft.form === "sql" ? (
        <SqlEditor {...common} label="The query as SQL" faults={draft.faults} shown={shown} complete={complete} />
      ) : (
        <JsonEditor {...common} label="The query as JSON" />
      )}
    </Panel>
  );
}

interface GraphEditorProps {
  draft: Draft;
  readOnly: boolean;
  /** Stands under the faults. */
  children?: ReactNode;
}

/** The graph, its text and its faults: one query, seen from several sides. */
export function GraphEditor({ draft, readOnly, children }: GraphEditorProps) {
  const [shown, setShown] = useState<Span | null>(null);
  const goTo = useCallback((span: Span) => setShown({ ...span }), []);
  const [drawn, setDrawn] = useState(() => kept("designer-graph") !== "hidden");
  const draw = (wanted: boolean) => {
    setDrawn(wanted);
    keep("designer-graph", wanted ? "shown" : "hidden");
  };
  return (
    <>
      <Split
        name="designer"
        label="Room for the text beside the graph"
        start={60}
        first={<TextPanel draft={draft} onGraph={drawn ? null : () => draw(true)} readOnly={readOnly} shown={shown} />}
        second={drawn ? <GraphPanel draft={draft} onHide={() => draw(false)} /> : null}
      />
      <div className="two apart">
        <div className="stack start">
          <Panel title="Faults" note={<span role="status">{draft.status}</span>}>
            <div className="stack">
              <ErrorNote error={draft.error} />
              {draft.known.length > 0 ? (
                <FaultList faults={draft.known} {...(draft.form === "sql" ? { text: draft.text, onShow: goTo } : {})} />
              ) : (
                <p className="quiet">{draft.written === null ? "Mend the JSON first." : "Nothing to mend."}</p>
              )}
            </div>
          </Panel>
          {children}
        </div>
        <Explanation draft={draft} />
      </div>
    </>
  );
}
