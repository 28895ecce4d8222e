import { autocompletion, type CompletionContext, completionKeymap } from "@codemirror/autocomplete";
import { sql } from "@codemirror/lang-sql";
import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import { type EditorView, keymap } from "@codemirror/view";
import { useEffect, useMemo, useRef } from "react";
import type { Completions, Fault } from "../model/api";
import { pointOf, unitOf } from "../model/spans";
import { CodeEditor } from "./CodeEditor";
import { DIALECT, optionsOf } from "./SqlEditor";

interface ExpressionEditorProps {
  label: string;
  text: string;
  readOnly: boolean;
  /** The faults of this expression; `at` counts its code points. */
  faults: readonly Fault[];
  onChange: (text: string) => void;
  complete: (text: string, at: number) => Promise<Completions>;
}

function diagnosticsOf(text: string, faults: readonly Fault[]): Diagnostic[] {
  return faults.map((fault) => {
    const at = "at" in fault && typeof fault.at === "number" ? fault.at : null;
    const from = at === null ? 0 : Math.min(unitOf(text, at), text.length);
    const word = /^\w+/.exec(text.slice(from))?.[0].length ?? 1;
    const to = at === null ? text.length : Math.min(text.length, from + word);
    return { from, to, severity: fault.severity, message: `${fault.message} ${fault.remedy}` };
  });
}

/** Edits one expression: faults at their place, completion by the server with what comes in there. */
export function ExpressionEditor({ text, faults, complete, ...rest }: ExpressionEditorProps) {
  const view = useRef<EditorView | null>(null);
  const ask = useRef(complete);
  useEffect(() => {
    ask.current = complete;
  });
  const extensions = useMemo(() => {
    const source = async (context: CompletionContext) => {
      if (!context.explicit && context.matchBefore(/[\w.`]$/) === null) return null;
      const written = context.state.doc.toString();
      return optionsOf(written, await ask.current(written, pointOf(written, context.pos)));
    };
    return [
      sql({ dialect: DIALECT, upperCaseKeywords: true }).language,
      autocompletion({ override: [source], icons: false }),
      keymap.of(completionKeymap),
    ];
  }, []);
  const told = JSON.stringify(faults);
  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() !== text) return;
    editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(text, JSON.parse(told) as Fault[])));
  }, [text, told]);
  return <CodeEditor {...rest} text={text} extensions={extensions} view={view} ownUndo={false} small />;
}
