/** The parts of the query that are drawn over the rows: by default all CTIs, and the panes of the first window. */

import { useState } from "react";
import { useSimulator } from "../view";
import { inputsOfSimulation } from "./Staircases";

export interface TimelineSelection {
  /** The input whose CTIs are drawn; null for all. */
  input: string | null;
  /** The node whose panes are drawn; null for no panes. */
  node: string | null;
  /** The group whose panes are drawn, by `groupKey`; null for all. */
  group: string | null;
}

export function useTimelineSelection(): readonly [TimelineSelection, (shown: TimelineSelection) => void] {
  const { simulation } = useSimulator();
  const [shown, setResponse] = useState<Partial<TimelineSelection>>({});
  const inputs = inputsOfSimulation(simulation);
  const windows = [...new Set(simulation.panes.map((pane) => pane.node))];
  const ifPresent = (node: string | null | undefined, among: readonly string[]) =>
    node !== undefined && (node === null || among.includes(node));
  const first = simulation.order.find((node) => windows.includes(node)) ?? null;
  return [
    {
      input: ifPresent(shown.input, inputs) ? (shown.input ?? null) : null,
      node: ifPresent(shown.node, windows) ? (shown.node ?? null) : first,
      group: shown.group ?? null,
    },
    setResponse,
  ];
}
