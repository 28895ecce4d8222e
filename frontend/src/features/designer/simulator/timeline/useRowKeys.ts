import type { KeyboardEvent } from "react";
import type { TimeScale } from "../../../../model/simulation/drawing/scale";
import {
  changeRow,
  copyRow,
  laterBy,
  moveRow,
  type RowClock,
  removeRow,
  resized,
  type Sample,
} from "../../../../model/simulation/sample/sample";
import type { SimulatedRow } from "../../../../model/simulation/types";
import { timeStep } from "../../../../model/time/timeSteps";
import { rowOfKey, type SimulatorView } from "../view";

type Change = (sample: Sample) => Sample;

interface Pressed {
  event: KeyboardEvent;
  row: SimulatedRow;
  key: string;
  /** Ticks moved by one press. */
  step: number;
  clock: RowClock | undefined;
}

/** Return the time that one arrow press moves: about a hundredth of the visible range, rounded to a common step. */
export function keyStep(scale: TimeScale): number {
  return timeStep(scale.to - scale.from, 60);
}

function timeChange({ event, row, key, step, clock }: Pressed): Change | null {
  const by = event.key === "ArrowRight" ? step : event.key === "ArrowLeft" ? -step : 0;
  if (by === 0) return null;
  if (event.shiftKey) {
    const end = row.end;
    return end === null ? null : (sample) => changeRow(sample, key, (each) => resized(each, "end", end + by));
  }
  return (sample) => changeRow(sample, key, (each) => laterBy(each, by, clock));
}

function arrivalChange({ event, row, key }: Pressed): Change | null {
  if (event.key === "ArrowUp") return (sample) => moveRow(sample, key, row.sample_row - 2);
  return event.key === "ArrowDown" ? (sample) => moveRow(sample, key, row.sample_row) : null;
}

function rowChange(pressed: Pressed): Change | null {
  const { event, key } = pressed;
  if (event.altKey) return arrivalChange(pressed) ?? timeChange(pressed);
  if (event.key === "Delete" || event.key === "Backspace") return (sample) => removeRow(sample, key);
  const copies = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "d";
  return copies ? (sample) => copyRow(sample, key) : null;
}

const TO_ROW: Record<string, (number: number, last: number) => number> = {
  ArrowDown: (number, last) => Math.min(number + 1, last),
  ArrowUp: (number) => Math.max(number - 1, 1),
  PageDown: (number, last) => Math.min(number + 10, last),
  PageUp: (number) => Math.max(number - 10, 1),
  Home: () => 1,
  End: (_, last) => last,
};

function undoes(event: KeyboardEvent, { edits }: SimulatorView): (() => void) | null {
  if (!(event.ctrlKey || event.metaKey)) return null;
  const key = event.key.toLowerCase();
  if (key === "z") return event.shiftKey ? edits.redo : edits.undo;
  return key === "y" ? edits.redo : null;
}

/** Return the selected row, else the first. */
function activeRow(view: SimulatorView): SimulatedRow | null {
  const { selected, simulation } = view;
  return (selected?.kind === "row" ? rowOfKey(view, selected.key) : null) ?? simulation.rows[0] ?? null;
}

function toRow(event: KeyboardEvent, view: SimulatorView, row: SimulatedRow): boolean {
  const to = event.altKey ? undefined : TO_ROW[event.key];
  const key = view.keys[(to?.(row.number, view.simulation.rows.length) ?? 0) - 1];
  if (key === undefined) return false;
  view.select({ kind: "row", key: view.selected?.kind === "row" ? key : (view.keys[row.number - 1] ?? key) });
  return true;
}

function changes(event: KeyboardEvent, view: SimulatorView, row: SimulatedRow, step: number): boolean {
  const key = view.keys[row.number - 1];
  if (key === undefined || view.readOnly) return false;
  if (event.key === "Enter" || event.key === "F2") {
    view.editRow(key);
    return true;
  }
  const change = rowChange({ event, row, key, step, clock: view.clocks.get(row.stream) });
  if (change !== null) view.edits.edit(change);
  return change !== null;
}

/** Handle the keys of the list of rows: arrows select, with Alt they move the row, with Alt and Shift its end. */
export function onRowKey(event: KeyboardEvent, view: SimulatorView, scale: TimeScale): void {
  const undo = view.readOnly ? null : undoes(event, view);
  const row = activeRow(view);
  if (undo !== null) undo();
  else if (row === null || !(toRow(event, view, row) || changes(event, view, row, keyStep(scale)))) return;
  event.preventDefault();
}
