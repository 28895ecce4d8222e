/** The query as React Flow draws it: boxes and lines, in sync with the model. */

import { applyNodeChanges, type Edge, MarkerType, type NodeChange } from "@xyflow/react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { KIND_LABELS, nodeLines } from "../../../messages/definition/summary";
import type { Explained, QueryGraph } from "../../../model/api";
import type { Position, Positions } from "../../../model/graph/edit/design";
import { NOTHING } from "../../../model/graph/edit/kinds";
import { portsOf } from "../../../model/graph/edit/ports";
import type { Direction } from "../../../model/graph/layout";
import { useDesigner } from "../page/designer";
import { usePreviewed } from "../preview/preview";
import { useArranged } from "./layout";
import { BOX_WIDTH, type BoxData, type BoxNode, boxHeight } from "./NodeBox";

const NOTHING_TOLD: readonly string[] = [];

/** Return the explanation of a node in short: its CTI delay and its state. */
function explanationOf(
  explained: Explained | undefined,
  id: string,
): { explanation: readonly string[]; stage: number | null } {
  const found = explained?.explanation.nodes.find((node) => node.id === id);
  if (found === undefined) return { explanation: NOTHING_TOLD, stage: null };
  const stage = explained?.explanation.stages.find(({ number }) => number === found.stage);
  const folded = stage?.folds.includes(id) === true ? ["folded before the exchange"] : [];
  const kept = found.state.map(({ what, until }) => `keeps ${what}, ${until}`);
  return { explanation: [`stage ${found.stage}`, ...folded, found.hold.text, ...kept], stage: found.stage };
}

function namedFor(data: BoxData): string {
  const { node, faults, comment } = data;
  const wrong = faults.map((fault) => `${fault.severity}: ${fault.message}`);
  const parts = [`${KIND_LABELS[node.kind]} ${node.id}`, ...nodeLines(node), ...wrong, ...(comment ? [comment] : [])];
  return parts.join("; ");
}

/** Return the previous data if nothing changed, so that the box is not rendered again. */
function sameData(now: BoxData, before: BoxData | undefined): BoxData {
  if (before === undefined || before.node !== now.node || before.comment !== now.comment) return now;
  if (before.direction !== now.direction || before.stage !== now.stage) return now;
  const lists =
    JSON.stringify(before.figures) === JSON.stringify(now.figures) &&
    before.explanation.join() === now.explanation.join() &&
    JSON.stringify(before.faults) === JSON.stringify(now.faults);
  return lists ? before : now;
}

function useData(direction: Direction, explained: Explained | undefined): Map<string, BoxData> {
  const { graph, known, comments } = useDesigner();
  const counts = usePreviewed().figures;
  const last = useRef<ReadonlyMap<string, BoxData>>(new Map());
  return useMemo(() => {
    const found = new Map<string, BoxData>();
    for (const node of graph?.nodes ?? []) {
      const faults = known.filter((fault) => fault.node === node.id);
      const figures = counts.get(node.id) ?? null;
      const explanation = explanationOf(explained, node.id);
      const now = { node, faults, comment: comments[node.id] ?? "", figures, direction, ...explanation };
      found.set(node.id, sameData(now, last.current.get(node.id)));
    }
    last.current = found;
    return found;
  }, [graph, known, comments, counts, direction, explained]);
}

/** Return a node's position: the one set by hand, else that of the layout, else one next to what the node reads. */
function placeOf(id: string, data: BoxData, put: Positions, laid: Positions): Position {
  const known = put[id] ?? laid[id];
  if (known !== undefined) return known;
  const source = portsOf(data.node).find(({ reads }) => reads !== NOTHING)?.reads ?? "";
  const beside = put[source] ?? laid[source] ?? { x: 0, y: 0 };
  return { x: beside.x + BOX_WIDTH + 60, y: beside.y + 20 };
}

