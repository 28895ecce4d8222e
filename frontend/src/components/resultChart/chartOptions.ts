/** Charts of results for ECharts: lines, bars and heat maps with a strip below that shows which points are complete. */

import type { BarSeriesOption, EChartsOption, HeatmapSeriesOption, LineSeriesOption } from "echarts";
import { formatCompact } from "../../lib/numbers";
import { pointWords } from "../../messages/results/chartWords";
import type { ChartPoint, ChartResponse } from "../../model/api";
import { type ChartKind, groupsOf, heightOf, positionsOf, positionText, stateOf } from "../../model/results/chart";
import { formatInstant, toMilliseconds } from "../../model/time/ticks";
import { tip } from "../charts/tip";
import { areaStyle, type PointPalette, seriesColour } from "./pointStyles";

type Position = number | string;
interface Datum {
  value: [Position, number | null];
  itemStyle?: object;
  point: ChartPoint;
}

const STRIP = 12;

interface Drawing {
  chart: ChartResponse;
  palette: PointPalette;
  /** The point that the keyboard has chosen. */
  chosen: ChartPoint | undefined;
}

/** Times stay numbers, so that a missing pane is a gap; a point without a position is left to the table. */
function positionOf(chart: ChartResponse, point: ChartPoint): Position | null {
  if (chart.axis === "time") return point.at === null ? null : toMilliseconds(point.at);
  return positionText(chart, point) ?? "null";
}

function placed(chart: ChartResponse, group: string | null): { at: Position; point: ChartPoint }[] {
  return chart.points.flatMap((point) => {
    const at = point.group === group ? positionOf(chart, point) : null;
    return at === null ? [] : [{ at, point }];
  });
}

function groupName(chart: ChartResponse, group: string | null): string {
  return group ?? (groupsOf(chart).length > 1 ? "null" : "");
}

function marked({ chart, chosen, palette }: Drawing): Pick<LineSeriesOption, "markLine"> {
  const at = chosen === undefined ? null : positionOf(chart, chosen);
  if (at === null) return {};
  const line = { lineStyle: { color: palette.ink, type: "solid" as const }, label: { show: false } };
  return { markLine: { silent: true, symbol: "none", animation: false, ...line, data: [{ xAxis: at }] } };
}

function bars(drawing: Drawing): BarSeriesOption[] {
  const { chart, palette } = drawing;
  return groupsOf(chart).flatMap((group, index) => {
    const colour = seriesColour(palette, index);
    const points = placed(chart, group);
    const stack = chart.dropped.adds_up ? "all" : `group ${index}`;
    const data: Datum[] = points.map(({ at, point }) => ({
      value: [at, heightOf(point)],
      itemStyle: areaStyle(palette, colour, stateOf(point)),
      point,
    }));
    const series: BarSeriesOption = {
      id: `bar ${index}`,
      name: groupName(chart, group),
      type: "bar",
      stack,
      data: data as NonNullable<BarSeriesOption["data"]>,
      itemStyle: { color: colour },
      barCategoryGap: "18%",
      barMinWidth: 1,
      large: false,
      ...(index === 0 && marked(drawing)),
    };
    return chart.dropped.adds_up ? [series, droppedBars(drawing, index, points)] : [series];
  });
}

/** Rows that are missing from a point, on top of it. */
function droppedBars(
  { palette }: Drawing,
  index: number,
  points: readonly { at: Position; point: ChartPoint }[],
): BarSeriesOption {
  return {
    id: `dropped ${index}`,
    type: "bar",
    stack: "all",
    data: points.map(({ at, point }) => ({ value: [at, point.dropped || null], point })) as NonNullable<
      BarSeriesOption["data"]
    >,
    itemStyle: { color: palette.dropped as unknown as string, borderColor: palette.droppedLine, borderWidth: 0.6 },
  };
}

