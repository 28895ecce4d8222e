/** The connections of a node: its ports, the node that each port reads, and possible connections. */

import type { GraphNode, QueryGraph } from "../../api";
import { NOTHING } from "./kinds";

export interface Port {
  /** The field that names the connected node, for example `left` or `inputs[2]`. */
  name: string;
  /** The label next to the port; empty for a single port. */
  label: string;
  reads: string;
}

/** Return a node's ports in order. A union has a free port for its next input. */
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

/** Return `node` with another name in one port; unchanged without such a port. */
export function withPort(node: GraphNode, port: string, reads: string): GraphNode {
  if (node.kind === "union") {
    const at = Number(/^inputs\[(\d+)\]$/.exec(port)?.[1] ?? Number.NaN);
    if (!(at <= node.inputs.length)) return node;
    return { ...node, inputs: [...node.inputs.slice(0, at), reads, ...node.inputs.slice(at + 1)] };
  }
  return portsOf(node).some(({ name }) => name === port) ? ({ ...node, [port]: reads } as GraphNode) : node;
}

/** Return `node` with each name that it reads mapped; a union keeps its number of ports. */
export function withReads(node: GraphNode, turn: (id: string) => string): GraphNode {
  return portsOf(node)
    .filter(({ name }) => node.kind !== "union" || name !== `inputs[${node.inputs.length}]`)
    .reduce((made, { name, reads }) => withPort(made, name, turn(reads)), node);
}

/** Return the nodes whose rows reach `id`, including itself. */
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

/** Return why `to` can't read `from`; null if it can. */
export function connectionProblem(graph: QueryGraph, from: string, to: string): string | null {
  const source = graph.nodes.find(({ id }) => id === from);
  if (source === undefined) return `Node ${from} does not exist.`;
  if (source.kind === "output") return "An output can't be read by other nodes.";
  return upstreamOf(graph, from).has(to) ? `${from} already reads from ${to}, so this would create a cycle.` : null;
}

/** Return the nodes that `to` could read, in order. */
export function readableFor(graph: QueryGraph, to: string): string[] {
  return graph.nodes.flatMap(({ id }) => (connectionProblem(graph, id, to) === null ? [id] : []));
}
