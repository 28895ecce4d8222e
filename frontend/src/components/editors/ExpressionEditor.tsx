import type { Diagnostic } from "@codemirror/lint";
import type { EditorView } from "@codemirror/view";
import { useMemo, useRef } from "react";
import type { Fault } from "../../model/api";
import { unitOf } from "../../model/text/spans";
import { CodeEditor } from "./CodeEditor";
import { type Complete, markOf, useFaultMarks, useSqlExtensions } from "./sqlEditing";

interface ExpressionEditorProps {
  label: string;
  text: string;
  readOnly: boolean;
  /** The errors of this expression; `at` counts code points. */
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

/** Edit one expression, with errors in place and completion by the server. */
export function ExpressionEditor({ text, faults, complete, ...rest }: ExpressionEditorProps) {
  const view = useRef<EditorView | null>(null);
  const extensions = useSqlExtensions(complete);
  const serialized = JSON.stringify(faults);
  const known = useMemo(() => JSON.parse(serialized) as Fault[], [serialized]); // a form creates a new list on every render
  useFaultMarks(view, text, known, marksOf);
  return <CodeEditor {...rest} text={text} extensions={extensions} view={view} ownUndo={false} small />;
}
