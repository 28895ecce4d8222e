/** State shared by the parts of the simulator. */

import { createContext, useContext } from "react";
import type { TimeWords } from "../../../messages/simulation";
import type { AdvanceTimeSettings, QueryGraph, StreamDefinition } from "../../../model/api";
import type { Differences } from "../../../model/simulation/differences";
import type { RowClock, Sample } from "../../../model/simulation/sample/sample";
import type { SimulatedRow, Simulation } from "../../../model/simulation/types";
import type { Simulated, TryEdit } from "./requests";

/** The item explained in the panel next to the timeline. */
export type Selected =
  | { kind: "row"; key: string }
  | { kind: "pane"; id: number }
  | { kind: "result"; id: number }
  | { kind: "attempt"; id: number }
  | { kind: "place"; node: string; at: number };

export interface Edits {
  edit: (change: (sample: Sample) => Sample) => void;
  undo: (() => void) | null;
  redo: (() => void) | null;
}

export interface SimulatorView {
  simulation: Simulation;
  /** The keys of the sample that `simulation` was computed from. */
  keys: readonly string[];
  /** The numbers of rows by their keys. */
  numbers: ReadonlyMap<string, number>;
  /** The effects of the last change; null before the first. */
  differences: Differences | null;
  sample: Sample;
  edits: Edits;
  readOnly: boolean;
  selected: Selected | null;
  select: (selected: Selected | null) => void;
  /** Simulate an edit without making it. */
  tryEdit: TryEdit;
  /** Open the form of a row. */
  editRow: (key: string) => void;
  times: TimeWords;
  graph: QueryGraph | null;
  streams: ReadonlyMap<string, StreamDefinition>;
  /** The settings in force by input node, including those on trial. */
  advance: Readonly<Record<string, AdvanceTimeSettings>>;
  /** Try settings of an input without writing them into the query. */
  tryAdvance: (input: string, settings: AdvanceTimeSettings) => void;
  showTab: (tab: SimulatorTab) => void;
  /** The simulated request. */
  asked: Simulated;
  /** The columns with each stream's times, for rows without times of their own. */
  clocks: ReadonlyMap<string, RowClock>;
}

export const SIMULATOR_TABS = ["timeline", "sequences", "table", "policies", "what_if"] as const;
export type SimulatorTab = (typeof SIMULATOR_TABS)[number];

export const SimulatorContext = createContext<SimulatorView | null>(null);

export function useSimulator(): SimulatorView {
  const view = useContext(SimulatorContext);
  if (view === null) throw new Error("useSimulator works only in the simulator");
  return view;
}

export function rowOfKey({ simulation, numbers }: SimulatorView, key: string): SimulatedRow | null {
  const number = numbers.get(key);
  return number === undefined ? null : (simulation.rows[number - 1] ?? null);
}
