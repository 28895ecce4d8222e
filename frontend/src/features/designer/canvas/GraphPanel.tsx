import { type ClipboardEvent, lazy, Suspense, useState } from "react";
import { Choices } from "../../../components/actions/Choices";
import { Empty, Notice, Waiting } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { useMedia } from "../../../lib/browser/media";
import { readPreference, storePreference } from "../../../lib/browser/preferences";
import { onlyOne } from "../../../model/graph/edit/forms";
import { Inspector } from "../inspector/Inspector";
import { Outline } from "../outline/Outline";
import { useDesigner } from "../page/designer";
import { useExplanation } from "../requests";
import { type NodeCommands, useNodeCommands } from "./commands";
import { Palette } from "./Palette";

const Canvas = lazy(async () => ({ default: (await import("./Canvas")).Canvas }));

type View = "canvas" | "outline";
const VIEWS = [
  ["canvas", "Canvas"],
  ["outline", "Outline"],
] as const;

function useView() {
  const narrow = useMedia("(max-width: 560px)");
  const [chosen, setChosen] = useState(() => readPreference("designer-view"));
  const view: View = chosen === "canvas" || chosen === "outline" ? chosen : narrow ? "outline" : "canvas";
  const choose = (next: View) => {
    setChosen(next);
    storePreference("designer-view", next);
  };
  return [view, choose] as const;
}

interface ToolProps {
  commands: NodeCommands;
  onAdd: () => void;
  adding: boolean;
}

/** The last copied nodes, for browsers that don't let a page read the clipboard. */
let copiedHere = "";

function Tools({ commands, onAdd, adding }: ToolProps) {
  const { selected, readOnly, locked, graph } = useDesigner();
  const [message, setMessage] = useState("");
  const off = readOnly || locked !== null;
  const copy = async () => {
    const text = commands.copied();
    if (text === null) return;
    copiedHere = text;
    await navigator.clipboard?.writeText(text).catch(() => undefined);
    setMessage(`Copied: ${selected.join(", ")}.`);
  };
  const paste = async () => {
    const text = await navigator.clipboard?.readText().catch(() => copiedHere);
    setMessage(
      commands.paste(text ?? copiedHere) || commands.paste(copiedHere) ? "Pasted." : "The clipboard contains no nodes.",
    );
  };
  const none = selected.length === 0;
  return (
    <div className="graph-tools row">
      <button type="button" className="button" aria-expanded={adding} onClick={onAdd} disabled={off || graph === null}>
        Add node
      </button>
      <button type="button" className="button" onClick={() => void copy()} disabled={none}>
        Copy
      </button>
      <button
        type="button"
        className="button"
        disabled={none || off}
        onClick={() => void copy().then(() => commands.remove(selected))}
      >
        Cut
      </button>
      <button type="button" className="button" onClick={() => void paste()} disabled={off}>
        Paste
      </button>
      <button type="button" className="button" onClick={() => commands.duplicate(selected)} disabled={none || off}>
        Duplicate
      </button>
      <button type="button" className="button" onClick={() => commands.remove(selected)} disabled={none || off}>
        Delete
      </button>
      <span role="status" className="visually-hidden">
        {message}
      </span>
    </div>
  );
}

/** Clipboard keys, active anywhere in the graph except in a field. */
function clipboardKeys(commands: NodeCommands, off: boolean, selected: readonly string[]) {
  const typing = ({ target }: ClipboardEvent) =>
    target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable='true']") !== null;
  const copy = (event: ClipboardEvent) => {
    const text = commands.copied();
    if (typing(event) || text === null) return false;
    event.clipboardData.setData("text/plain", text);
    copiedHere = text;
    event.preventDefault();
    return true;
  };
  return {
    onCopy: (event: ClipboardEvent) => void copy(event),
    onCut: (event: ClipboardEvent) => {
      if (!off && copy(event)) commands.remove(selected);
    },
    onPaste: (event: ClipboardEvent) => {
      if (off || typing(event)) return;
      if (commands.paste(event.clipboardData.getData("text/plain"))) event.preventDefault();
    },
  };
}

/** The canvas, with explanations at each node if they are switched on. */
function ExplainedCanvas({ commands, sql }: { commands: NodeCommands; sql: string }) {
  const explained = useExplanation(sql);
  return <Canvas commands={commands} explained={explained.data} />;
}

function Shown({ view, commands, explain }: { view: View; commands: NodeCommands; explain: boolean }) {
  const { graph, sql, known } = useDesigner();
  const sound = known.every(({ severity }) => severity !== "error");
  if (graph === null) {
    return (
      <Empty title="Nothing to draw yet">
        <p>Write a query. It is drawn as you type.</p>
      </Empty>
    );
  }
  if (view === "outline") return <Outline commands={commands} />;
  return (
    <Suspense fallback={<Waiting>Loading the canvas…</Waiting>}>
      {explain && sound && sql !== null ? (
        <ExplainedCanvas commands={commands} sql={sql} />
      ) : (
        <Canvas commands={commands} explained={undefined} />
      )}
    </Suspense>
  );
}

function Locked({ refused }: { refused: number }) {
  const { locked, act } = useDesigner();
  if (locked === null) return null;
  return (
    <Notice tone={refused > 0 ? "bad" : "unknown"}>
      <p className="row">
        <span>
          {refused > 0 ? "Not applied. " : ""}
          {locked}
        </span>
        <button type="button" className="button" onClick={act.backToReadable}>
          Back to the last valid text
        </button>
      </p>
    </Notice>
  );
}

function addingWords(last: string | undefined): string {
  return last === undefined
    ? "Click to add, or drag onto the canvas. Select a node to insert after."
    : `Click to add after ${last}, or drag onto the canvas.`;
}

/** Tools and palette, for people who may edit. */
function Editing({ commands }: { commands: NodeCommands }) {
  const { selected, readOnly } = useDesigner();
  const [adding, setAdding] = useState(false);
  const last = onlyOne(selected);
  if (readOnly) return null;
  return (
    <>
      <Tools commands={commands} adding={adding} onAdd={() => setAdding(!adding)} />
      {adding ? (
        <Palette
          says={addingWords(last)}
          onPick={(kind) => commands.add(kind, { after: last })}
          onClose={() => setAdding(false)}
        />
      ) : null}
    </>
  );
}

interface GraphPanelProps {
  onHide: () => void;
  /** The number of edits that were refused. */
  refused: number;
}

/** The query's graph, editable as canvas or outline, with the form of the selected node. */
export function GraphPanel({ onHide, refused }: GraphPanelProps) {
  const { locked, readOnly, selected, graph } = useDesigner();
  const commands = useNodeCommands();
  const [view, choose] = useView();
  const [explain, setExplain] = useState(false);
  const drawn = view === "canvas" && graph !== null;
  const formed = drawn && selected.length > 0;
  const actions = (
    <>
      <Choices label="View of the graph" options={VIEWS} value={view} onChange={choose} />
      {drawn ? (
        <button type="button" className="button" aria-pressed={explain} onClick={() => setExplain(!explain)}>
          How it runs
        </button>
      ) : null}
      <button type="button" className="button" onClick={onHide}>
        Hide the graph
      </button>
    </>
  );
  return (
    <Panel title="Graph" actions={actions} flush>
      <div className="graph-panel" {...clipboardKeys(commands, readOnly || locked !== null, selected)}>
        <Locked refused={refused} />
        <Editing commands={commands} />
        <div className="graph-and-form" data-view={view} data-form={formed}>
          <Shown view={view} commands={commands} explain={explain} />
          {formed ? <Inspector /> : null}
        </div>
      </div>
    </Panel>
  );
}
