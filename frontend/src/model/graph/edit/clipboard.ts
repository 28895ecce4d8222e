/** Nodes as text on the clipboard: the JSON of a graph, for pasting into another query or an editor. */

import type { GraphNode, QueryGraph } from "../../api";
import { readGraphText } from "../graphText";

/** Return the selected nodes in order, as the JSON of a graph. */
export function copiedText(graph: QueryGraph, ids: readonly string[]): string {
  const nodes = graph.nodes.filter(({ id }) => ids.includes(id));
  return JSON.stringify({ version: 1, name: graph.name, nodes }, null, 2);
}

/** Return the nodes of such a text; null for other texts. */
export function nodesIn(text: string): readonly GraphNode[] | null {
  const { graph } = readGraphText(text);
  return graph === null || graph.nodes.length === 0 ? null : graph.nodes;
}
