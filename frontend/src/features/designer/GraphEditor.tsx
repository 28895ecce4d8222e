import { type ReactNode, useCallback, useMemo, useState } from "react";
import { Choices } from "../../components/Choices";
import { FaultList } from "../../components/FaultList";
import { JsonEditor } from "../../components/JsonEditor";
import { ErrorNote, Notice } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { Split } from "../../components/Split";
import { SqlEditor } from "../../components/SqlEditor";
import { keep, kept } from "../../lib/kept";
import type { QueryShown } from "../../model/api";
import { counted } from "../../model/counts";
import type { Said } from "../../model/graphEdit/design";
import type { Span } from "../../model/spans";
import { pageAt } from "../../model/sqlHelp";
import { GraphPanel } from "./canvas/GraphPanel";
import type { Draft } from "./draft";
import { type Designer, DesignerContext, type Storing } from "./page/designer";
import { HistoryButtons, historyKeys } from "./page/history";
import { useStoredLayout } from "./page/layouts";
import { Slots } from "./page/slots";
import { useCompletion } from "./requests";

const FORMS = [
  ["sql", "SQL"],
  ["json", "JSON"],
] as const;

interface TextPanelProps {
  draft: Draft;
  /** Shows the graph again; null while it is shown. */
  onGraph: (() => void) | null;
  /** Hides the text; null while there is nothing else. */
  onHide: (() => void) | null;
  readOnly: boolean;
  shown: Span | null;
  onCaret: (text: string, at: number) => void;
}

function noteOf({ design: { present }, changeable }: Draft, readOnly: boolean): string {
  if (readOnly) return "Your role may read this, not change it.";
  if (present.lead === "graph") return "What the canvas says is being written into the text.";
  return changeable
    ? "Checked as you type. Canvas, SQL and JSON say the same."
    : "Checked as you type. The other forms are there once this one can be read.";
}

function TextPanel({ draft, onGraph, onHide, readOnly, shown, onCaret }: TextPanelProps) {
  const complete = useCompletion();
  const turnTo = (form: Draft["form"]) => {
    if (form !== draft.form) draft.act.changeForm();
  };
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
      {onHide === null ? null : (
        <button type="button" className="button" onClick={onHide}>
          Hide the text
        </button>
      )}
      <Choices label="Form of the text" options={FORMS} value={draft.form} onChange={turnTo} />
    </>
  );
  const common = { text: draft.text, readOnly, onChange: draft.act.type, ownUndo: false };
  return (
    <Panel title="Query" note={noteOf(draft, readOnly)} actions={choice}>
      {draft.form === "sql" ? (
        <SqlEditor {...common} label="The query as SQL" faults={draft.faults} {...{ shown, complete, onCaret }} />
      ) : (
        <JsonEditor {...common} label="The query as JSON" />
      )}
    </Panel>
  );
}

interface GraphEditorProps {
  draft: Draft;
  readOnly: boolean;
  /** The stored query; null for a new one. */
  query: QueryShown | null;
  storing?: Storing | null;
  /** Stands under the faults. */
  children?: ReactNode;
}

/** Why the canvas stands still, and what is to be done. */
function lockOf({ known, lead, waiting }: Said): string | null {
  if (known !== "unreadable") return null;
  const form = lead === "json" ? "JSON" : "SQL";
  const waits = waiting.length === 0 ? "" : ` ${counted(waiting.length, "change")} made here will be made then.`;
  return lead === "graph"
    ? "No text can say this graph. Undo the last change."
    : `The ${form} cannot be read, so this is the last graph that could, read-only. Mend the ${form}: the faults below say where.${waits}`;
}