function lines(drawing: Drawing): LineSeriesOption[] {
  const { chart, palette } = drawing;
  return groupsOf(chart).flatMap((group, index) => {
    const colour = seriesColour(palette, index);
    const points = placed(chart, group);
    const name = groupName(chart, group);
    const isOpen = ({ point }: { point: ChartPoint }) => ["provisional", "undecided"].includes(stateOf(point));
    const firstOpen = points.findIndex(isOpen);
    const last = firstOpen < 0 ? points.length : firstOpen;
    const part = (from: number, to: number) =>
      points.slice(from, to).map((each) => linePoint(palette, colour, each, points.length < 2)) as NonNullable<
        LineSeriesOption["data"]
      >;
    const common = {
      type: "line" as const,
      name,
      connectNulls: false,
      showAllSymbol: true,
      itemStyle: { color: colour },
    };
    const solid: LineSeriesOption = {
      ...common,
      id: `line ${index}`,
      data: part(0, last),
      lineStyle: { color: colour, width: 1.6 },
      ...(index === 0 && marked(drawing)),
    };
    if (firstOpen < 0) return [solid];
    const open = part(Math.max(0, last - 1), points.length);
    const lineStyle = { color: colour, width: 1.6, type: "dotted" as const, opacity: 0.8 };
    return [solid, { ...common, id: `open ${index}`, data: open, lineStyle }];
  });
}

/** A place on a line: only points with dropped rows, repaired ones and single ones have a visible symbol. */
function linePoint(
  palette: PointPalette,
  colour: string,
  { at, point }: { at: Position; point: ChartPoint },
  alone: boolean,
): object {
  const short = (point.dropped ?? 0) > 0;
  const repaired = stateOf(point) === "repaired";
  const itemStyle = short
    ? { color: palette.surface, borderColor: palette.droppedLine, borderWidth: 1.6 }
    : { color: colour };
  const symbol = repaired ? "diamond" : "circle";
  return { value: [at, heightOf(point)], symbol, symbolSize: short || repaired || alone ? 7 : 0.1, itemStyle, point };
}

/** The strip: of all groups at a position, the worst knowledge. */
function strip({ chart, palette }: Drawing): BarSeriesOption {
  const worst = new Map<Position, ChartPoint[]>();
  for (const point of chart.points) {
    const at = positionOf(chart, point);
    if (at !== null) worst.set(at, [...(worst.get(at) ?? []), point]);
  }
  const data = [...worst].map(([at, points]) => ({ value: [at, 1], itemStyle: stripStyle(palette, points) }));
  return {
    id: "complete",
    type: "bar",
    xAxisIndex: 1,
    yAxisIndex: 1,
    data: data as NonNullable<BarSeriesOption["data"]>,
    silent: true,
    barCategoryGap: "18%",
    barMinWidth: 1,
    tooltip: { show: false },
  };
}

function stripStyle(palette: PointPalette, points: readonly ChartPoint[]): object {
  if (points.some(({ dropped }) => (dropped ?? 0) > 0)) {
    return { color: palette.dropped, borderColor: palette.droppedLine, borderWidth: 0.6 };
  }
  if (points.some(({ dropped }) => dropped === null)) return { color: palette.unknown };
  const open = points.some((point) => stateOf(point) === "provisional");
  return open ? { color: "transparent", borderColor: palette.quiet, borderType: "dashed" } : { color: palette.good };
}

function tooltip({ chart, palette }: Drawing): NonNullable<EChartsOption["tooltip"]> {
  return {
    trigger: "item",
    confine: true,
    backgroundColor: palette.surface,
    borderColor: palette.line,
    textStyle: { color: palette.ink, fontSize: 12 },
    formatter: (params: unknown) => {
      const { point } = (params as { data: Partial<Datum> }).data;
      return point === undefined ? "" : tip(pointWords(chart, point).split(" · "), []);
    },
  };
}

function positionAxis({ chart, palette }: Drawing, index: number): object {
  const quiet = { color: palette.quiet, fontSize: 11 };
  const common = {
    gridIndex: index,
    axisLine: { lineStyle: { color: palette.line } },
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: index === 0 ? { show: false } : { ...quiet, hideOverlap: true },
  };
  if (chart.axis === "time") {
    const times = chart.points.flatMap(({ at }) => (at === null ? [] : [toMilliseconds(at)]));
    const [first = 0] = times;
    const ends = times.length < 2 ? { min: first - 1, max: first + 1 } : {};
    return { ...common, ...ends, type: "time", axisLabel: { ...common.axisLabel, formatter: clockOf } };
  }
  return { ...common, type: "category", data: positionsOf(chart).map((name) => name ?? "null") };
}

