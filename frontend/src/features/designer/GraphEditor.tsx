import { type ReactNode, useCallback, useMemo, useState } from "react";
import { Choices } from "../../components/actions/Choices";
import { JsonEditor } from "../../components/editors/JsonEditor";
import { SqlEditor } from "../../components/editors/SqlEditor";
import { FaultList } from "../../components/notices/FaultList";
import { ErrorNote, Notice } from "../../components/notices/Notices";
import { Panel } from "../../components/page/Panel";
import { Split } from "../../components/page/Split";
import { readPreference, storePreference } from "../../lib/browser/preferences";
import type { QueryResponse } from "../../model/api";
import type { DesignState } from "../../model/graph/edit/design";
import { pageAt } from "../../model/graph/sqlHelp";
import { counted } from "../../model/text/counts";
import type { Span } from "../../model/text/spans";
import { GraphPanel } from "./canvas/GraphPanel";
import type { Draft } from "./draft";
import { type Designer, DesignerContext, type Storing } from "./page/designer";
import { HistoryButtons, historyKeys } from "./page/history";
import { useStoredLayout } from "./page/layouts";
import { Workbench } from "./page/Workbench";
import { useCompletion } from "./requests";
import { SampledPage } from "./sampling/SampledPage";

const FORMS = [
  ["sql", "SQL"],
  ["json", "JSON"],
] as const;

interface TextPanelProps {
  draft: Draft;
  /** Show the graph again; null while it is visible. */
  onGraph: (() => void) | null;
  /** Hide the text; null while nothing else is visible. */
  onHide: (() => void) | null;
  readOnly: boolean;
  shown: Span | null;
  onCaret: (text: string, at: number) => void;
}

function noteOf({ design: { present }, changeable }: Draft, readOnly: boolean): string {
  if (readOnly) return "Read-only for your role.";
  if (present.lead === "graph") return "Updating the text from the canvas…";
  return changeable
    ? "Checked as you type. Canvas, SQL and JSON are in sync."
    : "Checked as you type. The other views return when this text is valid.";
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
  query: QueryResponse | null;
  storing?: Storing | null;
  /** Content of the panel Details. */
  children?: ReactNode;
}

/** Return why the canvas is locked, and what to do. */
function lockOf({ known, lead, waiting }: DesignState): string | null {
  if (known !== "unreadable") return null;
  const form = lead === "json" ? "JSON" : "SQL";
  const waits =
    waiting.length === 0 ? "" : ` ${counted(waiting.length, "change")} made here will be applied afterwards.`;
  return lead === "graph"
    ? "This graph can't be written as text. Undo the last change."
    : `The ${form} has errors, so this is the last valid graph, read-only. Fix the errors listed below.${waits}`;
}

/** Return the state and actions that the parts of the page share. */
function useDesignerOf(
  draft: Draft,
  query: QueryResponse | null,
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
    const state = { query, readOnly, locked, graph, sql, current, faults, known, schemas, comments, positions };
    const there = selected.filter((id) => graph?.nodes.some((node) => node.id === id));
    return { ...state, storing, act, wordPage, selected: there, select, replaceText, replaceGraph };
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
    const chosen = readPreference("designer-sides");
    return chosen === "text" || chosen === "graph" ? chosen : "both";
  });
  const show = (next: Sides) => {
    setSides(next);
    storePreference("designer-sides", next);
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
  return <Split name="designer" label="Width of the text next to the graph" start={40} first={text} second={graph} />;
}

function ClashNote({ draft }: { draft: Draft }) {
  if (!draft.design.present.clashed) return null;
  return (
    <Notice tone="unknown">
      <p className="row">
        <span>
          You typed and edited the canvas at the same time, in the same part of the text. Your typing was kept; undo
          restores the canvas edit.
        </span>
        <button type="button" className="button" onClick={draft.act.undo}>
          Undo typing
        </button>
      </p>
    </Notice>
  );
}

/** Canvas, text and errors: one query in several views. */
export function GraphEditor({ draft, readOnly, query, storing = null, children }: GraphEditorProps) {
  const [wordPage, setWordPage] = useState<string | null>(null);
  const onCaret = useCallback((text: string, at: number) => setWordPage(pageAt(text, at)), []);
  const designer = useDesignerOf(draft, query, readOnly, wordPage, storing);
  const [shown, setResponse] = useState<Span | null>(null);
  const goTo = useCallback((span: Span) => setResponse({ ...span }), []);
  const { act, design } = draft;
  useStoredLayout(readOnly ? null : (query?.id ?? null), design.present.positions, act.place);
  const problems = (
    <Panel title="Problems">
      <div className="stack">
        <ErrorNote error={draft.error} onRetry={draft.retry} />
        {draft.known.length > 0 ? (
          <FaultList faults={draft.known} {...(draft.form === "sql" ? { text: draft.text, onShow: goTo } : {})} />
        ) : (
          <p className="quiet">{draft.current || draft.form === "sql" ? "No problems." : "Fix the JSON first."}</p>
        )}
      </div>
    </Panel>
  );
  const editors = (
    <div className="stack editors" onKeyDownCapture={historyKeys(act.undo, act.redo)}>
      <HistoryButtons past={design.past.length} future={design.future.length} />
      <ClashNote draft={draft} />
      <Editors draft={draft} readOnly={readOnly} shown={shown} onCaret={onCaret} />
    </div>
  );
  return (
    <DesignerContext value={designer}>
      <SampledPage>
        <Workbench editors={editors} problems={problems} details={children} status={draft.status} />
      </SampledPage>
    </DesignerContext>
  );
}
