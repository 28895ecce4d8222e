/** A query graph in words: one line of kind and a few of substance for each node. */

import { WINDOW_WORDS } from "../generated/sqlWords";
import type { GraphNode } from "./api";

type WindowNode = Extract<GraphNode, { kind: "window" }>;
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
  union: "Union",
  join: "Join",
  anti_join: "Anti join",
  semi_join: "Semi join",
  asof_join: "As-of join",
  window: "Window",
  top_k: "Top k",
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
  const said = further.filter((words) => [...words.matchAll(FIELD)].every(([, name = ""]) => fields[name]));
  return [first, ...said].join("").replace(FIELD, (_, name: string) => String(fields[name]));
}

function forEach(groups: readonly string[] | undefined): string[] {
  return groups !== undefined && groups.length > 0 ? [`for each ${groups.join(", ")}`] : [];
}

function emission({ grace, emit, retract, empty }: WindowNode): string[] {
  const rows = emit === "running" ? "a row at each change" : "a row when complete, then at each change";
  return [
    ...(grace ? [`closes ${grace} after its end`] : []),
    ...(emit !== undefined && emit !== "final" ? [`${rows}${retract ? ", with deletions" : ""}`] : []),
    ...(empty === "default" ? ["rows for empty windows too"] : []),
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
      return `${node.left} while there is no ${node.right}`;
    case "semi_join":
      return `${node.left} while there is some ${node.right}`;
  }
}

/** The lines that a node shows under its name. */
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
      return ["starts and ends in order of time"];
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
    case "output":
      return [TIMESTAMP_WORDS[node.timestamp ?? "lifetime"]];
  }
}

/** The ids that a node reads from, the left of a pair first. */
export function inputsOf(node: GraphNode): readonly string[] {
  if (node.kind === "input") return [];
  if (node.kind === "union") return node.inputs;
  if ("left" in node) return [node.left, node.right];
  return node.kind === "clip" ? [node.input, node.by] : [node.input];
}
