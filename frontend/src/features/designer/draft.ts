import { useMemo, useRef, useState } from "react";
import { type Drafted, useDrafted } from "../../lib/drafts";
import type { Fault, QueryGraph, Validation } from "../../model/api";
import { countWords } from "../../model/faults";
import { type GraphText, graphText, readGraphText } from "../../model/graphText";
import { useValidation, type Written } from "./requests";

export type Form = "sql" | "json";

/** A query in both of its forms. */
export interface Forms {
  graph: QueryGraph;
  text: string;
}

export interface Draft {
  form: Form;
  /** What is being edited, in `form`. */
  text: string;
  setText: (text: string) => void;
  /** Goes on in the other form; null while the text has no other form. */
  change: (() => void) | null;
  load: (forms: Forms) => void;
  /** What is sent to be checked; null for text that is no JSON. */
  written: Written | null;
  /** What is stored: always the SQL, whose comments the graph does not have; null while it is not known. */
  storable: { text: string } | null;
  /** The newest graph that could be drawn. */
  graph: QueryGraph | null;
  /** Whether `graph` is what the text says, as far as is known. */
  current: boolean;
  /** Null while they are not known for this very text. */
  faults: readonly Fault[] | null;
  /** The newest faults that are known. */
  known: readonly Fault[];
  status: string;
  error: unknown;
  /** What of it survives, and the version upon which it was begun. */
  kept: Drafted<Typed>;
}

interface Typed {
  form: Form;
  text: string;
  /** The SQL before the change to JSON: its comments and its layout come back with the change to SQL. */
  sqlBefore: string | null;
  upon: string;
}

const NO_FAULTS: readonly Fault[] = [];

export function textIn(form: Form, forms: Forms): string {
  return form === "sql" ? forms.text : graphText(forms.graph);
}

/** What is sent for `text`: `read` is it as JSON, null for SQL. */
function writtenAs(text: string, read: GraphText | null, sqlBefore: string | null): Written | null {
  if (read === null) return { text };
  if (read.value === null) return null;
  const graph = read.value as QueryGraph; // the server checks it, whatever it is
  return sqlBefore === null ? { graph } : { graph, text: sqlBefore };
}

interface Sides {
  drawn: QueryGraph | null;
  /** The same in the other form. */
  other: string | null;
  sql: string | null;
}

/** What the text says in its other forms, as far as the `answer` to it is there. */
function sidesOf(text: string, read: GraphText | null, answer: Validation | undefined): Sides {
  if (read !== null) return { drawn: read.graph, other: answer?.text ?? null, sql: answer?.text ?? null };
  const drawn = answer?.graph ?? null;
  return { drawn, other: drawn === null ? null : graphText(drawn), sql: text };
}

function statusOf(read: GraphText | null, checking: boolean, known: readonly Fault[], error: unknown): string {
  if (read !== null && read.problem !== null) return `Not JSON yet: ${read.problem}`;
  if (error) return "The check could not be made.";
  return checking ? "Checking…" : `Checked: ${countWords(known)}.`;
}

function useLastDrawn(drawn: QueryGraph | null, start: Forms | string): QueryGraph | null {
  const last = useRef<QueryGraph | null>(typeof start === "string" ? null : start.graph);
  if (drawn !== null) last.current = drawn;
  return last.current;
}

/** A text that is edited as SQL or as JSON: one model, checked by the server as it is typed. */
export function useDraft(start: Forms | string, object: string, upon = ""): Draft {
  const [beginning] = useState<Typed>(() => ({
    form: "sql",
    text: typeof start === "string" ? start : start.text,
    sqlBefore: null,
    upon,
  }));
  const kept = useDrafted(object, beginning);
  const { form, text, sqlBefore } = kept.value;
  const setText = (next: string) => kept.change({ ...kept.value, text: next });
  const read = useMemo(() => (form === "json" ? readGraphText(text) : null), [form, text]);
  const written = useMemo(() => writtenAs(text, read, sqlBefore), [text, read, sqlBefore]);
  const { checking, data, error } = useValidation(written);
  const answer = checking ? undefined : data;
  const known = written === null ? NO_FAULTS : (data?.faults ?? NO_FAULTS);
  const { drawn, other, sql } = sidesOf(text, read, answer);

  const change = (to: string) => {
    kept.change({
      ...kept.value,
      form: form === "sql" ? "json" : "sql",
      text: to,
      sqlBefore: form === "sql" ? text : null,
    });
  };
  const load = (forms: Forms) => {
    kept.change({ ...kept.value, text: textIn(form, forms), sqlBefore: form === "sql" ? null : forms.text });
  };
  return {
    form,
    text,
    setText,
    change: other === null ? null : () => change(other),
    load,
    written,
    storable: sql === null ? null : { text: sql },
    graph: useLastDrawn(drawn, start),
    current: drawn !== null || (read === null && checking),
    faults: answer === undefined ? null : known,
    known,
    status: statusOf(read, checking, known, error),
    error,
    kept,
  };
}

/** Why the server would not store it as it stands; null if it would. */
export function savingReason({ storable, faults }: Draft): string | null {
  if (storable === null) return "The text cannot be read. Mend it first.";
  if (faults === null) return "The text is still being checked.";
  return faults.some((fault) => fault.severity === "error") ? "Mend the faults first." : null;
}

/** Whether it differs from what is stored. */
export function differs({ form, text }: Draft, stored: Forms): boolean {
  return text !== textIn(form, stored);
}
