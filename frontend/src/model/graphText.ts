/** The JSON text of a query, as far as it can be read. */

import type { GraphNode, QueryGraph } from "./api";
import { KIND_LABELS } from "./summary";

export interface GraphText {
  /** What the text says, of whatever shape; null when it is no JSON. */
  value: unknown;
  /** The graph when it has the shape that can be drawn, whatever its faults; else null. */
  graph: QueryGraph | null;
  /** Why the text is no JSON. */
  problem: string | null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const isText = (value: unknown): value is string => typeof value === "string";

function isDrawableWindow(node: Record<string, unknown>): boolean {
  const { window, aggregates, group_by: groups } = node;
  const soundGroups = groups === undefined || (Array.isArray(groups) && groups.every(isText));
  return (
    isRecord(window) && isText(window.kind) && Array.isArray(aggregates) && aggregates.every(isRecord) && soundGroups
  );
}

/** Enough of a node to draw it; its faults are the server's to find. */
function isDrawable(node: unknown): node is GraphNode {
  if (!isRecord(node) || !isText(node.id) || !isText(node.kind) || !(node.kind in KIND_LABELS)) return false;
  if (node.kind === "input") return isText(node.stream);
  if (!isText(node.input)) return false;
  if (node.kind === "filter") return isText(node.where);
  if (node.kind === "project") return Array.isArray(node.columns) && node.columns.every(isRecord);
  return node.kind === "window" ? isDrawableWindow(node) : true;
}

export function readGraphText(text: string): GraphText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { value: null, graph: null, problem: error instanceof Error ? error.message : "This is not JSON." };
  }
  const drawable = isRecord(value) && isText(value.name) && Array.isArray(value.nodes) && value.nodes.every(isDrawable);
  return { value, graph: drawable ? (value as unknown as QueryGraph) : null, problem: null };
}

export function graphText(graph: QueryGraph): string {
  return JSON.stringify(graph, null, 2);
}

/** A query that counts the events of a stream by minute: a beginning to edit. */
export function startingGraph(stream: string): QueryGraph {
  return {
    version: 1,
    name: "events_per_minute",
    nodes: [
      { kind: "input", id: "events", stream },
      {
        kind: "window",
        id: "per_minute",
        input: "events",
        group_by: [],
        window: { kind: "tumbling", size: "1m" },
        aggregates: [{ name: "events", function: "count" }],
      },
      { kind: "output", id: "results", input: "per_minute" },
    ],
  };
}
