/** The charts of a binding over time: cells of a heatmap, stacked parts of the lag, lines of lanes, and their tables. */

import type { DetailsInput, DetailsLane, DetailsResponse } from "../api";
import { counted } from "../text/counts";
import { formatInstant, formatSpan, type Ticks } from "../time/ticks";
import type { FigureTable } from "./dashboard";

type Steps = Pick<DetailsResponse, "begin" | "step">;

/** The parts of a lag in the order in which they are stacked, from the foot. */
export const LAG_PARTS = [
  ["delay", "Delay D"],
  ["source", "Source"],
  ["lane", "Waiting for a lane"],
  ["work", "Work"],
] as const;

export type LagPart = (typeof LAG_PARTS)[number][0];

/** The distances below this one have one row of the heatmap. */
const FIRST: Ticks = 1_024;
const SHADES = 6;
/** A heatmap shows at least these doublings: 8 ms to 64 s. */
const USUAL = { lowest: 4, highest: 16 };

/** Return the border above a row of the heatmap. */
export function borderOf(row: number): Ticks {
  return FIRST * 2 ** row;
}

/** Return the shade of a count, from 1 to 6, on a logarithmic scale. */
export function shadeOf(count: number, most: number): number {
  return Math.min(SHADES, Math.max(1, Math.ceil((SHADES * Math.log1p(count)) / Math.log1p(most))));
}

export interface HeatCell {
  at: Ticks;
  row: number;
  count: number;
  shade: number;
}

export interface Heatmap {
  /** The lowest and the highest row; a row is a doubling of the distance. */
  lowest: number;
  highest: number;
  cells: readonly HeatCell[];
}

/** Return the cells with rows; rows below 8 ms are in the lowest row, and the scale grows for distances above 64 s. */
export function heatmapOf({ behind, delay }: Pick<DetailsInput, "behind" | "delay">, { begin, step }: Steps): Heatmap {
  const counts = behind.map((each) => {
    const rows = new Map<number, number>();
    for (const [key, count] of Object.entries(each)) {
      const row = Math.max(USUAL.lowest, Number(key));
      rows.set(row, (rows.get(row) ?? 0) + count);
    }
    return rows;
  });
  const all = counts.flatMap((rows) => [...rows]);
  const most = all.reduce((largest, [, count]) => Math.max(largest, count), 0);
  const delays = delay.flatMap((each) => (each === null ? [] : Math.ceil(Math.log2(Math.max(FIRST, each) / FIRST))));
  const highest = Math.max(USUAL.highest, ...all.map(([row]) => row), ...delays);
  const cells = counts.flatMap((rows, index) =>
    [...rows].map(([row, count]) => ({ at: begin + index * step, row, count, shade: shadeOf(count, most) })),
  );
  return { lowest: USUAL.lowest, highest, cells };
}

/** Return the place of a distance as a share of the height of a heatmap; shorter ones are at its foot. */
export function heightOf({ lowest, highest }: Pick<Heatmap, "lowest" | "highest">, distance: Ticks): number {
  const row = Math.log2(Math.max(FIRST, distance) / FIRST);
  return Math.min(1, Math.max(0, (row - lowest + 1) / (highest - lowest + 1)));
}

export interface LagStack {
  at: Ticks;
  /** The ends of the parts, in the order of LAG_PARTS; null: only the whole lag is known. */
  reached: readonly Ticks[] | null;
  largest: Ticks;
}

/** Return the steps with a known lag. */
export function lagStacks({ begin, step, lags }: DetailsResponse): LagStack[] {
  return lags.largest.flatMap((largest, index): LagStack[] => {
    if (largest === null) return [];
    let sum = 0;
    const reached: Ticks[] = [];
    for (const [part] of LAG_PARTS) {
      const length = lags[part][index] ?? null;
      if (length === null) return [{ at: begin + index * step, reached: null, largest }];
      sum += length;
      reached.push(sum);
    }
    return [{ at: begin + index * step, reached, largest }];
  });
}

/** Return the index of the step that contains `at`; null outside the range. */
export function stepAt({ begin, step }: Steps, count: number, at: Ticks): number | null {
  const index = Math.floor((at - begin) / step);
  return index >= 0 && index < count ? index : null;
}

export function laneName({ lane, lanes }: Pick<DetailsLane, "lane" | "lanes">): string {
  return lane ?? counted(lanes, "other lane");
}

/** Return the lanes that have a line; the others together have none. */
export function drawnLanes({ lanes }: Pick<DetailsInput, "lanes">): DetailsLane[] {
  return (lanes ?? []).filter(({ lane }) => lane !== null);
}

/** Return the steps with rows, newest first: quantiles, the delay, and the rows of each doubling that occurs. */
export function behindTable(input: DetailsInput, steps: Steps): FigureTable {
  const rows = [...new Set(input.behind.flatMap((each) => Object.keys(each).map(Number)))].sort((a, b) => a - b);
  return {
    head: ["From (UTC)", "Median", "99 %", "Delay D", ...rows.map((row) => `below ${formatSpan(borderOf(row))}`)],
    rows: input.behind
      .map((each, index) => [
        formatInstant(steps.begin + index * steps.step),
        spanWords(input.median[index]),
        spanWords(input.most[index]),
        spanWords(input.delay[index]),
        ...rows.map((row) => each[row] ?? 0),
      ])
      .filter((_, index) => Object.keys(input.behind[index] ?? {}).length > 0)
      .toReversed(),
  };
}

/** Return the largest lag of each step with its parts, newest first. */
export function lagPartsTable(shown: DetailsResponse): FigureTable {
  const { begin, step, lags, inputs } = shown;
  const known = lags.largest.flatMap((lag, index) => (lag === null ? [] : [{ lag, index }]));
  return {
    head: ["From (UTC)", "Largest lag", ...LAG_PARTS.map(([, words]) => words), "Input", "Microseconds"],
    rows: known
      .map(({ lag, index }) => [
        formatInstant(begin + index * step),
        formatSpan(lag),
        ...LAG_PARTS.map(([part]) => spanWords(lags[part][index])),
        inputs[lags.input[index] ?? -1]?.name ?? null,
        lag,
      ])
      .toReversed(),
  };
}

/** Return by step how far the CTI of each lane was behind, newest first. */
export function lanesTable(input: DetailsInput, { begin, step }: Steps): FigureTable {
  const lanes = drawnLanes(input);
  const count = input.behind.length;
  const known = Array.from({ length: count }, (_, index) => index).filter((index) =>
    lanes.some(({ behind }) => (behind[index] ?? null) !== null),
  );
  return {
    head: ["From (UTC)", ...lanes.map((lane) => `Lane ${laneName(lane)}`), "Rows dropped"],
    rows: known
      .map((index) => [
        formatInstant(begin + index * step),
        ...lanes.map(({ behind }) => spanWords(behind[index])),
        (input.lanes ?? []).reduce((sum, { lost }) => sum + (lost[index] ?? 0), 0),
      ])
      .toReversed(),
  };
}

function spanWords(value: Ticks | null | undefined): string | null {
  return value === null || value === undefined ? null : formatSpan(value);
}
