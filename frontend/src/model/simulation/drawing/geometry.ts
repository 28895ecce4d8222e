/** Positions in the drawing: rows below each other, staircases, panes, and results packed into lines. */

import type { Ticks } from "../../time/ticks";
import { endAt, phaseAt, stepAt } from "../currentState";
import type { SimulatedPane, Staircase, TrackRow } from "../types";
import { edgeOf, placeOf, type TimeScale } from "./scale";

export interface RowBand {
  /** The first drawn row, from 0, and the one after the last. */
  from: number;
  to: number;
}

/** Return which of `count` rows are visible in a view of this height at `top`, with some on both sides. */
export function rowsInView(top: number, height: number, rowHeight: number, count: number, around = 10): RowBand {
  const from = Math.max(0, Math.floor(top / rowHeight) - around);
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + around);
  return { from: Math.min(from, to), to };
}

/** Return the steps of a staircase that matter within `band`: the one before it, and those in it. */
function stepsWithin(staircase: Staircase, band: RowBand): readonly { after: number; at: Ticks | null }[] {
  const before = stepAt(staircase.steps, band.from);
  const inside = staircase.steps.filter((step) => step.after > band.from && step.after <= band.to);
  return before === null ? inside : [{ after: band.from, at: before.at }, ...inside];
}

/** Return the line of an input's CTI as rows arrive; empty without a CTI in the band. */
export function staircaseLine(staircase: Staircase, scale: TimeScale, rowHeight: number, band: RowBand): string {
  const steps = stepsWithin(staircase, band);
  let path = "";
  steps.forEach((step, index) => {
    const x = edgeOf(scale, step.at).toFixed(1);
    const top = step.after * rowHeight;
    const bottom = (steps[index + 1]?.after ?? band.to) * rowHeight;
    path += `${path === "" ? "M" : "L"}${x} ${top} L${x} ${bottom} `;
  });
  return path.trimEnd();
}

/** Return the area left of the line, which is final. */
export function finalArea(staircase: Staircase, scale: TimeScale, rowHeight: number, band: RowBand): string {
  const line = staircaseLine(staircase, scale, rowHeight, band);
  if (line === "") return "";
  const first = stepsWithin(staircase, band)[0];
  return `${line} L0 ${band.to * rowHeight} L0 ${(first?.after ?? band.from) * rowHeight} Z`;
}

export interface PaneBox {
  /** One pane, or those of several groups with the same times. */
  panes: readonly SimulatedPane[];
  start: Ticks;
  end: Ticks | null;
  x: number;
  width: number;
  top: number;
  bottom: number;
  /** The end of the grace period, below its bottom; null without one. */
  graceBottom: number | null;
  /** The number of labels below it that would cover its own. */
  level: number;
}

const LABEL_WIDTH = 124;

function boxOf(panes: readonly SimulatedPane[], scale: TimeScale, rowHeight: number, last: number): PaneBox | null {
  const [first] = panes;
  if (first === undefined) return null;
  const x = edgeOf(scale, first.start);
  const right = edgeOf(scale, first.end);
  if (right - x < 0.5) return null;
  const lowest = (of: (pane: SimulatedPane) => number | null) =>
    Math.max(...panes.map((pane) => Math.min(of(pane) ?? pane.gone ?? last, last)));
  const bottom = lowest((pane) => pane.complete) * rowHeight;
  const grace = lowest((pane) => pane.closed ?? (pane.complete === null ? null : last)) * rowHeight;
  return {
    panes,
    start: first.start,
    end: first.end,
    x,
    width: right - x,
    top: (Math.min(...panes.map((pane) => pane.opened)) - 1) * rowHeight,
    bottom,
    graceBottom: grace > bottom ? grace : null,
    level: 0,
  };
}

/** Return the rectangles of panes: from the row that opened one to the row whose CTI crosses its right edge. */
export function paneBoxes(
  panes: readonly SimulatedPane[],
  scale: TimeScale,
  rowHeight: number,
  last: number,
): PaneBox[] {
  const together = new Map<string, SimulatedPane[]>();
  for (const pane of panes) {
    const key = `${pane.start} ${pane.end}`;
    const same = together.get(key);
    if (same === undefined) together.set(key, [pane]);
    else same.push(pane);
  }
  const boxes = [...together.values()].flatMap((same) => boxOf(same, scale, rowHeight, last) ?? []);
  return levelled(boxes);
}

/** Place labels at the bottom of their boxes; of two that would overlap, the later one is raised. */
function levelled(boxes: PaneBox[]): PaneBox[] {
  const placed: PaneBox[] = [];
  for (const box of boxes.toSorted((one, other) => one.x - other.x)) {
    const near = placed.filter((other) => Math.abs(other.bottom - box.bottom) < 90 && other.x + LABEL_WIDTH > box.x);
    const taken = new Set(near.map((other) => other.bottom - other.level * 20));
    let level = 0;
    while ([...taken].some((y) => Math.abs(y - (box.bottom - level * 20)) < 19) && level < 6) level += 1;
    placed.push({ ...box, level });
  }
  return placed;
}

export interface PackedRow {
  row: TrackRow;
  end: Ticks | null;
  line: number;
  x: number;
  width: number;
  /** The distance from `x` to the next item in the line, or to the end of the drawing. */
  room: number;
}

/** The minimum width of a row, with a short label and without. */
const WITH_WORDS = 34;
const BARE = 6;

/** Pack results into as few lines as possible without overlaps, in order of their start. */
function inLines(rows: readonly TrackRow[], scale: TimeScale, k: number, least: number): PackedRow[] {
  const free: number[] = [];
  const last: PackedRow[] = [];
  return rows
    .toSorted((one, other) => one.start - other.start || one.id - other.id)
    .map((row) => {
      const end = endAt(row, k);
      const x = placeOf(scale, row.start);
      const width = Math.max(placeOf(scale, end) - x, 2);
      let line = free.findIndex((until) => until <= x);
      if (line < 0) line = free.length;
      free[line] = x + Math.max(width, least);
      const before = last[line];
      if (before !== undefined) before.room = x - before.x;
      const placed = { row, end, line, x, width, room: scale.width - x };
      last[line] = placed;
      return placed;
    });
}

/** Pack results into lines with room for labels; without labels if that takes more than `most` lines. */
export function packed(rows: readonly TrackRow[], scale: TimeScale, k: number, most: number): PackedRow[] {
  const worded = inLines(rows, scale, k, WITH_WORDS);
  return worded.every(({ line }) => line < most) ? worded : inLines(rows, scale, k, BARE);
}

/** Return true if a pane has its final times at `k`. */
export function settled(box: PaneBox, k: number): boolean {
  return box.panes.every((pane) => phaseAt(pane, k) !== "open");
}
