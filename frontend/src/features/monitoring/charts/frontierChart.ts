import type { EChartsOption, LineSeriesOption } from "echarts";
import { eventLag, type HistorySample } from "../../../model/run/history";
import { formatInstant, formatSpan, instantParts, type Ticks, toMilliseconds } from "../../../model/time/ticks";
import { type ChartSpan, frame, gapArea, type Palette, palette, valueAxis, wallAxis, wallTip } from "./axes";

type Points = NonNullable<LineSeriesOption["data"]>;

/** Return the samples of the span, and the one before it, so that lines start at the left border. */
function inSpan({ history, to, span }: ChartSpan): readonly HistorySample[] {
  const first = history.samples.findIndex((sample) => sample.at >= to - span);
  return first < 0 ? history.samples.slice(-1) : history.samples.slice(Math.max(0, first - 1));
}

function pointsOf(samples: readonly HistorySample[], value: (sample: HistorySample) => Ticks | null): Points {
  return samples.map((sample) => [toMilliseconds(sample.at), value(sample)]);
}

interface LineLooks {
  color: string;
  dash: "solid" | "dashed" | "dotted";
  step: boolean;
}

function line(name: string, data: Points, { color, dash, step }: LineLooks): LineSeriesOption {
  return {
    id: name,
    name,
    type: "line",
    data,
    showSymbol: data.length <= FEW && dash !== "dotted",
    symbolSize: 5,
    connectNulls: false,
    ...(step ? { step: "end" as const } : {}),
    lineStyle: { color, width: dash === "dotted" ? 1.5 : 2, type: dash },
    itemStyle: { color },
  };
}

export function inputIds({ history }: ChartSpan): string[] {
  return Object.keys(history.samples.at(-1)?.inputs ?? {});
}

function names(ids: readonly string[], letter: string): (id: string) => string {
  return (id) => (ids.length > 1 ? `${letter} of ${id}` : letter);
}

const MILLISECOND = 1_000;
/** Lines with fewer samples would be invisible, so these get dots. */
const FEW = 3;

function inputLines(shown: ChartSpan, colours: Palette): LineSeriesOption[] {
  const ids = inputIds(shown);
  const samples = inSpan(shown);
  const start = names(ids, "M, largest start");
  const cti = names(ids, "C, input CTI");
  return ids.flatMap((id, index) => {
    const color = colours.series[index % colours.series.length] ?? colours.ink;
    return [
      line(
        start(id),
        pointsOf(samples, (sample) => milliseconds(sample.inputs[id]?.largestStart)),
        {
          color,
          dash: "solid",
          step: false,
        },
      ),
      line(
        cti(id),
        pointsOf(samples, (sample) => milliseconds(sample.inputs[id]?.cti)),
        {
          color: ids.length > 1 ? color : (colours.series[1] ?? color),
          dash: "dashed",
          step: true,
        },
      ),
    ];
  });
}

function milliseconds(ticks: Ticks | null | undefined): number | null {
  return ticks === null || ticks === undefined ? null : ticks / MILLISECOND;
}

/** The wall clock itself, if event time is close to it: the ideal line of a stream without delay. */
function diagonal(shown: ChartSpan, colours: Palette): LineSeriesOption[] {
  const newest = shown.history.samples.at(-1);
  const starts = Object.values(newest?.inputs ?? {}).flatMap((input) => input.largestStart ?? []);
  const near = starts.length > 0 && Math.abs(shown.to - Math.max(...starts)) < 4 * shown.span;
  if (!near) return [];
  const ends = [shown.to - shown.span, shown.to].map(toMilliseconds);
  const looks = { color: colours.quiet, dash: "dotted" as const, step: false };
  return [
    line(
      "wall clock",
      ends.map((at) => [at, at]),
      looks,
    ),
  ];
}

function outputLines(shown: ChartSpan, colours: Palette): LineSeriesOption[] {
  const outputs = Object.keys(shown.history.samples.at(-1)?.outputCtis ?? {});
  const name = names(outputs, "C out, output CTI");
  return outputs.map((id) =>
    line(
      name(id),
      pointsOf(inSpan(shown), (sample) => milliseconds(sample.outputCtis[id])),
      {
        color: colours.series[2] ?? colours.ink,
        dash: "solid",
        step: true,
      },
    ),
  );
}

export function frontierLines(shown: ChartSpan): LineSeriesOption[] {
  const colours = palette();
  return [...diagonal(shown, colours), ...inputLines(shown, colours), ...outputLines(shown, colours)];
}

/** The time of day; the date at midnight. */
function eventLabel(value: number): string {
  const { date, time } = instantParts(Math.round(value) * MILLISECOND);
  return time.startsWith("00:00:00") ? date : time.slice(0, 8);
}

/** Wall clock against event time: the largest start of the inputs (M), final input (C), final results (C out). */
export function frontierOption(shown: ChartSpan): EChartsOption {
  const colours = palette();
  return {
    ...frame(colours),
    xAxis: wallAxis(colours, shown.to - shown.span, shown.to),
    yAxis: valueAxis(colours, { name: "event time, UTC", label: eventLabel, of: "instant" }),
    tooltip: wallTip(colours, (value) => formatInstant(Math.round(value * MILLISECOND))),
    series: [...frontierLines(shown), gapArea(colours, shown)],
  };
}

export function lagLines(shown: ChartSpan): LineSeriesOption[] {
  const colours = palette();
  const samples = inSpan(shown);
  const ids = inputIds(shown);
  const name = names(ids, "M − C");
  return ids.map((id, index) =>
    line(
      name(id),
      pointsOf(samples, (sample) => eventLag(sample.inputs[id])),
      {
        color: colours.series[index % colours.series.length] ?? colours.ink,
        dash: "solid",
        step: false,
      },
    ),
  );
}

function longestLag(shown: ChartSpan): Ticks {
  const lags = inSpan(shown).flatMap((sample) => Object.values(sample.inputs).map((input) => eventLag(input) ?? 0));
  return Math.max(0, ...lags);
}

/** The event time that each input delays: the largest start minus the CTI. */
export function lagOption(shown: ChartSpan): EChartsOption {
  const colours = palette();
  return {
    ...frame(colours),
    xAxis: wallAxis(colours, shown.to - shown.span, shown.to),
    yAxis: valueAxis(colours, { name: "lag in event time", label: formatSpan, of: { length: longestLag(shown) } }),
    tooltip: wallTip(colours, formatSpan),
    series: [...lagLines(shown), gapArea(colours, shown)],
  };
}
