/** Shared parts of the SQL editors, for queries and expressions: colours, completion and error marks. */

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
import type { Completions, Fault } from "../../model/api";
import { SQL_KEYWORDS } from "../../model/graph/graphText";
import { pointOf, unitOf } from "../../model/text/spans";

/** The highlighted words; the server defines their meaning. */
const DIALECT = SQLDialect.define({
  keywords: SQL_KEYWORDS.join(" "),
  backslashEscapes: true,
  identifierQuotes: "`",
  operatorChars: "*+-%<>!=/|",
});

/** The icon of a completion, by kind. */
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

/** Load completions at a code point of a text. */
export type Complete = (text: string, at: number) => Promise<Completions>;

/** Return the language with completion by `complete`; the extensions stay the same when `complete` changes. */
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

/** Return an error mark from `from` to `to`. */
export function markOf(fault: Fault, from: number, to: number): Diagnostic {
  return { from, to, severity: fault.severity, message: `${fault.message} ${fault.remedy}` };
}

/**
 * Show the errors of `text` in an editor. Null, or a text that has changed since, leaves the present marks.
 * `marksOf` and `faults` may be new objects only if the marks change.
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
