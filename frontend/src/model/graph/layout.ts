/** A layered layout of a graph: by distance from the inputs, with few crossings and no overlaps. */

export interface LayoutNode {
  id: string;
  inputs: readonly string[];
  width: number;
  height: number;
}

export interface Placed {
  x: number;
  y: number;
}

const GAP_ALONG = { right: 56, down: 36 } as const;
const GAP_ACROSS = 28;

/** Return the longest path from an input; for nodes on a cycle, as if the closing edge were missing. */
function layers(nodes: readonly LayoutNode[]): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const depth = new Map<string, number>();
  const visit = (node: LayoutNode, path: ReadonlySet<string>): number => {
    const known = depth.get(node.id);
    if (known !== undefined) return known;
    const onward = new Set(path).add(node.id);
    const sources = node.inputs.flatMap((id) => byId.get(id) ?? []).filter((source) => !onward.has(source.id));
    const found = Math.max(-1, ...sources.map((source) => visit(source, onward))) + 1;
    depth.set(node.id, found);
    return found;
  };
  for (const node of nodes) visit(node, new Set());
  return depth;
}

function columnsOf(nodes: readonly LayoutNode[]): LayoutNode[][] {
  const depth = layers(nodes);
  const columns: LayoutNode[][] = [];
  for (const node of nodes) {
    const at = depth.get(node.id) ?? 0;
    while (columns.length <= at) columns.push([]);
    columns[at]?.push(node);
  }
  return columns;
}

/** Order each column by the mean row of its nodes' inputs (the barycentre), which removes most crossings. */
function ordered(columns: LayoutNode[][]): LayoutNode[][] {
  const row = new Map<string, number>();
  return columns.map((column) => {
    const mean = (node: LayoutNode) => {
      const rows = node.inputs.flatMap((id) => row.get(id) ?? []);
      return rows.length > 0 ? rows.reduce((sum, each) => sum + each, 0) / rows.length : 0;
    };
    const sorted = column.toSorted((a, b) => mean(a) - mean(b));
    for (const [index, node] of sorted.entries()) row.set(node.id, index);
    return sorted;
  });
}

export type Direction = "right" | "down";

const along = (node: LayoutNode, direction: Direction) => (direction === "right" ? node.width : node.height);
const across = (node: LayoutNode, direction: Direction) => (direction === "right" ? node.height : node.width);

/** Place every node once, layer after layer to the right or down; duplicate ids share a position. */
export function layeredLayout(nodes: readonly LayoutNode[], direction: Direction = "right"): Map<string, Placed> {
  const columns = ordered(columnsOf(nodes));
  const breadths = columns.map((column) =>
    column.reduce((sum, node) => sum + across(node, direction) + GAP_ACROSS, -GAP_ACROSS),
  );
  const broadest = Math.max(0, ...breadths);
  const placed = new Map<string, Placed>();
  let far = 0;
  for (const [index, column] of columns.entries()) {
    let beside = (broadest - (breadths[index] ?? 0)) / 2;
    for (const node of column) {
      placed.set(node.id, direction === "right" ? { x: far, y: beside } : { x: beside, y: far });
      beside += across(node, direction) + GAP_ACROSS;
    }
    far += Math.max(0, ...column.map((node) => along(node, direction))) + GAP_ALONG[direction];
  }
  return placed;
}
