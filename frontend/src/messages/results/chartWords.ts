/** Charts of results in words. */

import type { ChartPoint, ChartResponse } from "../../model/api";
import {
  type ChartDefinition,
  type ChartKind,
  type Measure,
  numberText,
  type PointState,
  positionText,
  stateOf,
  withoutDrops,
} from "../../model/results/chart";
import { counted } from "../../model/text/counts";

export const KIND_WORDS: readonly (readonly [ChartKind, string])[] = [
  ["line", "Line"],
  ["bar", "Bar"],
  ["heat", "Heat"],
  ["value", "Single value"],
  ["table", "Table"],
];

const MEASURE_WORDS: Readonly<Record<Measure, string>> = {
  count: "Number of",
  sum: "Sum of",
  mean: "Mean of",
  min: "Smallest",
  max: "Largest",
};

export const MEASURE_OPTIONS: readonly (readonly [Measure, string])[] = [
  ["count", "Count"],
  ["sum", "Sum"],
  ["mean", "Mean"],
  ["min", "Minimum"],
  ["max", "Maximum"],
];

export const BUCKETS: readonly (readonly [string, string])[] = [
  ["", "Each time"],
  ["10s", "10 s"],
  ["1m", "1 min"],
  ["5m", "5 min"],
  ["15m", "15 min"],
  ["1h", "1 h"],
  ["6h", "6 h"],
  ["1d", "1 day"],
];

export const STATE_WORDS: Readonly<Record<PointState, string>> = {
  final: "final",
  provisional: "provisional",
  undecided: "final or not: unknown",
  repaired: "repaired",
};

/** Return the title of the chart, without the filter. */
export function chartTitle({ measure, of, group, kind }: ChartDefinition): string {
  const what = of === "" ? "results" : measure === "count" ? `values of ${of}` : of;
  return `${MEASURE_WORDS[measure]} ${what}${group === "" || kind === "value" ? "" : ` by ${group}`}`;
}

/** Return what is in the chart, as a sentence. */
export function rowsWords(chart: ChartResponse): string {
  const dropped = chart.points.reduce((sum, point) => sum + (point.dropped ?? 0), 0);
  const short = chart.points.filter((point) => (point.dropped ?? 0) > 0).length;
  const rows = `${counted(chart.points.length, "point")} from ${counted(chart.rows, "result")}`;
  if (chart.dropped.unknown !== null || short === 0) return rows;
  return `${rows}; ${counted(short, "point")} short: ${counted(dropped, "row")} dropped`;
}

/** Return the notes on a chart: what was left out of it, and what is not known. */
export function chartNotes(chart: ChartResponse): string[] {
  const { dropped } = chart;
  const notes: string[] = [];
  if (chart.points_left_out > 0) notes.push(leftOutWords(chart));
  if (chart.repeats)
    notes.push(
      "A run started without the state of an earlier one and may have emitted its results again: they count twice here. Choose one run.",
    );
  if (dropped.unknown !== null)
    notes.push(`It isn't known how many dropped rows belonged to these results: ${dropped.unknown}.`);
  if (dropped.elsewhere !== null && dropped.elsewhere > 0)
    notes.push(
      `${counted(dropped.elsewhere, "more dropped row")} belonged to results that aren't in this chart, for example because nothing was emitted for them.`,
    );
  if (dropped.unreadable > 0)
    notes.push(`${counted(dropped.unreadable, "row")} can't be read, and may belong to any result.`);
  const incomplete = chart.points.filter(({ incomplete: rows }) => rows > 0).length;
  if (incomplete > 0) notes.push(`${counted(incomplete, "point")} may lack input, because a run started in between.`);
  return notes;
}

function leftOutWords(chart: ChartResponse): string {
  const { points_left_out: points, categories_left_out: categories, groups_left_out: groups } = chart;
  const others = [
    ...(groups > 0 ? [counted(groups, "group")] : []),
    ...(categories > 0 ? [counted(categories, "category", "categories")] : []),
  ];
  const fewest = others.length === 0 ? "" : ` of ${others.join(" and ")} with the fewest results`;
  const between = others.length === 0 ? " between their smallest and largest neighbours" : "";
  return `Not shown: ${counted(points, "point")}${fewest}${between}. The export has all results.`;
}

/** Return what dropped rows mean for a point. */
export function droppedWords(point: ChartPoint): string {
  if (point.dropped === null) return "not known";
  if (point.dropped === 0) return point.provisional > 0 ? "no dropped rows so far" : "no dropped rows";
  return `${counted(point.dropped, "dropped row")} belonged here`;
}

/** Return everything about a point, for the line under the chart. */
export function pointWords(chart: ChartResponse, point: ChartPoint): string {
  const place = chart.axis === "none" ? [] : [positionText(chart, point) ?? "no value"];
  const whole = withoutDrops(chart, point);
  return [
    ...place,
    ...(point.group === null ? [] : [point.group]),
    point.value === null ? "no value" : numberText(point.value),
    STATE_WORDS[stateOf(point)],
    droppedWords(point),
    ...(whole === null || point.dropped === 0 ? [] : [`would have been ${numberText(whole)}`]),
  ].join(" · ");
}
