import {
  Background,
  type Connection,
  Controls,
  type Edge,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  SelectionMode,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { type DragEvent, type KeyboardEvent, useCallback, useEffect, useRef, useState } from "react";
import { useMedia } from "../../../lib/browser/media";
import type { Explained } from "../../../model/api";
import { connectionProblem } from "../../../model/graph/edit/ports";
import { useDesigner } from "../page/designer";
import type { NodeCommands } from "./commands";
import { useDrawing } from "./drawing";
import { type BoxNode, NODE_TYPES } from "./NodeBox";
import { draggedKind } from "./Palette";

/** With fewer nodes all of them are visible, and an overview would cover them. */
const OVERVIEWED = 9;
const OVERVIEW = { width: 130, height: 90 };
const FITTED = { padding: 0.08, maxZoom: 1 };

interface CanvasProps {
  commands: NodeCommands;
  explained: Explained | undefined;
}

/** Lines are drawn, moved to another port, and removed by dropping them on an empty place. */
function useLines() {
  const { graph, act } = useDesigner();
  const moved = useRef(false);
  const allowed = useCallback(
    ({ source, target }: Connection | Edge) => graph !== null && connectionProblem(graph, source, target) === null,
    [graph],
  );
  const onConnect = ({ source, target, targetHandle }: Connection) =>
    act.edit({ do: "connect", from: source, to: target, port: targetHandle ?? "input" });
  const onReconnect = (line: Edge, { source, target, targetHandle }: Connection) => {
    moved.current = true;
    act.editAll([
      { do: "disconnect", to: line.target, port: line.targetHandle ?? "input" },
      { do: "connect", from: source, to: target, port: targetHandle ?? "input" },
    ]);
  };
  const onReconnectStart = () => {
    moved.current = false;
  };
  const onReconnectEnd = (_: unknown, line: Edge) => {
    if (!moved.current) act.edit({ do: "disconnect", to: line.target, port: line.targetHandle ?? "input" });
  };
  return { isValidConnection: allowed, onConnect, onReconnect, onReconnectStart, onReconnectEnd };
}

/** Fit the view when the window or the layout changes, but not while boxes are moved by hand. */
function useFitting(direction: string, shape: string) {
  const { fitView } = useReactFlow();
  const size = useStore(({ width, height }) => `${width} ${height}`);
  const measured = useStore(({ nodeLookup }) => [...nodeLookup.values()].every((node) => node.measured.width));
  useEffect(() => {
    if (shape && direction && size && measured) void fitView(FITTED);
  }, [shape, direction, size, measured, fitView]);
}

function useKeys(commands: NodeCommands, line: string | null, setLine: (line: string | null) => void) {
  const { selected, act, readOnly } = useDesigner();
  return (event: KeyboardEvent) => {
    if (readOnly || (event.key !== "Delete" && event.key !== "Backspace")) return;
    event.preventDefault();
    if (line === null) {
      if (selected.length > 0) commands.remove(selected);
      return;
    }
    const [to = "", port = ""] = line.split(":");
    act.edit({ do: "disconnect", to, port });
    setLine(null);
  };
}

/** Place dropped kinds and dragged boxes. */
function usePlacing(commands: NodeCommands) {
  const { act } = useDesigner();
  const { screenToFlowPosition } = useReactFlow();
  const drop = (event: DragEvent) => {
    const kind = draggedKind(event.dataTransfer);
    if (kind === null) return;
    event.preventDefault();
    const { x, y } = screenToFlowPosition({ x: event.clientX, y: event.clientY });
    commands.add(kind, { position: { x: Math.round(x), y: Math.round(y) } });
  };
  const settle = (_: unknown, __: BoxNode, dragged: BoxNode[]) => {
    const rounded = ({ position: { x, y } }: BoxNode) => ({ x: Math.round(x), y: Math.round(y) });
    act.move(Object.fromEntries(dragged.map((node) => [node.id, rounded(node)])));
  };
  return { drop, settle };
}

function Drawn({ commands, explained }: CanvasProps) {
  const { graph, select, readOnly } = useDesigner();
  const narrow = useMedia("(max-width: 560px)");
  const direction = narrow ? "down" : "right";
  const [line, setLine] = useState<string | null>(null);
  const { nodes, edges, onNodesChange, shape } = useDrawing(direction, explained, line);
  const connecting = useLines();
  const onKeyDown = useKeys(commands, line, setLine);
  const { drop, settle } = usePlacing(commands);
  useFitting(direction, shape);
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      onNodesChange={onNodesChange}
      onNodeDragStop={settle}
      onSelectionDragStop={(event, dragged) => dragged[0] && settle(event, dragged[0], dragged)}
      onEdgeClick={(_, { id }) => setLine(id)}
      onPaneClick={() => {
        setLine(null);
        select([]);
      }}
      onNodeClick={() => setLine(null)}
      onDrop={drop}
      onDragOver={(event) => event.preventDefault()}
      onKeyDown={onKeyDown}
      {...connecting}
      nodesConnectable={!readOnly}
      edgesReconnectable={!readOnly}
      deleteKeyCode={null}
      selectionMode={SelectionMode.Partial}
      multiSelectionKeyCode={["Shift", "Control", "Meta"]}
      zoomOnScroll={false}
      preventScrolling={false}
      panOnDrag
      selectNodesOnDrag={false}
      minZoom={0.2}
      maxZoom={1.5}
      fitView
      fitViewOptions={FITTED}
      aria-label={`Graph of the query ${graph?.name ?? ""}`}
    >
      <Background color="var(--line)" />
      <Controls showInteractive={false} orientation="horizontal" />
      {narrow || nodes.length < OVERVIEWED ? null : (
        <MiniMap pannable zoomable ariaLabel="Overview of the graph" nodeStrokeWidth={2} style={OVERVIEW} />
      )}
    </ReactFlow>
  );
}

/** The query as editable boxes and lines. */
export function Canvas(props: CanvasProps) {
  return (
    <div className="graph">
      <ReactFlowProvider>
        <Drawn {...props} />
      </ReactFlowProvider>
    </div>
  );
}
