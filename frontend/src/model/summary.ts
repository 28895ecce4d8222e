/** A query graph in words: one line of kind and a few of substance for each node. */

import type { GraphNode } from "./api";

type WindowNode = Extract<GraphNode, { kind: "window" }>;

export const KIND_LABELS: Record<GraphNode["kind"], string> = {
  input: "Input",
  filter: "Filter",
  project: "Project",
  window: "Window",
  output: "Output",
};

function windowWords({ window }: WindowNode): string {
  const offset = window.offset ? `, offset ${window.offset}` : "";
  switch (window.kind) {
    case "tumbling":
      return `tumbling ${window.size}${offset}`;
    case "hopping":
      return `hopping ${window.size} every ${window.hop}${offset}`;
  }
}

function aggregateWords(aggregate: WindowNode["aggregates"][number]): string {
  const filter = aggregate.filter ? ` where ${aggregate.filter}` : "";
  return `${aggregate.name} = ${aggregate.function}(${aggregate.of ?? "*"})${filter}`;
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
    case "window": {
      const groups = node.group_by ?? [];
      const by = groups.length > 0 ? [`for each ${groups.join(", ")}`] : [];
      return [windowWords(node), ...by, ...node.aggregates.map(aggregateWords)];
    }
    case "output":
      return ["results"];
  }
}

/** The ids that a node reads from. */
export function inputsOf(node: GraphNode): string[] {
  return node.kind === "input" ? [] : [node.input];
}
