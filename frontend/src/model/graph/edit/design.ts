/**
 * A query edited as text and as graph, in one model.
 *
 * The form that was edited last leads. The others follow by the server's answers, and an answer about an older revision is
 * dropped. Canvas edits made while a text is being read wait in `waiting`; text typed while the canvas is being written
 * into the text waits in `typed`. So no edit is lost.
 */

import type { Fault, GraphNode, QueryGraph } from "../../api";
import { graphText, readGraphText } from "../graphText";
import { applyEdit, type GraphEdit } from "./edits";
import { changeBetween, mergedText } from "./merge";

export interface Position {
  x: number;
  y: number;
}
export type Positions = Readonly<Record<string, Position>>;
export type Comments = Readonly<Record<string, string>>;
export type Form = "sql" | "json";

export type DesignEdit = GraphEdit | { do: "comment"; id: string; text: string };

/** Everything that undo restores. */
export interface DesignState {
  form: Form;
  lead: "text" | "json" | "graph";
  /** The SQL, as far as known; it leads if `lead` is `text`. */
  sql: string;
  /** The SQL into which a leading graph or JSON is written. */
  base: string;
  /** The typed JSON; only if that leads. */
  json: string;
  /** The leading graph, or the last valid one; null before the first. */
  graph: QueryGraph | null;
  /** `same`: all forms agree; `unreadable`: the leading form can't be converted. */
  known: "not yet" | "same" | "unreadable";
  /** Graph edits that wait until the text is read. */
  waiting: readonly DesignEdit[];
  /** Text typed over `base` while the graph was being written into it; null without typing. */
  typed: string | null;
  /** True if typed and written text changed the same place, so that the typed text was kept. */
  clashed: boolean;
  /** By node, as in the text. */
  comments: Comments;
  /** Comments that are not in the text yet; empty: to be removed. */
  commented: Comments;
  positions: Positions;
}

