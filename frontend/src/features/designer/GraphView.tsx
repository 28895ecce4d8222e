import {
  Background,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useEffect, useMemo } from "react";
import { useMedia } from "../../lib/media";
import { counted } from "../../lib/numbers";
import type { Fault, GraphNode, QueryGraph } from "../../model/api";
import { severityByNode } from "../../model/faults";
import { type Direction, layeredLayout } from "../../model/layout";
import { inputsOf, KIND_LABELS, nodeLines } from "../../model/summary";

interface BoxData extends Record<string, unknown> {
  node: GraphNode;
  severity: Fault["severity"] | undefined;
  faults: number;
  direction: Direction;
}

type BoxNode = Node<BoxData, "box">;

const SIDES = { right: [Position.Left, Position.Right], down: [Position.Top, Position.Bottom] } as const;
const WIDTH = 230;
const MOST_LINES = 5;
const FITTED = { padding: 0.08, maxZoom: 1 };

function shownLines(node: GraphNode): string[] {
  const lines = nodeLines(node);
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES - 1), `and ${lines.length - MOST_LINES + 1} more`];
}

/** The page of the guide that says what the node means. */
function guideOf(node: GraphNode): string {
  return node.kind === "window" ? `/guide/window_${node.window.kind}` : `/guide/${node.kind}`;
}

function heightOf(node: GraphNode, flagged: boolean): number {
  return 32 + 12 + 18 * shownLines(node).length + (flagged ? 24 : 0);
}

function Box({ data }: NodeProps<BoxNode>) {
  const { node, severity, faults, direction } = data;
  const [from, to] = SIDES[direction];
  return (
    <div className="graph-node" data-severity={severity}>
      {node.kind === "input" ? null : <Handle type="target" position={from} isConnectable={false} />}
      <p className="title">
        <strong title={node.id}>{node.id}</strong>
        <a
          className="nodrag nopan"
          href={guideOf(node)}
          target="_blank"
          rel="noopener"
          title={`What ${KIND_LABELS[node.kind]} means, in the guide`}
        >
          {KIND_LABELS[node.kind]}
        </a>
      </p>
      {severity === undefined ? null : (
        <p className="flag">
          {severity === "error" ? "✕" : "!"} {counted(faults, "fault")}
        </p>
      )}
      <ul>
        {shownLines(node).map((line) => (
          <li key={line} title={line}>
            {line}
          </li>
        ))}
      </ul>
      {node.kind === "output" ? null : <Handle type="source" position={to} isConnectable={false} />}
    </div>
  );
}

const NODE_TYPES = { box: Box };

function boxes(graph: QueryGraph, faults: readonly Fault[], direction: Direction): BoxNode[] {
  const severity = severityByNode(faults);
  const placed = layeredLayout(
    graph.nodes.map((node) => ({
      id: node.id,
      inputs: inputsOf(node),
      width: WIDTH,
      height: heightOf(node, severity.has(node.id)),
    })),
    direction,
  );
  const unique = new Map(graph.nodes.map((node) => [node.id, node]));
  return [...unique.values()].map((node) => ({
    id: node.id,
    type: "box",
    position: placed.get(node.id) ?? { x: 0, y: 0 },
    data: {
      node,
      severity: severity.get(node.id),
      faults: faults.filter((fault) => fault.node === node.id).length,
      direction,
    },
    ariaLabel: `${KIND_LABELS[node.kind]} ${node.id}: ${nodeLines(node).join("; ")}`,
  }));
}

function edges(graph: QueryGraph): Edge[] {
  const known = new Set(graph.nodes.map((node) => node.id));
  const drawn = new Map<string, Edge>();
  for (const node of graph.nodes) {
    for (const source of inputsOf(node)) {
      if (!known.has(source)) continue;
      const id = `${source}>${node.id}`;
      drawn.set(id, { id, source, target: node.id, markerEnd: { type: MarkerType.ArrowClosed } });
    }
  }
  return [...drawn.values()];
}

interface GraphViewProps {
  graph: QueryGraph;
  faults: readonly Fault[];
}

function Canvas({ graph, faults }: GraphViewProps) {
  const direction = useMedia("(max-width: 560px)") ? "down" : "right";
  const nodes = useMemo(() => boxes(graph, faults, direction), [graph, faults, direction]);
  const lines = useMemo(() => edges(graph), [graph]);
  const { fitView } = useReactFlow();
  const size = useStore(({ width, height }) => `${width} ${height}`);
  const outline = graph.nodes.map((node) => node.id).join(" ");
  useEffect(() => {
    if (outline && direction && size) void fitView(FITTED); // once new nodes are measured
  }, [outline, direction, size, fitView]);
  return (
    <ReactFlow
      nodes={nodes}
      edges={lines}
      nodeTypes={NODE_TYPES}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      zoomOnScroll={false}
      preventScrolling={false}
      minZoom={0.2}
      maxZoom={1.5}
      fitView
      fitViewOptions={FITTED}
      aria-label={`Graph of the query ${graph.name}`}
    >
      <Background color="var(--line)" />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

/** The graph drawn in layers, read-only: drag to move the view. Nodes with faults are marked. */
export function GraphView({ graph, faults }: GraphViewProps) {
  return (
    <div className="graph">
      <ReactFlowProvider>
        <Canvas graph={graph} faults={faults} />
      </ReactFlowProvider>
    </div>
  );
}