/** What the parts of the page are told and may do. */
function useDesignerOf(
  draft: Draft,
  query: QueryShown | null,
  readOnly: boolean,
  wordPage: string | null,
  storing: Storing | null,
): Designer {
  const [selected, setSelected] = useState<readonly string[]>([]);
  const select = useCallback((next: readonly string[]) => {
    setSelected((before) => (before.join(" ") === next.join(" ") ? before : next));
  }, []);
  const { graph, current, faults, known, schemas, act, design } = draft;
  const { comments, positions } = design.present;
  const locked = lockOf(design.present);
  const sql = draft.storable?.text ?? null;
  const { replaceText, replaceGraph } = act;
  return useMemo(() => {
    const told = { query, readOnly, locked, graph, sql, current, faults, known, schemas, comments, positions };
    const there = selected.filter((id) => graph?.nodes.some((node) => node.id === id));
    return { ...told, storing, act, wordPage, selected: there, select, replaceText, replaceGraph };
  }, [
    query,
    storing,
    readOnly,
    locked,
    graph,
    sql,
    current,
    faults,
    known,
    schemas,
    comments,
    positions,
    act,
    wordPage,
    selected,
    select,
    replaceText,
    replaceGraph,
  ]);
}

type Sides = "both" | "text" | "graph";

function useSides() {
  const [sides, setSides] = useState<Sides>(() => {
    const chosen = kept("designer-sides");
    return chosen === "text" || chosen === "graph" ? chosen : "both";
  });
  const show = (next: Sides) => {
    setSides(next);
    keep("designer-sides", next);
  };
  return [sides, show] as const;
}

function Editors(props: Pick<TextPanelProps, "draft" | "readOnly" | "shown" | "onCaret">) {
  const { draft } = props;
  const [sides, show] = useSides();
  const text = (
    <TextPanel
      {...props}
      onGraph={sides === "text" ? () => show("both") : null}
      onHide={sides === "both" ? () => show("graph") : null}
    />
  );
  if (sides === "text") return text;
  const graph = <GraphPanel onHide={() => show("text")} refused={draft.design.refused} />;
  if (sides === "graph") {
    return (
      <div className="stack split-alone">
        {graph}
        <p>
          <button type="button" className="button" onClick={() => show("both")}>
            Show the text
          </button>
        </p>
      </div>
    );
  }
  return <Split name="designer" label="Room for the text beside the graph" start={40} first={text} second={graph} />;
}

function Clashed({ draft }: { draft: Draft }) {
  if (!draft.design.present.clashed) return null;
  return (
    <Notice tone="unknown">
      <p className="row">
        <span>
          What you typed and what you did on the canvas changed the same place of the text. What you typed holds; undo
          brings back what you did on the canvas.
        </span>
        <button type="button" className="button" onClick={draft.act.undo}>
          Undo what was typed
        </button>
      </p>
    </Notice>
  );
}

/** Canvas, text and faults: one query, seen and edited from several sides. */
export function GraphEditor({ draft, readOnly, query, storing = null, children }: GraphEditorProps) {
  const [wordPage, setWordPage] = useState<string | null>(null);
  const onCaret = useCallback((text: string, at: number) => setWordPage(pageAt(text, at)), []);
  const designer = useDesignerOf(draft, query, readOnly, wordPage, storing);
  const [shown, setShown] = useState<Span | null>(null);
  const goTo = useCallback((span: Span) => setShown({ ...span }), []);
  const { act, design } = draft;
  useStoredLayout(readOnly ? null : (query?.id ?? null), design.present.positions, act.place);
  return (
    <DesignerContext value={designer}>
      <Slots area="first" />
      <div className="stack" onKeyDownCapture={historyKeys(act.undo, act.redo)}>
        <HistoryButtons past={design.past.length} future={design.future.length} />
        <Clashed draft={draft} />
        <Editors draft={draft} readOnly={readOnly} shown={shown} onCaret={onCaret} />
      </div>
      <Slots area="wide" />
      <div className="two apart">
        <div className="stack start">
          <Panel title="Faults" note={<span role="status">{draft.status}</span>}>
            <div className="stack">
              <ErrorNote error={draft.error} onRetry={draft.retry} />
              {draft.known.length > 0 ? (
                <FaultList faults={draft.known} {...(draft.form === "sql" ? { text: draft.text, onShow: goTo } : {})} />
              ) : (
                <p className="quiet">
                  {draft.current || draft.form === "sql" ? "Nothing to mend." : "Mend the JSON first."}
                </p>
              )}
            </div>
          </Panel>
          <Slots area="main" />
          {children}
        </div>
        <div className="stack start">
          <Slots area="side" />
        </div>
      </div>
    </DesignerContext>
  );
}
