import type { Diagnostic } from "@codemirror/lint";
import type { EditorView } from "@codemirror/view";
import { useMemo, useRef } from "react";
import type { Fault } from "../model/api";
import { unitOf } from "../model/spans";
import { CodeEditor } from "./CodeEditor";
import { type Complete, markOf, useFaultMarks, useSqlExtensions } from "./sqlEditing";

interface ExpressionEditorProps {
  label: string;
  text: string;
  readOnly: boolean;
  /** The faults of this expression; `at` counts its code points. */
  faults: readonly Fault[];
  onChange: (text: string) => void;
  complete: Complete;
}

function marksOf(text: string, faults: readonly Fault[]): Diagnostic[] {
  return faults.map((fault) => {
    const at = "at" in fault && typeof fault.at === "number" ? fault.at : null;
    const from = at === null ? 0 : Math.min(unitOf(text, at), text.length);
    const word = /^\w+/.exec(text.slice(from))?.[0].length ?? 1;
    return markOf(fault, from, at === null ? text.length : Math.min(text.length, from + word));
  });
}

/** Edits one expression: faults at their place, completion by the server with what comes in there. */
export function ExpressionEditor({ text, faults, complete, ...rest }: ExpressionEditorProps) {
  const view = useRef<EditorView | null>(null);
  const extensions = useSqlExtensions(complete);
  const told = JSON.stringify(faults);
  const known = useMemo(() => JSON.parse(told) as Fault[], [told]); // a form makes a new list whenever it is drawn
  useFaultMarks(view, text, known, marksOf);
  return <CodeEditor {...rest} text={text} extensions={extensions} view={view} ownUndo={false} small />;
}
