import { type ReactNode, useMemo, useRef } from "react";
import { FaultList } from "../../components/FaultList";
import { JsonEditor } from "../../components/JsonEditor";
import { Empty, ErrorNote } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import type { Fault, QueryGraph } from "../../model/api";
import { countWords } from "../../model/faults";
import { type GraphText, readGraphText } from "../../model/graphText";
import { GraphView } from "./GraphView";
import { useValidation } from "./queries";

const NO_FAULTS: readonly Fault[] = [];

export interface Draft {
  read: GraphText;
  faults: readonly Fault[];
  checking: boolean;
  error: unknown;
}

/** What the text says and what is wrong with it, by the server's own check. */
export function useDraft(text: string): Draft {
  const read = useMemo(() => readGraphText(text), [text]);
  const validation = useValidation(read.value);
  return {
    read,
    faults: read.value === null ? NO_FAULTS : (validation.data?.faults ?? NO_FAULTS),
    checking: read.value !== null && validation.checking,
    error: validation.error,
  };
}

export function mayBeSaved({ read, faults, checking }: Draft): boolean {
  return read.value !== null && !checking && !faults.some((fault) => fault.severity === "error");
}

function statusOf({ read, faults, checking, error }: Draft): string {
  if (read.problem !== null) return `Not JSON yet: ${read.problem}`;
  if (error) return "The check could not be made.";
  return checking ? "Checking…" : `Checked: ${countWords(faults)}.`;
}

function GraphPanel({ draft }: { draft: Draft }) {
  const lastGood = useRef<QueryGraph | null>(null);
  if (draft.read.graph !== null) lastGood.current = draft.read.graph;
  const shown = draft.read.graph ?? lastGood.current;
  const note =
    draft.read.graph === null && shown !== null
      ? "The text cannot be drawn; this is the last graph that could."
      : undefined;
  return (
    <Panel title="Graph" note={note} flush>
      {shown === null ? (
        <Empty title="Nothing to draw yet.">
          <p>Write a query with nodes below; it is drawn as you type.</p>
        </Empty>
      ) : (
        <GraphView graph={shown} faults={draft.faults} />
      )}
    </Panel>
  );
}

interface GraphEditorProps {
  draft: Draft;
  text: string;
  readOnly: boolean;
  onChange: (text: string) => void;
  /** Stands under the faults. */
  children?: ReactNode;
}

/** The graph, its JSON and its faults: one text, three views. */
export function GraphEditor({ draft, text, readOnly, onChange, children }: GraphEditorProps) {
  return (
    <>
      <GraphPanel draft={draft} />
      <div className="two apart">
        <Panel title="JSON" note={readOnly ? "Your role may read this, not change it." : "Checked as you type."}>
          <JsonEditor label="The query as JSON" text={text} readOnly={readOnly} onChange={onChange} />
        </Panel>
        <div className="stack start">
          <Panel title="Faults" note={<span role="status">{statusOf(draft)}</span>}>
            <div className="stack">
              <ErrorNote error={draft.error} />
              {draft.faults.length > 0 ? (
                <FaultList faults={draft.faults} />
              ) : (
                <p className="quiet">{draft.read.problem === null ? "Nothing to mend." : "Mend the JSON first."}</p>
              )}
            </div>
          </Panel>
          {children}
        </div>
      </div>
    </>
  );
}
