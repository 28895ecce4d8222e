/**
 * A query that is edited as text and as graph: one model.
 *
 * One of its forms leads: what was edited last. The others follow by the server's answers, each of which is about one
 * revision; an answer to an older one is dropped. What is done on the canvas while a text is being read waits in
 * `waiting`; what is typed while the canvas is being written into the text waits in `typed`. So nothing is lost.
 */

import type { Fault, GraphNode, QueryGraph } from "../api";
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

/** All that undo brings back. */
export interface Said {
  form: Form;
  lead: "text" | "json" | "graph";
  /** The SQL, as far as it is known; what leads where `lead` is `text`. */
  sql: string;
  /** The SQL into which a leading graph or JSON is written. */
  base: string;
  /** What was typed as JSON; only where that leads. */
  json: string;
  /** What leads, or the last graph that could be read; null before there was any. */
  graph: QueryGraph | null;
  /** Whether the forms say the same. `unreadable`: what leads has no other form. */
  known: "not yet" | "same" | "unreadable";
  /** Edits of the graph that wait until the text is read. */
  waiting: readonly DesignEdit[];
  /** What was typed over `base` while the graph was being written into it; null: nothing. */
  typed: string | null;
  /** Whether what was typed then and what was written met at one place, so that what was typed holds. */
  clashed: boolean;
  /** By node, as the text has them. */
  comments: Comments;
  /** Those that are not in the text yet; empty: to be taken away. */
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
  past: readonly Said[];
  present: Said;
  future: readonly Said[];
  /** Counts the changes of what would be asked. */
  revision: number;
  /** The newest answer, and the revision that it is about. */
  check: { revision: number; faults: Answer["faults"]; schemas: Answer["schemas"] } | null;
  /** What goes on being one step of undo; null: the next change is a step of its own. */
  step: string | null;
  /** Where typing would go on; -1: nowhere. */
  typedAt: number;
  /** How often the canvas was edited while the text could not be read, since it could. */
  refused: number;
}

export type Ask = { text: string } | { graph: QueryGraph; text: string; comments: Comments };

export function beginning(text: string, graph: QueryGraph | null = null, positions: Positions = {}): Said {
  const none = { waiting: [], typed: null, clashed: false, comments: {}, commented: {} };
  return { form: "sql", lead: "text", sql: text, base: text, json: "", graph, known: "not yet", ...none, positions };
}

export function designOf(said: Said): Design {
  return { past: [], present: said, future: [], revision: 0, check: null, step: null, typedAt: -1, refused: 0 };
}

/** What the server is to be asked; null while it has answered, or where there is nothing that it could read. */
export function pendingAsk({ present, revision, check }: Design): Ask | null {
  if (check?.revision === revision) return null;
  const { lead, sql, base, json, graph, commented } = present;
  if (lead === "text") return { text: sql };
  const leading = lead === "graph" ? graph : (readGraphText(json).value as QueryGraph | null);
  return leading === null ? null : { graph: leading, text: base, comments: commented };
}

/** The present becomes `said`, as a step of undo, or as part of the last one where `step` goes on. */
function stepped(design: Design, said: Said, step: string | null, asks = true): Design {
  const on = step !== null && step === design.step;
  const past = on ? design.past : [...design.past, design.present];
  return { ...design, past, present: said, future: [], step, revision: design.revision + (asks ? 1 : 0), refused: 0 };
}

/** Comments and positions move with a name, and comments go with their node. */
function followed(said: Said, edit: DesignEdit): Said {
  const { comments, commented, positions } = said;
  if (edit.do === "comment") {
    const now = { [edit.id]: edit.text };
    return { ...said, comments: { ...comments, ...now }, commented: { ...commented, ...now } };
  }
  if (edit.do === "rename") {
    const comment = comments[edit.from] ?? "";
    const moved = comment === "" ? {} : { [edit.from]: "", [edit.to]: comment };
    const { [edit.from]: place, ...rest } = positions;
    const placed = place === undefined ? positions : { ...rest, [edit.to]: place };
    return { ...said, comments: { ...comments, ...moved }, commented: { ...commented, ...moved }, positions: placed };
  }
  if (edit.do !== "remove") return said;
  const gone = Object.fromEntries(edit.ids.filter((id) => comments[id]).map((id) => [id, ""]));
  return { ...said, comments: { ...comments, ...gone }, commented: { ...commented, ...gone } };
}

function changesComment(said: Said, { id, text }: { id: string; text: string }): boolean {
  return nodeOf(said, id) !== undefined && (said.comments[id] ?? "") !== text;
}

/** `said` after an edit of its graph, which leads from now on; the same object where nothing changes. */
function graphLed(said: Said, edit: DesignEdit): Said {
  if (said.graph === null) return said;
  const graph = edit.do === "comment" ? said.graph : applyEdit(said.graph, edit);
  if (edit.do === "comment" ? !changesComment(said, edit) : graph === said.graph) return said;
  const base = said.lead === "text" ? said.sql : said.base;
  return { ...followed(said, edit), lead: "graph", graph, base, json: "", known: "not yet", clashed: false };
}

