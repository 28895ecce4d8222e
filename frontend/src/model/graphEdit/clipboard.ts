/** Nodes as text on the clipboard: the JSON of a graph, so that they can be pasted into another query or an editor. */

import type { GraphNode, QueryGraph } from "../api";
import { readGraphText } from "../graphText";

/** The selected nodes in order, as JSON of a graph. */
export function copiedText(graph: QueryGraph, ids: readonly string[]): string {
  const nodes = graph.nodes.filter(({ id }) => ids.includes(id));
  return JSON.stringify({ version: 1, name: graph.name, nodes }, null, 2);
}

/** The nodes of such a text; null where it is none. */
export function nodesIn(text: string): readonly GraphNode[] | null {
  const { graph } = readGraphText(text);
  return graph === null || graph.nodes.length === 0 ? null : graph.nodes;
}
