/** The nodes of two versions side by side, each with its change. */

import type { DefinitionDifference, GraphNode, QueryGraph } from "../api";

export type NodeChange = "added" | "removed" | "changed" | "same";

export interface ComparedNode {
  node: GraphNode;
  change: NodeChange;
  words: readonly string[];
}

/** Return every node of either version once, removed ones at their old position; `words` describes the change. */
export function comparedNodes(
  before: QueryGraph,
  after: QueryGraph,
  differences: readonly DefinitionDifference[],
): ComparedNode[] {
  const old = new Set(before.nodes.map((node) => node.id));
  const now = new Set(after.nodes.map((node) => node.id));
  const wordsOf = (id: string) => differences.filter((each) => each.node === id).map((each) => each.words);
  const compared = after.nodes.map((node): ComparedNode => {
    const words = wordsOf(node.id);
    return { node, words, change: !old.has(node.id) ? "added" : words.length > 0 ? "changed" : "same" };
  });
  before.nodes.forEach((node, place) => {
    if (now.has(node.id)) return;
    const previous = before.nodes[place - 1]?.id;
    const at = compared.findIndex((each) => each.node.id === previous);
    compared.splice(at + 1, 0, { node, change: "removed", words: wordsOf(node.id) });
  });
  return compared;
}
