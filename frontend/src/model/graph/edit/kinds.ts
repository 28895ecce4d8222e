/** The table of node kinds: the palette's group, a sentence, and the initial fields of a new node. */

import { NODE_FORMS, WINDOW_FORMS } from "../../../generated/nodeForms";
import { WINDOW_WORDS } from "../../../generated/sqlWords";
import type { GraphNode } from "../../api";

export type NodeKind = GraphNode["kind"];
export type WindowKind = Extract<GraphNode, { kind: "window" }>["window"]["kind"];

interface KindWords {
  group: string;
  /** The node's result, for readers who know SQL but not streaming. */
  sentence: string;
}

export const KINDS: Readonly<Record<NodeKind, KindWords>> = {
  input: { group: "In and out", sentence: "Reads a stream." },
  output: { group: "In and out", sentence: "Emits the results of the query." },
  filter: { group: "Rows", sentence: "Keeps the rows for which a condition is true." },
  project: { group: "Rows", sentence: "Computes columns and passes them on." },
  window: { group: "Windows", sentence: "Counts, sums and averages over windows of time." },
  top_k: { group: "Windows", sentence: "The largest rows of each window." },
  match_recognize: { group: "Sequences", sentence: "Finds rows that follow each other in a pattern." },
  analytic: { group: "Rows", sentence: "Adds values of earlier and later rows, and running totals." },
  join: { group: "Several inputs", sentence: "Pairs rows of two sides while both are alive." },
  asof_join: { group: "Several inputs", sentence: "Pairs each left row with the latest right row before it." },
  semi_join: { group: "Several inputs", sentence: "Left rows, while a matching right row is alive." },
  anti_join: { group: "Several inputs", sentence: "Left rows, while no matching right row is alive." },
  union: { group: "Several inputs", sentence: "All rows of several inputs with the same fields." },
  clip: { group: "Several inputs", sentence: "Ends rows when a matching row of another input starts." },
  shift: { group: "Lifetimes", sentence: "Moves rows earlier or later in time." },
  set_duration: { group: "Lifetimes", sentence: "Sets how long rows live." },
  extend: { group: "Lifetimes", sentence: "Moves the ends of rows." },
  point_at_end: { group: "Lifetimes", sentence: "Turns rows into points at their end." },
  chop: { group: "Lifetimes", sentence: "Cuts rows at regular times." },
  stitch: { group: "Lifetimes", sentence: "Joins equal rows that follow each other into one." },
  to_intervals: { group: "Edges", sentence: "Pairs starts and ends into rows that have both." },
  order_edges: { group: "Edges", sentence: "Sorts starts and ends by time." },
};

export const NODE_KINDS = Object.keys(KINDS) as NodeKind[];

/** Return the groups of the palette, in order, with their kinds. */
export function paletteGroups(): [string, NodeKind[]][] {
  const groups = new Map<string, NodeKind[]>();
  for (const kind of NODE_KINDS) {
    const group = KINDS[kind].group;
    groups.set(group, [...(groups.get(group) ?? []), kind]);
  }
  return [...groups];
}

/** The name in an unconnected port: it names no node, so the checks report it. */
export const NOTHING = "nothing";

type Fields = Record<string, unknown>;

/** Initial values of required fields. */
const FIRST_WORDS: Partial<Record<NodeKind, Fields>> = {
  input: { stream: "my_stream" },
  filter: { where: "true" },
  project: { columns: [{ name: "value", of: "1" }] },
  shift: { by: "1m" },
  set_duration: { duration: "1m" },
  extend: { by: "1m" },
  chop: { period: "1m" },
  clip: { keys: ["key"] },
  window: { window: { kind: "tumbling", size: "1m", offset: 0 }, aggregates: [aggregateOf("n", "count")] },
  analytic: { columns: [{ name: "before", function: "lag", of: "1" }], reach: "1h" },
  top_k: { window: { kind: "tumbling", size: "1m", offset: 0 }, by: "1", k: 3 },
  match_recognize: { pattern: "A B", within: "1h" },
};

/** Return an aggregate with only its name and function. */
export function aggregateOf(name: string, called: string): Fields {
  return { name, function: called, of: null, filter: null, k: null, fraction: null };
}

/** Return a window of another kind; lengths that both kinds have are kept. */
export function windowOf(kind: WindowKind, before: Fields = {}): Fields {
  const made: Fields = { kind };
  for (const { name, initial } of WINDOW_FORMS[kind]?.fields ?? []) {
    made[name] = before[name] ?? WINDOW_WORDS[kind]?.example[name] ?? initial;
  }
  return made;
}

/** Return a new valid node; it reads `nothing`, and `said` has the known fields. */
export function newNode(kind: NodeKind, id: string, fields: Fields = {}): GraphNode {
  const made: Fields = { kind, id };
  for (const { name, role, initial } of NODE_FORMS[kind]?.fields ?? []) {
    const unread = role === "node" ? NOTHING : role === "nodes" ? [NOTHING, NOTHING] : initial;
    made[name] = fields[name] ?? FIRST_WORDS[kind]?.[name] ?? unread;
  }
  return made as GraphNode;
}
