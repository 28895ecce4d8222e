import type { Diagnostic } from "@codemirror/lint";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import type { Fault } from "../../model/api";
import { type Span, unitsOf } from "../../model/text/spans";
import { CodeEditor } from "./CodeEditor";
import { type Complete, markOf, useFaultMarks, useSqlExtensions } from "./sqlEditing";

interface SqlEditorProps {
  label: string;
  text: string;
  readOnly: boolean;
  /** The errors of this text; null while unknown, which leaves the present marks. */
  faults: readonly Fault[] | null;
  /** A span to select and scroll to; each new object is applied once. */
  shown: Span | null;
  onChange: (text: string) => void;
  complete: Complete;
  ownUndo?: boolean;
  onCaret?: (text: string, at: number) => void;
}

function marksOf(text: string, faults: readonly Fault[]): Diagnostic[] {
  return faults.flatMap((fault) => {
    if (!fault.span) return [];
    const { start, end } = unitsOf(text, fault.span);
    return [markOf(fault, start, end)];
  });
}

/** Edit a query as SQL, with errors at their spans and completion by the server. */
export function SqlEditor(props: SqlEditorProps) {
  const { text, faults, shown, complete, label, readOnly, onChange, ownUndo = true, onCaret } = props;
  const view = useRef<EditorView | null>(null);
  const extensions = useSqlExtensions(complete);
  useFaultMarks(view, text, faults, marksOf);

  useEffect(() => {
    const editor = view.current;
    if (editor === null || shown === null) return;
    const { start, end } = unitsOf(editor.state.doc.toString(), shown);
    editor.dispatch({
      selection: { anchor: start, head: end },
      effects: EditorView.scrollIntoView(start, { y: "center" }),
    });
    editor.focus();
  }, [shown]);

  return (
    <CodeEditor
      {...{ label, text, readOnly, onChange, ownUndo, extensions, view }}
      {...(onCaret === undefined ? {} : { onCaret })}
    />
  );
}
