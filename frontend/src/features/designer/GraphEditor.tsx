import { type ReactNode, useCallback, useState } from "react";
import { Choices } from "../../components/Choices";
import { FaultList } from "../../components/FaultList";
import { JsonEditor } from "../../components/JsonEditor";
import { Empty, ErrorNote } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { SqlEditor } from "../../components/SqlEditor";
import type { Span } from "../../model/spans";
import type { Draft } from "./draft";
import { Explanation } from "./Explanation";
import { GraphView } from "./GraphView";
import { useCompletion } from "./queries";

function GraphPanel({ draft }: { draft: Draft }) {
  const note =
    draft.current || draft.graph === null
      ? undefined
      : "The text cannot be drawn; this is the last graph that could, read-only.";
  return (
    <Panel title="Graph" note={note} flush>
      {draft.graph === null ? (
        <Empty title="Nothing to draw yet.">
          <p>Write a query below; it is drawn as you type.</p>
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
  readOnly: boolean;
  shown: Span | null;
}

function TextPanel({ draft, readOnly, shown }: TextPanelProps) {
  const complete = useCompletion();
  const choice = (
    <Choices label="Form of the text" options={FORMS} value={draft.form} onChange={(form) => turnTo(form)} />
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
  return (
    <>
      <GraphPanel draft={draft} />
      <div className="two apart">
        <TextPanel draft={draft} readOnly={readOnly} shown={shown} />
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
          <Explanation draft={draft} />
          {children}
        </div>
      </div>
    </>
  );
}
