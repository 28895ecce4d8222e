import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type Drafted, useDrafted } from "../../lib/drafts";
import type { Fault, QueryGraph } from "../../model/api";
import { countWords } from "../../model/faults";
import {
  type Ask,
  answered,
  backToReadable,
  beginning,
  canChangeForm,
  changeForm,
  type Design,
  type DesignEdit,
  designOf,
  editAll,
  editGraph,
  type Form,
  moveNodes,
  type Positions,
  pendingAsk,
  placeNodes,
  redo,
  replaceText,
  type Said,
  shownText,
  storableText,
  typeText,
  undo,
} from "../../model/graphEdit/design";
import { readGraphText } from "../../model/graphText";
import type { Schemas } from "./page/designer";
import { useAsked } from "./requests";

/** A query in both of its forms. */
export interface Forms {
  graph: QueryGraph;
  text: string;
}

/** What of a design survives a reload, and the version upon which it was begun. */
interface KeptDesign extends Omit<Said, "known" | "clashed" | "comments"> {
  upon: string;
  /** How drafts were kept before there was a canvas. */
  text?: string;
  sqlBefore?: string | null;
}

/** All that changes the design; none of them changes from one drawing to the next. */
export interface DesignActions {
  edit: (edit: DesignEdit, step?: string) => void;
  editAll: (edits: readonly DesignEdit[], placed?: Positions) => void;
  move: (positions: Positions) => void;
  place: (positions: Positions) => void;
  type: (text: string) => void;
  changeForm: () => void;
  replaceText: (text: string) => void;
  replaceGraph: (graph: QueryGraph) => void;
  undo: () => void;
  redo: () => void;
  backToReadable: () => void;
}

export interface Draft {
  design: Design;
  act: DesignActions;
  form: Form;
  /** What is being edited, in `form`. */
  text: string;
  /** Whether the other form can be shown. */
  changeable: boolean;
  /** What is stored: always the SQL, whose comments the graph does not have; null while it is not known. */
  storable: { text: string } | null;
  /** The newest graph that could be drawn. */
  graph: QueryGraph | null;
  /** Whether `graph` is what the page says, as far as is known. */
  current: boolean;
  /** Null while they are not known for what the page says now. */
  faults: readonly Fault[] | null;
  /** The newest faults that are known. */
  known: readonly Fault[];
  schemas: Schemas;
  status: string;
  error: unknown;
  retry: () => void;
  kept: Drafted<KeptDesign>;
  /** It is stored as `text` in version `upon`: what follows is begun upon that. */
  beginUpon: (text: string, upon: string) => void;
}

const NO_FAULTS: readonly Fault[] = [];
const NO_SCHEMAS: Schemas = {};

function keptOf(said: Said, upon: string, withPositions: boolean): KeptDesign {
  const { form, lead, sql, base, json, graph, waiting, typed, commented, positions } = said;
  const leading = lead === "graph" ? graph : null;
  const placed = withPositions ? positions : {};
  return { form, lead, sql, base, json, graph: leading, waiting, typed, commented, positions: placed, upon };
}

function saidOf({ upon: _, text, sqlBefore, ...said }: KeptDesign, graph: QueryGraph | null): Said {
  const whole: Said = { ...beginning(said.sql, graph), ...said, graph: said.graph ?? graph };
  if (text === undefined) return whole;
  if (said.form === "sql") return { ...whole, lead: "text", sql: text, base: text };
  return { ...whole, lead: "json", json: text, base: sqlBefore ?? "" };
}

function statusOf({ present, check, revision }: Design, error: unknown): string {
  if (present.lead === "json") {
    const { problem } = readGraphText(present.json);
    if (problem !== null) return `Not JSON yet: ${problem}`;
  }
  if (error) return "The check could not be made.";
  if (check?.revision === revision) return `Checked: ${countWords(check.faults)}.`;
  return present.lead === "graph" ? "Writing what the canvas says into the text…" : "Checking…";
}

