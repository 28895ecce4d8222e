/** Graphs and edits for tests, drawn by fast-check. */

import fc from "fast-check";
import type { GraphNode, QueryGraph } from "../api";
import type { DesignEdit } from "./design";
import { NODE_KINDS, newNode } from "./kinds";
import { portsOf } from "./ports";

const NAMES = fc.constantFrom("a", "b", "c", "cars", "fast", "out", "w_2", "x");
const KIND = fc.constantFrom(...NODE_KINDS);
const NODE = fc.tuple(KIND, NAMES).map(([kind, id]) => newNode(kind, id));

function unique(nodes: readonly GraphNode[]): GraphNode[] {
  return [...new Map(nodes.map((node) => [node.id, node])).values()];
}

export const GRAPHS: fc.Arbitrary<QueryGraph> = fc
  .array(NODE, { minLength: 1, maxLength: 7 })
  .map((nodes) => ({ version: 1, name: "drawn", nodes: unique(nodes) }));

const PORTS = fc.constantFrom("input", "left", "right", "by", "inputs[0]", "inputs[1]", "inputs[2]");
export const EDITS: fc.Arbitrary<DesignEdit> = fc.oneof(
  fc.record({ do: fc.constant("add" as const), node: NODE, after: NAMES, between: fc.boolean() }),
  fc.record({ do: fc.constant("addBefore" as const), node: NODE, before: NAMES, port: PORTS }),
  fc.record({ do: fc.constant("remove" as const), ids: fc.array(NAMES, { maxLength: 3 }) }),
  fc.record({ do: fc.constant("rename" as const), from: NAMES, to: NAMES }),
  fc.record({ do: fc.constant("connect" as const), from: NAMES, to: NAMES, port: PORTS }),
  fc.record({ do: fc.constant("disconnect" as const), to: NAMES, port: PORTS }),
  fc.record({ do: fc.constant("paste" as const), nodes: fc.array(NODE, { maxLength: 4 }).map(unique) }),
  fc.record({ do: fc.constant("comment" as const), id: NAMES, text: fc.constantFrom("", "why", "why not") }),
);

/** What every graph of the API has: ids once, and every port named. */
export function shapeProblems(graph: QueryGraph): string[] {
  const ids = graph.nodes.map(({ id }) => id);
  const named = graph.nodes.flatMap((node) => portsOf(node).map(({ reads }) => reads));
  return [
    ...(graph.nodes.length === 0 ? ["no nodes"] : []),
    ...(new Set(ids).size < ids.length ? ["an id twice"] : []),
    ...[...ids, ...named].filter((name) => !/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(name)),
    ...graph.nodes.flatMap((node) => (node.kind === "union" && node.inputs.length < 2 ? ["a union of one"] : [])),
  ];
}
