/** Where things stand in the picture: rows below each other, the staircases, panes, and results packed into lines. */

import type { Ticks } from "../ticks";
import { edgeOf, placeOf, type TimeScale } from "./scale";
import { endAt, phaseAt, stepAt } from "./standing";
import type { SimulatedPane, Staircase, TrackRow } from "./types";

export interface RowBand {
  /** The first row that is drawn, from 0, and the one after the last. */
  from: number;
  to: number;
}

/** The rows of `count` that a view `height` high shows at `top`, with some on both sides. */
export function rowsInView(top: number, height: number, rowHeight: number, count: number, around = 10): RowBand {
  const from = Math.max(0, Math.floor(top / rowHeight) - around);
  const to = Math.min(count, Math.ceil((top + height) / rowHeight) + around);
  return { from: Math.min(from, to), to };
}

/** Of a staircase, the steps that decide how it runs between the rows of `band`: the one before it, and those in it. */
function stepsWithin(staircase: Staircase, band: RowBand): readonly { after: number; at: Ticks | null }[] {
  const before = stepAt(staircase.steps, band.from);
  const inside = staircase.steps.filter((step) => step.after > band.from && step.after <= band.to);
  return before === null ? inside : [{ after: band.from, at: before.at }, ...inside];
}

/** The line that an input's CTI draws as rows arrive; empty where there is none in the band. */
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

/** What lies left of the line: it is final. */
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
  /** Until where rows may still land in it, below its bottom; null where that is its bottom. */
  graceBottom: number | null;
  /** How many labels that would cover its own stand below it. */
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

/** The rectangles of panes: from the row that opened one to the row whose CTI crosses its right edge. */
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

/** Labels stand at the bottom of their boxes; where two would cover each other, the later one stands higher. */
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
  /** From `x` to what comes next in the line, or to the end of the drawing. */
  room: number;
}

/** What a row takes at least: with some words beside it, and without. */
const WITH_WORDS = 34;
const BARE = 6;

/** Results in as few lines as let none cover another, in the order in which they begin. */
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

/** Results in lines with room for words; without it where that takes more than `most` lines. */
export function packed(rows: readonly TrackRow[], scale: TimeScale, k: number, most: number): PackedRow[] {
  const worded = inLines(rows, scale, k, WITH_WORDS);
  return worded.every(({ line }) => line < most) ? worded : inLines(rows, scale, k, BARE);
}

/** Whether a pane is drawn as what it is at `k`. */
export function settled(box: PaneBox, k: number): boolean {
  return box.panes.every((pane) => phaseAt(pane, k) !== "open");
}
