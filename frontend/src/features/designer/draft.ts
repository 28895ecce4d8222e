import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type Drafted, useDrafted } from "../../lib/drafts/drafts";
import { countWords } from "../../messages/definition/faults";
import type { Fault, QueryGraph } from "../../model/api";
import {
  type Ask,
  answered,
  backToReadable,
  beginning,
  canChangeForm,
  changeForm,
  type Design,
  type DesignEdit,
  type DesignState,
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
  shownText,
  storableText,
  typeText,
  undo,
} from "../../model/graph/edit/design";
import { readGraphText } from "../../model/graph/graphText";
import type { Schemas } from "../../model/graph/schemas";
import { useAsked } from "./requests";

/** A query in both of its forms. */
export interface Forms {
  graph: QueryGraph;
  text: string;
}

/** The part of a design that survives a reload, and its base version. */
interface KeptDesign extends Omit<DesignState, "known" | "clashed" | "comments"> {
  upon: string;
  /** The format of drafts before the canvas existed. */
  text?: string;
  sqlBefore?: string | null;
}

/** All changes to the design; the functions stay the same between renders. */
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
  /** The text being edited, in `form`. */
  text: string;
  /** True if the other form can be shown. */
  changeable: boolean;
  /** The text to store: always the SQL, because the graph lacks its comments; null while unknown. */
  storable: { text: string } | null;
  /** The newest valid graph. */
  graph: QueryGraph | null;
  /** True if `graph` matches the page, as far as known. */
  current: boolean;
  /** Null while unknown for the current state of the page. */
  faults: readonly Fault[] | null;
  /** The newest known errors. */
  known: readonly Fault[];
  schemas: Schemas;
  status: string;
  error: unknown;
  retry: () => void;
  kept: Drafted<KeptDesign>;
  /** Mark it as stored: `text` is now version `upon`, and further changes start from there. */
  beginUpon: (text: string, upon: string) => void;
}

const NO_FAULTS: readonly Fault[] = [];
const NO_SCHEMAS: Schemas = {};

function keptOf(state: DesignState, upon: string, withPositions: boolean): KeptDesign {
  const { form, lead, sql, base, json, graph, waiting, typed, commented, positions } = state;
  const leading = lead === "graph" ? graph : null;
  const placed = withPositions ? positions : {};
  return { form, lead, sql, base, json, graph: leading, waiting, typed, commented, positions: placed, upon };
}

function stateOf({ upon: _, text, sqlBefore, ...state }: KeptDesign, graph: QueryGraph | null): DesignState {
  const whole: DesignState = { ...beginning(state.sql, graph), ...state, graph: state.graph ?? graph };
  if (text === undefined) return whole;
  if (state.form === "sql") return { ...whole, lead: "text", sql: text, base: text };
  return { ...whole, lead: "json", json: text, base: sqlBefore ?? "" };
}

function statusOf({ present, check, revision }: Design, error: unknown): string {
  if (present.lead === "json") {
    const { problem } = readGraphText(present.json);
    if (problem !== null) return `Invalid JSON: ${problem}`;
  }
  if (error) return "The check failed.";
  if (check?.revision === revision) return `Checked: ${countWords(check.faults)}.`;
  return present.lead === "graph" ? "Updating the text from the canvas…" : "Checking…";
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

/** Place an added node where it was dropped, in the same undo step. */
function placedToo(design: Design, placed: Positions): Design {
  return { ...design, present: { ...design.present, positions: { ...design.present.positions, ...placed } } };
}

/** A query edited as SQL, as JSON and on the canvas: one model, checked by the server as it changes. */
export function useDraft(start: Forms | string, object: string, upon = ""): Draft {
  const isNew = typeof start === "string";
  const [first] = useState(() => keptOf(beginning(isNew ? start : start.text), upon, isNew));
  const kept = useDrafted<KeptDesign>(object, first);
  const [design, change] = useState(() => designOf(stateOf(kept.value, isNew ? null : start.graph)));
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

/** Store every change in the draft at once. */
function useKeeping(kept: Drafted<KeptDesign>, now: KeptDesign): void {
  const serialized = JSON.stringify(now);
  const last = useRef(serialized);
  const keep = useRef(kept.change);
  keep.current = kept.change;
  useEffect(() => {
    if (serialized === last.current) return;
    last.current = serialized;
    keep.current(JSON.parse(serialized) as KeptDesign);
  }, [serialized]);
}

/** Return why the server would refuse to store it; null if it would not. */
export function savingReason({ storable, faults, design }: Draft): string | null {
  if (design.present.known === "unreadable") return "The text has errors. Fix them first.";
  if (storable === null || faults === null) return "The query is still being checked.";
  return faults.some((fault) => fault.severity === "error") ? "Fix the errors first." : null;
}

/** Return true if it differs from the stored text. */
export function differs({ storable }: Draft, stored: { text: string }): boolean {
  return storable?.text !== stored.text;
}