function clockOf(milliseconds: number): string {
  const text = formatInstant(milliseconds * 1_000);
  if (milliseconds % 86_400_000 === 0) return text.slice(5, 10);
  return milliseconds % 60_000 === 0 ? text.slice(11, 16) : text.slice(11, 19);
}

function flat(drawing: Drawing, series: NonNullable<EChartsOption["series"]>): EChartsOption {
  const { palette } = drawing;
  const quiet = { color: palette.quiet, fontSize: 11 };
  return {
    tooltip: tooltip(drawing),
    grid: [
      { left: 62, right: 14, top: 14, bottom: 54 },
      { left: 62, right: 14, bottom: 26, height: STRIP },
    ],
    xAxis: [positionAxis(drawing, 0), positionAxis(drawing, 1)],
    yAxis: [
      {
        type: "value",
        axisLabel: { ...quiet, formatter: formatCompact },
        splitLine: { lineStyle: { color: palette.line } },
        splitNumber: 4,
      },
      { type: "value", gridIndex: 1, min: 0, max: 1, show: false },
    ],
    series,
  };
}

function heat(drawing: Drawing): EChartsOption {
  const { chart, palette, chosen } = drawing;
  const quiet = { color: palette.quiet, fontSize: 11 };
  const values = chart.points.flatMap((point) => heightOf(point) ?? []);
  const least = Math.min(...values);
  const most = Math.max(...values);
  const groups = groupsOf(chart).map((group) => groupName(chart, group));
  const places = positionsOf(chart).map((name) => name ?? "null");
  const series: HeatmapSeriesOption = {
    id: "heat",
    type: "heatmap",
    data: chart.points.map((point) => ({
      value: [positionText(chart, point) ?? "null", groupName(chart, point.group), heightOf(point) ?? "-"],
      itemStyle: heatStyle(palette, point, shade(palette, heightOf(point), least, most), point === chosen),
      visualMap: false,
      point,
    })) as NonNullable<HeatmapSeriesOption["data"]>,
  };
  const label = (name: string) => (chart.axis === "time" ? name.slice(11, 16) : name);
  return {
    tooltip: tooltip(drawing),
    grid: [{ left: 8, right: 14, top: 10, bottom: 8, containLabel: true }],
    xAxis: [
      {
        type: "category",
        data: places,
        axisLabel: { ...quiet, hideOverlap: true, formatter: label },
        axisTick: { show: false },
      },
    ],
    yAxis: [{ type: "category", data: groups, axisLabel: quiet, axisTick: { show: false } }],
    visualMap: { show: false, min: 0, max: 1 }, // ECharts requires one; each cell has a colour of its own
    series,
  };
}

function shade({ heat: shades, surface }: PointPalette, value: number | null, least: number, most: number): string {
  if (value === null) return surface;
  const share = most === least ? 1 : (value - least) / (most - least);
  return shades[Math.min(shades.length - 1, Math.floor(share * shades.length))] ?? surface;
}

function heatStyle(palette: PointPalette, point: ChartPoint, colour: string, isChosen: boolean): object {
  const border = { borderColor: isChosen ? palette.ink : palette.surface, borderWidth: isChosen ? 2 : 0.5 };
  if ((point.dropped ?? 0) > 0)
    return { ...border, ...areaStyle({ ...palette, surface: palette.droppedLine }, colour, "repaired") };
  return { ...border, ...areaStyle(palette, colour, stateOf(point)) };
}

/** Return the options of a chart of points. */
export function chartOption(kind: Exclude<ChartKind, "value" | "table">, drawing: Drawing): EChartsOption {
  if (kind === "heat") return heat(drawing);
  return flat(drawing, [...(kind === "line" ? lines(drawing) : bars(drawing)), strip(drawing)]);
}
