/** Where a node is connected: its ports, what each of them reads, and what else could be connected there. */

import type { GraphNode, QueryGraph } from "../api";
import { NOTHING } from "./kinds";

export interface Port {
  /** The field that names what is read, such as `left` or `inputs[2]`. */
  name: string;
  /** What stands beside the port; empty where there is only one. */
  label: string;
  reads: string;
}

/** The ports of a node in order. A union has one more than it reads, for the next. */
export function portsOf(node: GraphNode): Port[] {
  switch (node.kind) {
    case "input":
      return [];
    case "union":
      return [
        ...node.inputs.map((reads, index) => ({ name: `inputs[${index}]`, label: String(index + 1), reads })),
        { name: `inputs[${node.inputs.length}]`, label: "add", reads: NOTHING },
      ];
    case "join":
    case "anti_join":
    case "semi_join":
    case "asof_join":
      return [
        { name: "left", label: "left", reads: node.left },
        { name: "right", label: "right", reads: node.right },
      ];
    case "clip":
      return [
        { name: "input", label: "rows", reads: node.input },
        { name: "by", label: "ended by", reads: node.by },
      ];
    default:
      return [{ name: "input", label: "", reads: node.input }];
  }
}

/** `node` with another name in one of its ports; as it is where it has no such port. */
export function withPort(node: GraphNode, port: string, reads: string): GraphNode {
  if (node.kind === "union") {
    const at = Number(/^inputs\[(\d+)\]$/.exec(port)?.[1] ?? Number.NaN);
    if (!(at <= node.inputs.length)) return node;
    return { ...node, inputs: [...node.inputs.slice(0, at), reads, ...node.inputs.slice(at + 1)] };
  }
  return portsOf(node).some(({ name }) => name === port) ? ({ ...node, [port]: reads } as GraphNode) : node;
}

/** `node` with every name that it reads turned into another; a union never loses places. */
export function withReads(node: GraphNode, turn: (id: string) => string): GraphNode {
  return portsOf(node)
    .filter(({ name }) => node.kind !== "union" || name !== `inputs[${node.inputs.length}]`)
    .reduce((made, { name, reads }) => withPort(made, name, turn(reads)), node);
}

/** The nodes whose rows reach `id`, itself included. */
export function upstreamOf(graph: QueryGraph, id: string): ReadonlySet<string> {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const found = new Set<string>();
  const waiting = [id];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    const node = byId.get(next);
    if (node !== undefined) waiting.push(...portsOf(node).map(({ reads }) => reads));
  }
  return found;
}

/** Why `to` cannot read `from`; null if it can. */
export function connectionProblem(graph: QueryGraph, from: string, to: string): string | null {
  const source = graph.nodes.find(({ id }) => id === from);
  if (source === undefined) return `There is no node ${from}.`;
  if (source.kind === "output") return "An output is the end: nothing reads from it.";
  return upstreamOf(graph, from).has(to) ? `${from} reads from ${to} already: that would be a circle.` : null;
}

/** The nodes that `to` could read, in order. */
export function readableFor(graph: QueryGraph, to: string): string[] {
  return graph.nodes.flatMap(({ id }) => (connectionProblem(graph, id, to) === null ? [id] : []));
}