/** Edit the graph: at once, or, while the text is being read, as soon as it is. Refused while it cannot be read. */
export function editGraph(design: Design, edit: DesignEdit, step: string | null = null): Design {
  const { present } = design;
  if (present.known === "unreadable") return { ...design, refused: design.refused + 1 };
  if (present.lead === "text" && present.known === "not yet") {
    return stepped(design, { ...present, waiting: [...present.waiting, edit] }, null);
  }
  const said = graphLed(present, edit);
  return said === present ? design : stepped(design, said, step);
}

/** Several edits as one step. */
export function editAll(design: Design, edits: readonly DesignEdit[]): Design {
  const made = edits.reduce((before, edit) => editGraph(before, edit), design);
  if (made.past.length <= design.past.length) return made;
  return { ...made, past: [...design.past, design.present] };
}

/** Type into the form that is shown. */
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
  const led: Said = { ...present, lead: "text", sql: text, base: text, known: "not yet", clashed: false };
  return stepped(design, led, step);
}

/** The step of undo that typing belongs to: words rather than letters, as long as it goes on at one place. */
function typing(design: Design, before: string, after: string): { step: string; typedAt: number } {
  const change = changeBetween(before, after) ?? { from: 0, to: 0, put: "" };
  const single = change.put.length + change.to - change.from === 1;
  const there = change.from === design.typedAt || change.to === design.typedAt;
  const goesOn = design.step?.startsWith("typing") === true && single && there && !/\s/.test(change.put);
  const step = goesOn && design.step !== null ? design.step : `typing ${design.revision} ${design.past.length}`;
  return { step, typedAt: change.from + change.put.length };
}

function jsonLed(said: Said, text: string): Said {
  const read = readGraphText(text);
  const base = said.lead === "text" ? said.sql : said.base;
  const known = read.graph === null ? "unreadable" : "not yet";
  return { ...said, lead: "json", json: text, base, graph: read.graph ?? said.graph, known, clashed: false };
}

/** Move boxes: a step of undo, but nothing that has to be asked. */
export function moveNodes(design: Design, positions: Positions): Design {
  const moved = { ...design.present, positions: { ...design.present.positions, ...positions } };
  return { ...stepped(design, moved, null, false), refused: design.refused };
}

/** Positions that are known from elsewhere: no step. */
export function placeNodes(design: Design, positions: Positions): Design {
  return { ...design, present: { ...design.present, positions: { ...positions, ...design.present.positions } } };
}

/** The text of the form that is shown. */
export function shownText({ form, lead, sql, json, graph, typed }: Said): string {
  if (form === "sql") return typed ?? sql;
  return lead === "json" || graph === null ? json : graphText(graph);
}

/** Whether the other form can be shown: the one that leads has been read or written. */
export function canChangeForm({ known, graph }: Said): boolean {
  return graph !== null && known === "same";
}

/** Show the other form; no step of undo, for nothing is changed. */
export function changeForm(design: Design): Design {
  const { present } = design;
  if (!canChangeForm(present)) return design;
  if (present.form === "sql") return { ...design, present: { ...present, form: "json" }, step: null };
  const said: Said = { ...present, form: "sql", lead: "text", base: present.sql, json: "" };
  return { ...design, present: said, step: null };
}

/** Replace everything by a text. */
export function replaceText(design: Design, text: string): Design {
  const none = { waiting: [], typed: null, commented: {}, json: "", clashed: false };
  const said: Said = { ...design.present, ...none, form: "sql", lead: "text", sql: text, base: text, known: "not yet" };
  return stepped(design, said, null);
}

/** Go back to the last text that could be read, keeping the present for redo. */
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

function moved(design: Design, past: readonly Said[], present: Said, future: readonly Said[]): Design {
  return { ...design, past, present, future, revision: design.revision + 1, step: null, refused: 0 };
}

/** What the server said of revision `revision`; nothing changes if that is not the present one. */
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

function appliedWaiting(said: Said): Said {
  return said.waiting.reduce(graphLed, { ...said, waiting: [] });
}

/** The forms that follow, as far as the answer gives them. */
function filled(said: Said, { graph, text, comments }: Answer): Said {
  if (said.lead === "text") {
    if (graph === null) return { ...said, known: "unreadable" };
    return { ...said, graph, known: "same", comments };
  }
  if (text === null) return { ...said, known: "unreadable" }; // a graph of a shape that no text says
  if (said.lead === "json") return { ...said, sql: text, known: "same", comments };
  const written: Said = { ...said, lead: "text", sql: text, base: text, known: "same", comments, commented: {} };
  if (said.typed === null) return { ...written, graph: graph ?? said.graph };
  const merged = mergedText(said.sql, said.typed, text);
  const led = merged ?? said.typed;
  return { ...written, sql: led, base: led, known: "not yet", typed: null, clashed: merged === null };
}

/** The SQL that would be stored; null while it is not known. */
export function storableText(said: Said): string | null {
  if (said.waiting.length > 0 || said.typed !== null) return null;
  if (said.lead === "text") return said.sql;
  return said.lead === "json" && said.known === "same" ? said.sql : null;
}

/** The node of an id in the graph that is shown. */
export function nodeOf(said: Said, id: string): GraphNode | undefined {
  return said.graph?.nodes.find((node) => node.id === id);
}
