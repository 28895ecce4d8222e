import { useMemo } from "react";
import { fitted, paneLabel, valuesWords } from "../../../../messages/simulation";
import { emitsAt, lastPosition, phaseAt, stepAt } from "../../../../model/simulation/currentState";
import { type PaneBox, paneBoxes } from "../../../../model/simulation/drawing/geometry";
import type { TimeScale } from "../../../../model/simulation/drawing/scale";
import type { SimulatedPane } from "../../../../model/simulation/types";
import { useAtPosition, usePosition } from "../position";
import { useSimulator } from "../view";

interface PanesProps {
  node: string | null;
  /** The group whose panes are drawn; null for all. */
  group: string | null;
  scale: TimeScale;
  rowHeight: number;
  top: number;
  bottom: number;
}

/** Return the key that identifies a group of panes. */
export function groupKey(pane: SimulatedPane): string {
  return JSON.stringify(pane.group);
}

/** Draw a session or snapshot with the times that it has at the end. */
function settledTimes(pane: SimulatedPane): SimulatedPane {
  const state = pane.states.at(-1);
  return state === undefined ? pane : { ...pane, start: state.start, end: state.end };
}

export function useBoxes({ node, group, scale, rowHeight }: Omit<PanesProps, "top" | "bottom">): PaneBox[] {
  const { simulation } = useSimulator();
  return useMemo(() => {
    const shown = simulation.panes
      .filter((pane) => pane.node === node && (group === null || groupKey(pane) === group) && pane.gone === null)
      .map(settledTimes);
    return paneBoxes(shown, scale, rowHeight, lastPosition(simulation));
  }, [simulation, node, group, scale, rowHeight]);
}

/** Return the values of a pane before the last change, if that changed it. */
function useWas(box: PaneBox): string | null {
  const { differences } = useSimulator();
  const [only] = box.panes;
  const was = only === undefined ? undefined : differences?.panes.get(only.id);
  return was === undefined ? null : valuesWords(was);
}

function Label({ box, right }: { box: PaneBox; right: number }) {
  const { times, simulation } = useSimulator();
  const position = usePosition();
  const was = useWas(box);
  const phases = box.panes.map((pane) => phaseAt(pane, position));
  const phase = phases.find((each) => each === "open") ?? phases.find((each) => each === "complete") ?? "closed";
  const values = box.panes[0] === undefined ? {} : (stepAt(box.panes[0].states, position)?.values ?? {});
  const text = paneLabel(box, values, phase, times);
  const shown = fitted(text, Math.max(box.width - 2, 150) - 10);
  const width = shown.length * 6.2 + 14;
  const x = Math.max(0, Math.min(box.x + 1, right - width));
  const y = box.bottom - 18 - box.level * 20;
  const speaks = box.panes.some((pane) => emitsAt(simulation, pane, position));
  return (
    <g
      className="sim-pane-label"
      data-phase={phase}
      data-speaks={speaks || undefined}
      data-changed={was !== null || undefined}
    >
      <title>{was === null ? text : `${text}. Before the change: ${was}.`}</title>
      <rect x={x} y={y} width={width} height={17} rx={4} />
      <text x={x + 6} y={y + 12.5}>
        {shown}
      </text>
      {was === null ? null : (
        <text className="sim-was" x={x + 6} y={y - 4}>
          {fitted(`was ${was}`, width)}
        </text>
      )}
    </g>
  );
}

function Pane({ box }: { box: PaneBox }) {
  const { simulation, select, selected } = useSimulator();
  const speaks = useAtPosition((position) => box.panes.some((pane) => emitsAt(simulation, pane, position)));
  const [first] = box.panes;
  if (first === undefined) return null;
  const isSelected = selected?.kind === "pane" && box.panes.some((pane) => pane.id === selected.id);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the tables offer the same by keyboard
    <g
      className="sim-pane"
      data-speaks={speaks || undefined}
      data-selected={isSelected || undefined}
      onClick={() => select({ kind: "pane", id: first.id })}
    >
      <rect
        x={box.x + 1.5}
        y={box.top + 2}
        width={Math.max(box.width - 3, 1)}
        height={box.bottom - box.top - 4}
        rx={6}
      />
      {box.graceBottom === null ? null : (
        <rect
          className="sim-grace"
          x={box.x + 1.5}
          y={box.bottom - 2}
          width={Math.max(box.width - 3, 1)}
          height={box.graceBottom - box.bottom}
          rx={6}
        />
      )}
    </g>
  );
}

/** Return true if a box, with any labels above it, is visible between `top` and `bottom`. */
function seen(box: PaneBox, top: number, bottom: number): boolean {
  return box.top < bottom && (box.graceBottom ?? box.bottom) > top;
}

export function PaneRects({ boxes, top, bottom }: { boxes: readonly PaneBox[]; top: number; bottom: number }) {
  return boxes.filter((box) => seen(box, top, bottom)).map((box) => <Pane key={box.panes[0]?.id} box={box} />);
}

interface PaneLabelsProps {
  boxes: readonly PaneBox[];
  top: number;
  bottom: number;
  /** The right edge of the picture: labels stay within it. */
  right: number;
}

export function PaneLabels({ boxes, top, bottom, right }: PaneLabelsProps) {
  const { select } = useSimulator();
  return boxes
    .filter((box) => seen(box, top, bottom))
    .map((box) => (
      // biome-ignore lint/a11y/noStaticElementInteractions: the tables offer the same by keyboard
      <g key={box.panes[0]?.id} onClick={() => select({ kind: "pane", id: box.panes[0]?.id ?? 0 })}>
        <Label box={box} right={right} />
      </g>
    ));
}
