/** A query graph in words: for each node a line with its kind, and a few details. */

import { WINDOW_WORDS } from "../../generated/sqlWords";
import type { GraphNode } from "../../model/api";

type WindowNode = Extract<GraphNode, { kind: "window" }>;
export type SequenceNode = Extract<GraphNode, { kind: "match_recognize" }>;
type TwoSided = Extract<GraphNode, { left: string }>;

export const KIND_LABELS: Record<GraphNode["kind"], string> = {
  input: "Input",
  filter: "Filter",
  project: "Project",
  shift: "Shift",
  set_duration: "Set duration",
  extend: "Extend",
  clip: "Clip",
  point_at_end: "Point at end",
  to_intervals: "To intervals",
  order_edges: "Order edges",
  chop: "Chop",
  stitch: "Stitch",
  union: "Union",
  join: "Join",
  anti_join: "Anti join",
  semi_join: "Semi join",
  asof_join: "As-of join",
  window: "Window",
  top_k: "Top k",
  match_recognize: "Sequence",
  analytic: "Analytic functions",
  output: "Output",
};

const TIMESTAMP_WORDS = {
  lifetime: "results",
  point_at_end: "results, as points at their end",
  latest_input: "results, as points at their latest input",
} as const;

const FIELD = /\{(\w+)\}/g;

function windowWords(window: WindowNode["window"]): string {
  const fields: Readonly<Record<string, unknown>> = window;
  const [first = window.kind, ...further] = WINDOW_WORDS[window.kind]?.summary ?? [];
  const stated = further.filter((words) => [...words.matchAll(FIELD)].every(([, name = ""]) => fields[name]));
  return [first, ...stated].join("").replace(FIELD, (_, name: string) => String(fields[name]));
}

function forEach(groups: readonly string[] | undefined): string[] {
  return groups !== undefined && groups.length > 0 ? [`for each ${groups.join(", ")}`] : [];
}

function emission({ grace, emit, retract, empty }: WindowNode): string[] {
  const rows = emit === "running" ? "a row on each change" : "a row when complete, then on each change";
  return [
    ...(grace ? [`closes ${grace} after its end`] : []),
    ...(emit !== undefined && emit !== "final" ? [`${rows}${retract ? ", with deletions" : ""}`] : []),
    ...(empty === "default" ? ["also rows for empty windows"] : []),
  ];
}

function aggregateWords({ name, function: called, of, filter, k, fraction }: WindowNode["aggregates"][number]): string {
  const given = [of ?? "*", k, fraction].filter((each) => each !== undefined && each !== null);
  return `${name} = ${called}(${given.join(", ")})${filter ? ` where ${filter}` : ""}`;
}

const withEqual = (keys: readonly string[] | undefined): string[] =>
  keys !== undefined && keys.length > 0 ? [`with equal ${keys.join(", ")}`] : [];

function pairWords(node: TwoSided): string {
  const outer = "type" in node && node.type === "left_outer" ? ", or nulls" : "";
  switch (node.kind) {
    case "join":
      return `${node.left} with ${node.right}${outer}`;
    case "asof_join":
      return `${node.left} with the latest ${node.right}${outer}`;
    case "anti_join":
      return `${node.left} while no ${node.right} matches`;
    case "semi_join":
      return `${node.left} while a ${node.right} matches`;
  }
}

/** The groups of a sequence, the rows that it emits, and its measures: what a drawing of its states lacks. */
export function undrawnLines({ group_by, measures, rows }: SequenceNode): string[] {
  return [
    ...forEach(group_by),
    ...(rows === undefined || rows === "one" ? [] : ["all rows of each match"]),
    ...(measures ?? []).map(({ name, of }) => `${name} = ${of}`),
  ];
}

/** The pattern, its bounds and groups, the conditions of its variables, then the measures. */
function sequenceLines(node: SequenceNode): string[] {
  const { pattern, within, define } = node;
  const [groups, measures] = [undrawnLines({ ...node, measures: [] }), undrawnLines(node)];
  return [
    pattern,
    ...(within == null ? [] : [`within ${within}`]),
    ...groups,
    ...(define ?? []).map(({ name, of }) => `${name}: ${of}`),
    ...measures.slice(groups.length),
  ];
}

/** Return the lines shown under a node's name. */
export function nodeLines(node: GraphNode): string[] {
  switch (node.kind) {
    case "input":
      return [`stream ${node.stream}`];
    case "filter":
      return [node.where];
    case "project":
      return node.columns.map((column) => `${column.name} = ${column.of}`);
    case "shift":
      return [`starts and ends by ${node.by}`];
    case "set_duration":
      return [node.duration == null ? `${node.expression} ticks from the start` : `${node.duration} from the start`];
    case "extend":
      return [`ends by ${node.by}`];
    case "clip":
      return [`${node.input} until the next ${node.by}`, ...withEqual(node.keys)];
    case "point_at_end":
      return ["a point at each end"];
    case "to_intervals":
      return ["one interval for each edge"];
    case "order_edges":
      return ["starts and ends sorted by time"];
    case "chop":
      return [`cut every ${node.period}`];
    case "stitch":
      return ["equal rows that meet joined"];
    case "union":
      return [`all of ${node.inputs.join(", ")}`];
    case "join":
    case "asof_join":
    case "anti_join":
    case "semi_join":
      return [pairWords(node), ...withEqual(node.keys), ...("where" in node && node.where ? [node.where] : [])];
    case "window": {
      const head = [windowWords(node.window), ...forEach(node.group_by), ...emission(node)];
      return [...head, ...node.aggregates.map(aggregateWords)];
    }
    case "top_k":
      return [`largest ${node.k} by ${node.by}`, windowWords(node.window), ...forEach(node.group_by)];
    case "match_recognize":
      return sequenceLines(node);
    case "analytic":
      return [
        ...forEach(node.group_by),
        ...(node.reach ? [`sees rows within ${node.reach}`] : []),
        ...node.columns.map(({ name, function: called, of }) => `${name} = ${called}(${of ?? ""})`),
      ];
    case "output":
      return [TIMESTAMP_WORDS[node.timestamp ?? "lifetime"]];
  }
}

/** Return the ids that a node reads, the left side of a pair first. */
export function inputsOf(node: GraphNode): readonly string[] {
  if (node.kind === "input") return [];
  if (node.kind === "union") return node.inputs;
  if ("left" in node) return [node.left, node.right];
  return node.kind === "clip" ? [node.input, node.by] : [node.input];
}
