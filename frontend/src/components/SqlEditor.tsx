import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from "@codemirror/autocomplete";
import { SQLDialect, sql } from "@codemirror/lang-sql";
import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useMemo, useRef } from "react";
import type { Completions, Fault } from "../model/api";
import { SQL_KEYWORDS } from "../model/graphText";
import { pointOf, type Span, unitOf, unitsOf } from "../model/spans";
import { CodeEditor } from "./CodeEditor";

/** The words that are coloured; what they mean is the server's to say. */
export const DIALECT = SQLDialect.define({
  keywords: SQL_KEYWORDS.join(" "),
  backslashEscapes: true,
  identifierQuotes: "`",
  operatorChars: "*+-%<>!=/|",
});

/** Reads as a completion's mark: what kind of thing it is. */
const MARKS: Record<string, string> = {
  stream: "class",
  node: "variable",
  field: "property",
  function: "function",
  aggregate: "method",
  keyword: "keyword",
  type: "type",
};

function diagnosticsOf(text: string, faults: readonly Fault[]): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const fault of faults) {
    if (!fault.span) continue;
    const { start, end } = unitsOf(text, fault.span);
    found.push({ from: start, to: end, severity: fault.severity, message: `${fault.message} ${fault.remedy}` });
  }
  return found;
}

export function optionsOf(text: string, { start, end, items }: Completions): CompletionResult {
  const options = items.map(
    ({ label, kind, detail, help, insert }, index): Completion => ({
      label,
      type: MARKS[kind] ?? "text",
      detail,
      ...(help ? { info: help } : {}),
      apply: insert,
      boost: -index / 100,
    }),
  );
  return { from: unitOf(text, start), to: unitOf(text, end), options };
}

interface SqlEditorProps {
  label: string;
  text: string;
  readOnly: boolean;
  /** The faults of this very text; null while they are not known, which leaves the marks that there are. */
  faults: readonly Fault[] | null;
  /** A place to select and to show; each new object is gone to once. */
  shown: Span | null;
  onChange: (text: string) => void;
  complete: (text: string, at: number) => Promise<Completions>;
  ownUndo?: boolean;
  onCaret?: (text: string, at: number) => void;
}

/** Edits a query as SQL: faults at their span, completion by the server. */
export function SqlEditor(props: SqlEditorProps) {
  const { text, faults, shown, complete, label, readOnly, onChange, ownUndo = true, onCaret } = props;
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

  useEffect(() => {
    const editor = view.current;
    if (editor === null || faults === null || editor.state.doc.toString() !== text) return;
    editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(text, faults)));
  }, [text, faults]);

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
