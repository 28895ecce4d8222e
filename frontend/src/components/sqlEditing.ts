/** What the editors of SQL share, of a whole query and of one expression: colours, completion, marks at faults. */

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from "@codemirror/autocomplete";
import { SQLDialect, sql } from "@codemirror/lang-sql";
import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import { type EditorView, keymap } from "@codemirror/view";
import { type RefObject, useEffect, useMemo, useRef } from "react";
import type { Completions, Fault } from "../model/api";
import { SQL_KEYWORDS } from "../model/graphText";
import { pointOf, unitOf } from "../model/spans";

/** The words that are coloured; what they mean is the server's to say. */
const DIALECT = SQLDialect.define({
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

function optionsOf(text: string, { start, end, items }: Completions): CompletionResult {
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

/** Asks what may stand at a code point of a text. */
export type Complete = (text: string, at: number) => Promise<Completions>;

/** The language with completion by `complete`; the same extensions however often that changes. */
export function useSqlExtensions(complete: Complete): Extension {
  const ask = useRef(complete);
  useEffect(() => {
    ask.current = complete;
  });
  return useMemo(() => {
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
}

/** A mark from `from` to `to` that says a fault. */
export function markOf(fault: Fault, from: number, to: number): Diagnostic {
  return { from, to, severity: fault.severity, message: `${fault.message} ${fault.remedy}` };
}

/**
 * Keeps the marks at the faults of `text` in an editor; null, and a text that has been typed on since, leave those that
 * there are. `marksOf` and `faults` may be new objects only where the marks change.
 */
export function useFaultMarks(
  view: RefObject<EditorView | null>,
  text: string,
  faults: readonly Fault[] | null,
  marksOf: (text: string, faults: readonly Fault[]) => Diagnostic[],
): void {
  useEffect(() => {
    const editor = view.current;
    if (editor === null || faults === null || editor.state.doc.toString() !== text) return;
    editor.dispatch(setDiagnostics(editor.state, marksOf(text, faults)));
  }, [view, text, faults, marksOf]);
}