export interface Answer {
  graph: QueryGraph | null;
  text: string | null;
  comments: Comments;
  faults: readonly Fault[];
  schemas: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface Design {
  past: readonly DesignState[];
  present: DesignState;
  future: readonly DesignState[];
  /** Counts the changes that need a request. */
  revision: number;
  /** The newest answer, and its revision. */
  check: { revision: number; faults: Answer["faults"]; schemas: Answer["schemas"] } | null;
  /** The undo step that may be continued; null: the next change starts a new step. */
  step: string | null;
  /** Where typing would continue; -1: nowhere. */
  typedAt: number;
  /** The number of canvas edits refused since the text became invalid. */
  refused: number;
}

export type Ask = { text: string } | { graph: QueryGraph; text: string; comments: Comments };

export function beginning(text: string, graph: QueryGraph | null = null, positions: Positions = {}): DesignState {
  const none = { waiting: [], typed: null, clashed: false, comments: {}, commented: {} };
  return { form: "sql", lead: "text", sql: text, base: text, json: "", graph, known: "not yet", ...none, positions };
}

export function designOf(state: DesignState): Design {
  return { past: [], present: state, future: [], revision: 0, check: null, step: null, typedAt: -1, refused: 0 };
}

/** Return the next request to the server; null if it has answered, or if nothing can be checked. */
export function pendingAsk({ present, revision, check }: Design): Ask | null {
  if (check?.revision === revision) return null;
  const { lead, sql, base, json, graph, commented } = present;
  if (lead === "text") return { text: sql };
  const leading = lead === "graph" ? graph : (readGraphText(json).value as QueryGraph | null);
  return leading === null ? null : { graph: leading, text: base, comments: commented };
}

/** Make `said` the present, as a new undo step, or as part of the last one if `step` continues it. */
function stepped(design: Design, state: DesignState, step: string | null, asks = true): Design {
  const on = step !== null && step === design.step;
  const past = on ? design.past : [...design.past, design.present];
  return { ...design, past, present: state, future: [], step, revision: design.revision + (asks ? 1 : 0), refused: 0 };
}

/** Comments and positions follow a rename, and comments are removed with their node. */
function followed(state: DesignState, edit: DesignEdit): DesignState {
  const { comments, commented, positions } = state;
  if (edit.do === "comment") {
    const now = { [edit.id]: edit.text };
    return { ...state, comments: { ...comments, ...now }, commented: { ...commented, ...now } };
  }
  if (edit.do === "rename") {
    const comment = comments[edit.from] ?? "";
    const moved = comment === "" ? {} : { [edit.from]: "", [edit.to]: comment };
    const { [edit.from]: place, ...rest } = positions;
    const placed = place === undefined ? positions : { ...rest, [edit.to]: place };
    return { ...state, comments: { ...comments, ...moved }, commented: { ...commented, ...moved }, positions: placed };
  }
  if (edit.do !== "remove") return state;
  const gone = Object.fromEntries(edit.ids.filter((id) => comments[id]).map((id) => [id, ""]));
  return { ...state, comments: { ...comments, ...gone }, commented: { ...commented, ...gone } };
}

function changesComment(state: DesignState, { id, text }: { id: string; text: string }): boolean {
  return nodeOf(state, id) !== undefined && (state.comments[id] ?? "") !== text;
}

/** Return `said` after an edit of its graph, which then leads; the same object without a change. */
function graphLed(state: DesignState, edit: DesignEdit): DesignState {
  if (state.graph === null) return state;
  const graph = edit.do === "comment" ? state.graph : applyEdit(state.graph, edit);
  if (edit.do === "comment" ? !changesComment(state, edit) : graph === state.graph) return state;
  const base = state.lead === "text" ? state.sql : state.base;
  return { ...followed(state, edit), lead: "graph", graph, base, json: "", known: "not yet", clashed: false };
}

/** Edit the graph: at once, or after the text has been read. Refused while the text is invalid. */
export function editGraph(design: Design, edit: DesignEdit, step: string | null = null): Design {
  const { present } = design;
  if (present.known === "unreadable") return { ...design, refused: design.refused + 1 };
  if (present.lead === "text" && present.known === "not yet") {
    return stepped(design, { ...present, waiting: [...present.waiting, edit] }, null);
  }
  const state = graphLed(present, edit);
  return state === present ? design : stepped(design, state, step);
}

/** Make several edits in one step. */
export function editAll(design: Design, edits: readonly DesignEdit[]): Design {
  const made = edits.reduce((before, edit) => editGraph(before, edit), design);
  if (made.past.length <= design.past.length) return made;
  return { ...made, past: [...design.past, design.present] };
}

/** Type into the visible form. */
export function typeText(design: Design, text: string): Design {
  const { present } = design;
  const before = shownText(present);
  if (text === before) return design;
  const { step, typedAt } = typing(design, before, text);
  return { ...typedInto(design, text, step), typedAt };
}

function typedInto(design: Design, text: string, step: string): Design {
  const { present } = design;
  if (present.form === "json") return stepped(design, jsonLed(present, text), step);
  if (present.lead === "graph") return stepped(design, { ...present, typed: text }, step, false);
  const led: DesignState = { ...present, lead: "text", sql: text, base: text, known: "not yet", clashed: false };
  return stepped(design, led, step);
}

/** Return the undo step for typing: words rather than letters, while typing continues at one place. */
function typing(design: Design, before: string, after: string): { step: string; typedAt: number } {
  const change = changeBetween(before, after) ?? { from: 0, to: 0, put: "" };
  const single = change.put.length + change.to - change.from === 1;
  const there = change.from === design.typedAt || change.to === design.typedAt;
  const goesOn = design.step?.startsWith("typing") === true && single && there && !/\s/.test(change.put);
  const step = goesOn && design.step !== null ? design.step : `typing ${design.revision} ${design.past.length}`;
  return { step, typedAt: change.from + change.put.length };
}

function jsonLed(state: DesignState, text: string): DesignState {
  const read = readGraphText(text);
  const base = state.lead === "text" ? state.sql : state.base;
  const known = read.graph === null ? "unreadable" : "not yet";
  return { ...state, lead: "json", json: text, base, graph: read.graph ?? state.graph, known, clashed: false };
}

/** Move boxes: an undo step without a request. */
export function moveNodes(design: Design, positions: Positions): Design {
  const moved = { ...design.present, positions: { ...design.present.positions, ...positions } };
  return { ...stepped(design, moved, null, false), refused: design.refused };
}

/** Apply positions from elsewhere, without an undo step. */
export function placeNodes(design: Design, positions: Positions): Design {
  return { ...design, present: { ...design.present, positions: { ...positions, ...design.present.positions } } };
}

/** Return the text of the visible form. */
export function shownText({ form, lead, sql, json, graph, typed }: DesignState): string {
  if (form === "sql") return typed ?? sql;
  return lead === "json" || graph === null ? json : graphText(graph);
}

/** Return true if the other form can be shown: the leading one has been read or written. */
export function canChangeForm({ known, graph }: DesignState): boolean {
  return graph !== null && known === "same";
}

/** Show the other form; not an undo step, because nothing changes. */
export function changeForm(design: Design): Design {
  const { present } = design;
  if (!canChangeForm(present)) return design;
  if (present.form === "sql") return { ...design, present: { ...present, form: "json" }, step: null };
  const state: DesignState = { ...present, form: "sql", lead: "text", base: present.sql, json: "" };
  return { ...design, present: state, step: null };
}

/** Replace everything by a text. */
export function replaceText(design: Design, text: string): Design {
  const none = { waiting: [], typed: null, commented: {}, json: "", clashed: false };
  const state: DesignState = {
    ...design.present,
    ...none,
    form: "sql",
    lead: "text",
    sql: text,
    base: text,
    known: "not yet",
  };
  return stepped(design, state, null);
}

/** Return to the last valid text, and keep the present for redo. */
export function backToReadable(design: Design): Design {
  let found = design;
  while (found.present.known === "unreadable" && found.past.length > 0) found = undo(found);
  return found.present.known === "unreadable" ? design : found;
}

export function undo(design: Design): Design {
  const before = design.past.at(-1);
  if (before === undefined) return design;
  const future = [design.present, ...design.future];
  return moved(design, design.past.slice(0, -1), before, future);
}

export function redo(design: Design): Design {
  const [next, ...future] = design.future;
  return next === undefined ? design : moved(design, [...design.past, design.present], next, future);
}

function moved(
  design: Design,
  past: readonly DesignState[],
  present: DesignState,
  future: readonly DesignState[],
): Design {
  return { ...design, past, present, future, revision: design.revision + 1, step: null, refused: 0 };
}

/** Apply the server's answer about `revision`; ignored if that is not the present one. */
export function answered(design: Design, revision: number, answer: Answer): Design {
  if (revision !== design.revision) return design;
  const { faults, schemas } = answer;
  const read = filled(design.present, answer);
  const present = read.waiting.length > 0 && read.known === "same" ? appliedWaiting(read) : read;
  const asks = present.known === "not yet";
  const check = { revision, faults, schemas };
  const refused = present.known === "unreadable" ? design.refused : 0;
  return { ...design, present, check, revision: revision + (asks ? 1 : 0), refused };
}

function appliedWaiting(state: DesignState): DesignState {
  return state.waiting.reduce(graphLed, { ...state, waiting: [] });
}

/** Return the forms that follow, as far as the answer contains them. */
function filled(state: DesignState, { graph, text, comments }: Answer): DesignState {
  if (state.lead === "text") {
    if (graph === null) return { ...state, known: "unreadable" };
    return { ...state, graph, known: "same", comments };
  }
  if (text === null) return { ...state, known: "unreadable" }; // a graph that can't be written as text
  if (state.lead === "json") return { ...state, sql: text, known: "same", comments };
  const written: DesignState = {
    ...state,
    lead: "text",
    sql: text,
    base: text,
    known: "same",
    comments,
    commented: {},
  };
  if (state.typed === null) return { ...written, graph: graph ?? state.graph };
  const merged = mergedText(state.sql, state.typed, text);
  const led = merged ?? state.typed;
  return { ...written, sql: led, base: led, known: "not yet", typed: null, clashed: merged === null };
}

/** Return the SQL to store; null while unknown. */
export function storableText(state: DesignState): string | null {
  if (state.waiting.length > 0 || state.typed !== null) return null;
  if (state.lead === "text") return state.sql;
  return state.lead === "json" && state.known === "same" ? state.sql : null;
}

/** Return a node of the visible graph by its id. */
export function nodeOf(state: DesignState, id: string): GraphNode | undefined {
  return state.graph?.nodes.find((node) => node.id === id);
}