function useActions(change: (turn: (design: Design) => Design) => void): DesignActions {
  return useMemo(
    () => ({
      edit: (edit, step) => change((design) => editGraph(design, edit, step ?? null)),
      editAll: (edits, placed) =>
        change((design) => {
          const edited = editAll(design, edits);
          return placed === undefined || edited === design ? edited : placedToo(edited, placed);
        }),
      move: (positions) => change((design) => moveNodes(design, positions)),
      place: (positions) => change((design) => placeNodes(design, positions)),
      type: (text) => change((design) => typeText(design, text)),
      changeForm: () => change(changeForm),
      replaceText: (text) => change((design) => replaceText(design, text)),
      replaceGraph: (graph) => change((design) => editGraph(design, { do: "replace", graph })),
      undo: () => change(undo),
      redo: () => change(redo),
      backToReadable: () => change(backToReadable),
    }),
    [change],
  );
}

/** What was just added stands where it was dropped, as part of the same step. */
function placedToo(design: Design, placed: Positions): Design {
  return { ...design, present: { ...design.present, positions: { ...design.present.positions, ...placed } } };
}

/** A query that is edited as SQL, as JSON and on the canvas: one model, checked by the server as it changes. */
export function useDraft(start: Forms | string, object: string, upon = ""): Draft {
  const isNew = typeof start === "string";
  const [first] = useState(() => keptOf(beginning(isNew ? start : start.text), upon, isNew));
  const kept = useDrafted<KeptDesign>(object, first);
  const [design, change] = useState(() => designOf(saidOf(kept.value, isNew ? null : start.graph)));
  const act = useActions(change);
  const { present, check, revision } = design;
  const upons = useRef(kept.value.upon);
  useKeeping(kept, keptOf(present, upons.current, isNew));

  const ask = useMemo<Ask | null>(() => pendingAsk(design), [design]);
  const { error, retry } = useAsked(ask, revision, (answer) => change((now) => answered(now, revision, answer)));

  const beginUpon = useCallback(
    (text: string, next: string) => {
      upons.current = next;
      const begun = storableText(present) === text ? design : replaceText(design, text);
      kept.begin(keptOf(begun.present, next, isNew));
      change(begun);
    },
    [design, present, kept.begin, isNew],
  );
  const storable = storableText(present);
  const known = check?.faults ?? NO_FAULTS;
  return {
    design,
    act,
    form: present.form,
    text: shownText(present),
    changeable: canChangeForm(present),
    storable: storable === null ? null : { text: storable },
    graph: present.graph,
    current: present.known !== "unreadable",
    faults: check?.revision === revision ? known : null,
    known: present.lead === "json" && readGraphText(present.json).problem !== null ? NO_FAULTS : known,
    schemas: check?.schemas ?? NO_SCHEMAS,
    status: statusOf(design, error),
    error,
    retry,
    kept: { ...kept, discard: () => discarded(kept, first, act) },
    beginUpon,
  };
}

function discarded(kept: Drafted<KeptDesign>, first: KeptDesign, act: DesignActions): void {
  kept.discard();
  act.replaceText(first.sql);
}

/** Whatever is changed is kept at once. */
function useKeeping(kept: Drafted<KeptDesign>, now: KeptDesign): void {
  const told = JSON.stringify(now);
  const last = useRef(told);
  const keep = useRef(kept.change);
  keep.current = kept.change;
  useEffect(() => {
    if (told === last.current) return;
    last.current = told;
    keep.current(JSON.parse(told) as KeptDesign);
  }, [told]);
}

/** Why the server would not store it as it stands; null if it would. */
export function savingReason({ storable, faults, design }: Draft): string | null {
  if (design.present.known === "unreadable") return "The text cannot be read. Mend it first.";
  if (storable === null || faults === null) return "The query is still being checked.";
  return faults.some((fault) => fault.severity === "error") ? "Mend the faults first." : null;
}

/** Whether it differs from what is stored. */
export function differs({ storable }: Draft, stored: { text: string }): boolean {
  return storable?.text !== stored.text;
}
