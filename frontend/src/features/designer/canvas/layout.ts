/** Positions for nodes that nobody placed by hand, computed by ELK in its own worker. */

import type { ELK, ElkNode } from "elkjs/lib/elk-api";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";
import { useEffect, useRef, useState } from "react";
import type { QueryGraph } from "../../../model/api";
import type { Positions } from "../../../model/graph/edit/design";
import { portsOf } from "../../../model/graph/edit/ports";
import { type Direction, layeredLayout } from "../../../model/graph/layout";

export interface Sized {
  id: string;
  width: number;
  height: number;
}

let engine: Promise<ELK> | null = null;

function elk(): Promise<ELK> {
  engine ??= import("elkjs/lib/elk-api").then(
    ({ default: Engine }) => new Engine({ workerFactory: () => new Worker(workerUrl) }),
  );
  return engine;
}

const OPTIONS = {
  "elk.algorithm": "layered",
  "elk.layered.spacing.nodeNodeBetweenLayers": "64",
  "elk.spacing.nodeNode": "32",
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
  "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
};

/** Long graphs wrap to further lines, as text does, so that all of the graph is visible at once. */
const LONG = 12;
const IN_LINES = {
  "elk.layered.wrapping.strategy": "MULTI_EDGE",
  "elk.layered.wrapping.additionalEdgeSpacing": "40",
};

function elkGraph(graph: QueryGraph, sizes: readonly Sized[], direction: Direction): ElkNode {
  const known = new Set(sizes.map(({ id }) => id));
  return {
    id: "query",
    layoutOptions: {
      ...OPTIONS,
      ...(direction === "right" && sizes.length > LONG ? IN_LINES : {}),
      "elk.direction": direction === "right" ? "RIGHT" : "DOWN",
    },
    children: sizes.map((each) => ({ ...each })),
    edges: graph.nodes.flatMap((node) =>
      portsOf(node)
        .filter(({ reads }) => known.has(reads))
        .map(({ name, reads }) => ({ id: `${node.id}:${name}`, sources: [reads], targets: [node.id] })),
    ),
  };
}

/** Return the layout of a graph; without a worker, compute it in the main thread. */
export async function arranged(graph: QueryGraph, sizes: readonly Sized[], direction: Direction): Promise<Positions> {
  try {
    const { children = [] } = await (await elk()).layout(elkGraph(graph, sizes, direction));
    return Object.fromEntries(children.map(({ id, x = 0, y = 0 }) => [id, { x: Math.round(x), y: Math.round(y) }]));
  } catch {
    return arrangedHere(graph, sizes, direction);
  }
}

/** Compute a simpler layout, synchronously. */
export function arrangedHere(graph: QueryGraph, sizes: readonly Sized[], direction: Direction): Positions {
  const inputs = new Map(graph.nodes.map((node) => [node.id, portsOf(node).map(({ reads }) => reads)]));
  return Object.fromEntries(
    layeredLayout(
      sizes.map((each) => ({ ...each, inputs: inputs.get(each.id) ?? [] })),
      direction,
    ),
  );
}

/** Return the layout: a simple one at once, then ELK's; an older answer never replaces a newer one. */
export function useArranged(graph: QueryGraph, sizes: readonly Sized[], direction: Direction): Positions {
  const key = JSON.stringify([direction, sizes, graph.nodes.map((node) => portsOf(node).map(({ reads }) => reads))]);
  const [found, setFound] = useState<{ key: string; positions: Positions } | null>(null);
  const newest = useRef({ graph, sizes, direction });
  newest.current = { graph, sizes, direction };
  useEffect(() => {
    let open = true;
    const now = newest.current;
    void arranged(now.graph, now.sizes, now.direction).then((positions) => {
      if (open) setFound({ key, positions });
    });
    return () => {
      open = false;
    };
  }, [key]);
  const [here] = useState(() => arrangedHere(graph, sizes, direction));
  return found?.positions ?? here;
}
