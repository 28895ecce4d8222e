/** What the parts of the simulator share. */

import { createContext, useContext } from "react";
import type { AdvanceTimeSettings, QueryGraph, StreamDefinition } from "../../../model/api";
import type { Differences } from "../../../model/simulation/differences";
import type { RowClock, Sample } from "../../../model/simulation/sample";
import type { SimulatedRow, Simulation } from "../../../model/simulation/types";
import type { TimeWords } from "../../../model/simulation/words";
import type { Simulated, TryEdit } from "./requests";

/** What the panel beside the timeline speaks about. */
export type Selected =
  | { kind: "row"; key: string }
  | { kind: "pane"; id: number }
  | { kind: "result"; id: number }
  | { kind: "place"; node: string; at: number };

export interface Edits {
  edit: (change: (sample: Sample) => Sample) => void;
  undo: (() => void) | null;
  redo: (() => void) | null;
}

export interface SimulatorView {
  simulation: Simulation;
  /** The sample that `simulation` was made of. */
  keys: readonly string[];
  /** The numbers of rows by their keys. */
  numbers: ReadonlyMap<string, number>;
  /** What the last change changed; null before there was one. */
  differences: Differences | null;
  sample: Sample;
  edits: Edits;
  readOnly: boolean;
  selected: Selected | null;
  select: (selected: Selected | null) => void;
  /** What an edit would make of a row. */
  tryEdit: TryEdit;
  /** Opens the form of a row. */
  editRow: (key: string) => void;
  times: TimeWords;
  graph: QueryGraph | null;
  streams: ReadonlyMap<string, StreamDefinition>;
  /** The settings in force by input node, with what is only tried. */
  advance: Readonly<Record<string, AdvanceTimeSettings>>;
  /** Try settings of an input without writing them into the query. */
  tryAdvance: (input: string, settings: AdvanceTimeSettings) => void;
  showTab: (tab: SimulatorTab) => void;
  /** What was sent to be simulated. */
  asked: Simulated;
  /** Where the times of each stream's rows stand, unless the rows say them themselves. */
  clocks: ReadonlyMap<string, RowClock>;
}

export const SIMULATOR_TABS = ["timeline", "table", "policies", "what_if"] as const;
export type SimulatorTab = (typeof SIMULATOR_TABS)[number];

export const SimulatorContext = createContext<SimulatorView | null>(null);

export function useSimulator(): SimulatorView {
  const view = useContext(SimulatorContext);
  if (view === null) throw new Error("useSimulator is for parts of the simulator");
  return view;
}

export function rowOfKey({ simulation, numbers }: SimulatorView, key: string): SimulatedRow | null {
  const number = numbers.get(key);
  return number === undefined ? null : (simulation.rows[number - 1] ?? null);
}