function useBoxes(direction: Direction, explained: Explained | undefined) {
  const { graph, positions, selected, readOnly, locked } = useDesigner();
  const data = useData(direction, explained);
  const sizes = useMemo(
    () => [...data].map(([id, each]) => ({ id, width: BOX_WIDTH, height: boxHeight(each) })),
    [data],
  );
  const laid = useArranged(graph ?? EMPTY, sizes, direction);
  const put = direction === "right" ? positions : NOWHERE; // on narrow screens, stacked
  const boxes = useMemo(
    () =>
      [...data].map(
        ([id, each]): BoxNode => ({
          id,
          type: "box",
          position: placeOf(id, each, put, laid),
          data: each,
          selected: selected.includes(id),
          deletable: false,
          draggable: !readOnly && direction === "right",
          connectable: !readOnly && locked === null,
          ariaLabel: namedFor(each),
        }),
      ),
    [data, put, laid, selected, readOnly, locked, direction],
  );
  const unput = Object.entries(laid).filter(([id]) => put[id] === undefined);
  return { boxes, shape: JSON.stringify(unput) };
}

const EMPTY: QueryGraph = { version: 1, name: "empty", nodes: [] };
const NOWHERE: Positions = {};

function lineOf(id: string, port: string, source: string, chosen: string | null): Edge {
  const name = `${id}:${port}`;
  return {
    id: name,
    source,
    sourceHandle: "out",
    target: id,
    targetHandle: port,
    selected: chosen === name,
    markerEnd: { type: MarkerType.ArrowClosed },
    ariaLabel: `${id} reads ${source}`,
  };
}

/** Return the lines of a graph; unchanged ones stay the same object. */
function useLines(chosen: string | null): Edge[] {
  const { graph } = useDesigner();
  const last = useRef<ReadonlyMap<string, Edge>>(new Map());
  return useMemo(() => {
    const known = new Set(graph?.nodes.map(({ id }) => id));
    const found = (graph?.nodes ?? []).flatMap((node) =>
      portsOf(node)
        .filter(({ reads }) => known.has(reads))
        .map(({ name, reads }) => {
          const now = lineOf(node.id, name, reads, chosen);
          const before = last.current.get(now.id);
          return before?.source === now.source && before.selected === now.selected ? before : now;
        }),
    );
    last.current = new Map(found.map((line) => [line.id, line]));
    return found;
  }, [graph, chosen]);
}

const COMPARED = ["data", "selected", "draggable", "connectable", "ariaLabel"] as const;

/** Keep measurements and drags of visible boxes; unchanged ones stay the same object. */
function inPlace(box: BoxNode, was: BoxNode | undefined): BoxNode {
  if (was === undefined) return box;
  const position = was.dragging === true ? was.position : box.position;
  const moved = was.position.x !== position.x || was.position.y !== position.y;
  if (!moved && COMPARED.every((name) => was[name] === box[name])) return was;
  return { ...was, ...box, position };
}

/** Return boxes, the shape of their layout, and lines.
 *
 * While a box is dragged it follows the pointer; the model changes when the box is dropped.
 */
export function useDrawing(direction: Direction, explained: Explained | undefined, chosenLine: string | null) {
  const { selected, select } = useDesigner();
  const { boxes, shape } = useBoxes(direction, explained);
  const [drawn, setDrawn] = useState({ nodes: boxes, shape });
  useEffect(() => {
    setDrawn(({ nodes }) => {
      const old = new Map(nodes.map((node) => [node.id, node]));
      return { nodes: boxes.map((box) => inPlace(box, old.get(box.id))), shape };
    });
  }, [boxes, shape]);
  const onNodesChange = useCallback(
    (changes: NodeChange<BoxNode>[]) => {
      const chosen = changes.filter((change) => change.type === "select");
      if (chosen.length > 0) {
        const now = new Set(selected);
        for (const { id, selected: on } of chosen) on ? now.add(id) : now.delete(id);
        select([...now]);
      }
      setDrawn(({ nodes, ...before }) => ({ ...before, nodes: applyNodeChanges(changes, nodes) }));
    },
    [selected, select],
  );
  const edges = useLines(chosenLine);
  return { ...drawn, edges, onNodesChange };
}
