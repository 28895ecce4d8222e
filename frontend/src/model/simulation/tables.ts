/** Every state of a simulation as tables: the timeline's content for keyboards and screen readers. */

import type { Ticks } from "../time/ticks";
import { arrivedRows, type CurrentPane, ctiAt, currentPanes, currentRows, endAt } from "./currentState";
import type { SimulatedRow, Simulation, Staircase, TrackRow } from "./types";

export interface CtiLine {
  staircase: Staircase;
  /** undefined: none yet; null: infinity. */
  at: Ticks | null | undefined;
}

export interface ResultLine {
  row: TrackRow;
  end: Ticks | null;
}

export interface NodeTable {
  node: string;
  kind: string;
  panes: readonly CurrentPane[];
  results: readonly ResultLine[];
}

export interface SimulationTables {
  rows: readonly SimulatedRow[];
  ctis: readonly CtiLine[];
  nodes: readonly NodeTable[];
}

/** Return the state at `k`: the arrived rows, every CTI, and the panes and results of each node. */
export function tablesAt(simulation: Simulation, k: number): SimulationTables {
  return {
    rows: arrivedRows(simulation, k),
    ctis: simulation.staircases.map((staircase) => ({ staircase, at: ctiAt(staircase, k) })),
    nodes: simulation.tracks
      .filter((track) => track.kind !== "input")
      .map((track) => ({
        node: track.node,
        kind: track.kind,
        panes: currentPanes(simulation, track.node, k),
        results: currentRows(track, k).map((row) => ({ row, end: endAt(row, k) })),
      })),
  };
}
