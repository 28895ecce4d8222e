/** The axis of event time: conversion between ticks and positions, its initial range, its ticks. */

import { formatSpan, instantParts, type Ticks } from "../../time/ticks";
import { timeStep } from "../../time/timeSteps";
import type { Simulation } from "../types";

export interface TimeScale {
  from: Ticks;
  to: Ticks;
  /** Pixels. */
  width: number;
}

const ALONE: Ticks = 10_000_000;
const PANES_WIDER = 4;
const NARROWEST: Ticks = 10;
const WIDEST: Ticks = 400 * 365 * 86_400_000_000;

/** Return the position of an instant; null (infinity) is at the right edge. Positions far outside are clamped close to it. */
export function placeOf(scale: TimeScale, at: Ticks | null): number {
  if (at === null) return scale.width;
  const place = ((at - scale.from) / (scale.to - scale.from)) * scale.width;
  return Math.min(Math.max(place, -4 * scale.width), 5 * scale.width);
}

/** Return the position within the drawing; outside positions are clamped to the edge. */
export function edgeOf(scale: TimeScale, at: Ticks | null): number {
  return Math.min(Math.max(placeOf(scale, at), 0), scale.width);
}

export function tickAt(scale: TimeScale, place: number): Ticks {
  return Math.round(scale.from + (place / scale.width) * (scale.to - scale.from));
}

/** Return the tick at a position, rounded to a step of about `pixels`, for drags. */
export function snappedTick(scale: TimeScale, place: number, pixels = 4): Ticks {
  const step = timeStep(scale.to - scale.from, Math.max(1, scale.width / pixels));
  return Math.round(tickAt(scale, place) / step) * step;
}

export function zoomed(scale: TimeScale, factor: number, around = scale.width / 2): TimeScale {
  const middle = tickAt(scale, around);
  const length = (scale.to - scale.from) / factor;
  if (length < NARROWEST || length > WIDEST) return scale;
  const from = Math.round(middle - length * (around / scale.width));
  return { ...scale, from, to: Math.round(from + length) };
}

export function panned(scale: TimeScale, pixels: number): TimeScale {
  const by = Math.round((pixels / scale.width) * (scale.to - scale.from));
  return { ...scale, from: scale.from + by, to: scale.to + by };
}

interface Extent {
  from: Ticks;
  to: Ticks;
}

function extentOf(times: Iterable<Ticks | null | undefined>): Extent | null {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const at of times) {
    if (at === null || at === undefined) continue;
    from = Math.min(from, at);
    to = Math.max(to, at);
  }
  return from > to ? null : { from, to };
}

/** Return the initial range: all rows as received and as kept, and the panes unless they are far longer. */
export function wholeExtent(simulation: Simulation): Extent {
  const rows = extentOf(
    simulation.rows.flatMap((row) =>
      row.outcome === "dropped_early" ? [] : [row.start, row.end, row.kept_start, row.kept_end],
    ),
  );
  const panes = extentOf(simulation.panes.flatMap((pane) => [pane.start, pane.end]));
  const both = rows === null ? panes : panes === null ? rows : widened(rows, panes);
  if (both === null) return { from: 0, to: ALONE };
  const length = Math.max(both.to - both.from, 1);
  const step = timeStep(length, 12);
  const from = Math.floor(both.from / step) * step;
  const to = Math.ceil(both.to / step) * step;
  return { from, to: to > from ? to : from + step };
}

function widened(rows: Extent, panes: Extent): Extent {
  const most = Math.max(rows.to - rows.from, 1_000) * PANES_WIDER;
  if (panes.to - panes.from > most) return rows;
  return { from: Math.min(rows.from, panes.from), to: Math.max(rows.to, panes.to) };
}

/** Return true if a time is a small number of ticks, as in the guide's examples, and not a real date. */
export function countsFromZero(at: Ticks): boolean {
  return at >= 0 && at < 1_000;
}

export interface AxisMark {
  at: Ticks;
  place: number;
  /** The time of day; on the first mark and at each new day with the date before it. */
  time: string;
  date: string | null;
}

const PIXELS_APART = 86;
const DAY: Ticks = 86_400_000_000;

const marksOfScales = new WeakMap<TimeScale, readonly AxisMark[]>();

/** Return the marks of a scale, shared by everything drawn on it. */
export function axisMarks(scale: TimeScale): readonly AxisMark[] {
  const before = marksOfScales.get(scale);
  if (before !== undefined) return before;
  const marks = markedAxis(scale);
  marksOfScales.set(scale, marks);
  return marks;
}

function markedAxis(scale: TimeScale): AxisMark[] {
  const step = timeStep(scale.to - scale.from, Math.max(1, Math.floor(scale.width / PIXELS_APART)));
  const marks: AxisMark[] = [];
  let before: string | null = null;
  for (let at = Math.ceil(scale.from / step) * step; at <= scale.to; at += step) {
    if (countsFromZero(scale.to)) {
      marks.push({ at, place: placeOf(scale, at), time: formatSpan(at), date: null });
      continue;
    }
    const { date, time } = instantParts(at);
    marks.push({ at, place: placeOf(scale, at), time: step >= DAY ? "" : time, date: date === before ? null : date });
    before = date;
  }
  return marks;
}
