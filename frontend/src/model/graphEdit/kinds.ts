/** The one table of kinds: in which group of the palette each stands, a sentence on it, and what a new one says. */

import { NODE_FORMS, WINDOW_FORMS } from "../../generated/nodeForms";
import { WINDOW_WORDS } from "../../generated/sqlWords";
import type { GraphNode } from "../api";

export type NodeKind = GraphNode["kind"];
export type WindowKind = Extract<GraphNode, { kind: "window" }>["window"]["kind"];

interface KindWords {
  group: string;
  /** What one gets, for somebody who knows SQL and not streaming. */
  sentence: string;
}

export const KINDS: Readonly<Record<NodeKind, KindWords>> = {
  input: { group: "In and out", sentence: "Reads a stream." },
  output: { group: "In and out", sentence: "Where results leave the query." },
  filter: { group: "Rows", sentence: "Keeps the rows for which a condition is true." },
  project: { group: "Rows", sentence: "Computes the columns that go on." },
  window: { group: "Windows", sentence: "Counts, sums and averages over windows of time." },
  top_k: { group: "Windows", sentence: "The largest few of each window." },
  join: { group: "Several inputs", sentence: "Pairs rows of two sides while both live." },
  asof_join: { group: "Several inputs", sentence: "Each left row with the latest right one before it." },
  semi_join: { group: "Several inputs", sentence: "Left rows, while a matching right one lives." },
  anti_join: { group: "Several inputs", sentence: "Left rows, while no matching right one lives." },
  union: { group: "Several inputs", sentence: "All rows of several inputs with the same fields." },
  clip: { group: "Several inputs", sentence: "Ends rows when a matching row of another input starts." },
  shift: { group: "Lifetimes", sentence: "Moves rows earlier or later in time." },
  set_duration: { group: "Lifetimes", sentence: "Sets how long rows live." },
  extend: { group: "Lifetimes", sentence: "Moves the ends of rows." },
  point_at_end: { group: "Lifetimes", sentence: "Turns rows into points at their end." },
  to_intervals: { group: "Edges", sentence: "Pairs starts and ends into rows that know both." },
  order_edges: { group: "Edges", sentence: "Puts starts and ends into order of time." },
};

export const NODE_KINDS = Object.keys(KINDS) as NodeKind[];

/** The groups of the palette, in order, with their kinds. */
export function paletteGroups(): [string, NodeKind[]][] {
  const groups = new Map<string, NodeKind[]>();
  for (const kind of NODE_KINDS) {
    const group = KINDS[kind].group;
    groups.set(group, [...(groups.get(group) ?? []), kind]);
  }
  return [...groups];
}

/** What is written for a node that is not connected yet: it names no node, which the checks then say. */
export const NOTHING = "nothing";

type Fields = Record<string, unknown>;

/** What stands in fields that must be said, until somebody says something better. */
const FIRST_WORDS: Partial<Record<NodeKind, Fields>> = {
  input: { stream: "my_stream" },
  filter: { where: "true" },
  project: { columns: [{ name: "value", of: "1" }] },
  shift: { by: "1m" },
  set_duration: { duration: "1m" },
  extend: { by: "1m" },
  clip: { keys: ["key"] },
  window: { window: { kind: "tumbling", size: "1m", offset: 0 }, aggregates: [aggregateOf("n", "count")] },
  top_k: { window: { kind: "tumbling", size: "1m", offset: 0 }, by: "1", k: 3 },
};

/** An aggregate that says nothing beside its name and its function. */
export function aggregateOf(name: string, called: string): Fields {
  return { name, function: called, of: null, filter: null, k: null, fraction: null };
}

/** A window of another kind; lengths that both kinds have are kept. */
export function windowOf(kind: WindowKind, before: Fields = {}): Fields {
  const made: Fields = { kind };
  for (const { name, initial } of WINDOW_FORMS[kind]?.fields ?? []) {
    made[name] = before[name] ?? WINDOW_WORDS[kind]?.example[name] ?? initial;
  }
  return made;
}

/** A new node, whole in its shape; it reads `nothing`, and `said` is what is known already. */
export function newNode(kind: NodeKind, id: string, said: Fields = {}): GraphNode {
  const made: Fields = { kind, id };
  for (const { name, role, initial } of NODE_FORMS[kind]?.fields ?? []) {
    const unread = role === "node" ? NOTHING : role === "nodes" ? [NOTHING, NOTHING] : initial;
    made[name] = said[name] ?? FIRST_WORDS[kind]?.[name] ?? unread;
  }
  return made as GraphNode;
}
