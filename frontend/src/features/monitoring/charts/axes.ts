/** Shared parts of the charts: axes with units, colours of the theme, tooltips in UTC and local time. */

import type { EChartsOption, LineSeriesOption } from "echarts";
import { tip } from "../../../components/charts/tip";
import { token } from "../../../lib/browser/theme";
import type { ChartMark } from "../../../messages/run/journal";
import type { RunHistory } from "../../../model/run/history";
import { formatInstant, formatLocal, instantParts, type Ticks, toMilliseconds } from "../../../model/time/ticks";
import { timeStep } from "../../../model/time/timeSteps";

/** A time span without data, and why; hatched if a run existed then. */
export interface Gap {
  begin: Ticks;
  end: Ticks;
  words: string;
  hatched: boolean;
}

export interface ChartSpan {
  history: RunHistory;
  to: Ticks;
  span: Ticks;
  gaps: readonly Gap[];
  marks: readonly ChartMark[];
}

export interface Palette {
  ink: string;
  quiet: string;
  line: string;
  surface: string;
  series: readonly string[];
}

export function palette(): Palette {
  return {
    ink: token("--ink"),
    quiet: token("--ink-2"),
    line: token("--line"),
    surface: token("--surface"),
    series: ["--accent", "--adjusted", "--reordered", "--late_kept"].map(token),
  };
}

const FONT = "system-ui, sans-serif";

function clockLabel(milliseconds: number): string {
  const { time } = instantParts(milliseconds * 1_000);
  return time.slice(0, milliseconds % 60_000 === 0 ? 5 : 8);
}

export function frame(colours: Palette): EChartsOption {
  return {
    textStyle: { fontFamily: FONT, color: colours.ink },
    grid: { left: 8, right: 16, top: 30, bottom: 28, containLabel: true },
  };
}

/** The wall clock from left to right. */
export function wallAxis(colours: Palette, from: Ticks, to: Ticks): NonNullable<EChartsOption["xAxis"]> {
  return {
    type: "time",
    min: toMilliseconds(from),
    max: toMilliseconds(to),
    name: "wall clock, UTC",
    nameLocation: "middle",
    nameGap: 26,
    nameTextStyle: { color: colours.quiet, fontSize: 12 },
    axisLabel: { color: colours.quiet, fontSize: 12, hideOverlap: true, formatter: clockLabel },
    axisLine: { lineStyle: { color: colours.line } },
    axisTick: { lineStyle: { color: colours.line } },
    splitLine: { show: false },
  };
}

interface ValueAxis {
  name: string;
  label: (value: number) => string;
  /** `instant`: milliseconds since the epoch; `length`: a duration up to that many ticks; `count`: whole numbers. */
  of: "instant" | "count" | "rate" | { length: Ticks };
}

const MARKS = 5;

/** Return the divisions of an axis: whole numbers for counts, common steps for durations. */
function divided(of: ValueAxis["of"]): object {
  if (of === "count") return { minInterval: 1 };
  if (typeof of === "string") return {};
  const step = timeStep(Math.max(of.length, 1), MARKS);
  return { min: 0, max: Math.ceil(Math.max(of.length, 1) / step) * step, interval: step };
}

export function valueAxis(colours: Palette, { name, label, of }: ValueAxis): NonNullable<EChartsOption["yAxis"]> {
  return {
    type: of === "instant" ? "time" : "value",
    name,
    nameLocation: "end",
    nameGap: 10,
    nameTextStyle: { color: colours.quiet, fontSize: 12, align: "left" },
    axisLabel: { color: colours.quiet, fontSize: 12, formatter: label },
    splitLine: { lineStyle: { color: colours.line } },
    axisLine: { show: false },
    axisTick: { show: false },
    splitNumber: 4,
    ...divided(of),
  };
}

const HATCH = 7;

/** A hatching pattern as an image, because ECharts' SVG needs one; the content security policy allows `data:`. */
function hatching(colours: Palette): object {
  const lines = `<path d="M-2 2L2-2M0 ${HATCH}L${HATCH} 0M5 9L9 5" stroke="${colours.quiet}" stroke-opacity="0.45"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${HATCH}" height="${HATCH}">${lines}</svg>`;
  const image = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  return { image, repeat: "repeat", imageWidth: HATCH, imageHeight: HATCH };
}

const NARROW = 0.12;

/** An empty series that marks events of the run, and hatches spans without data with the reason. */
export function gapArea(colours: Palette, { gaps, span, marks }: ChartSpan): LineSeriesOption {
  return {
    id: "gaps",
    type: "line",
    data: [],
    silent: true,
    markLine: {
      silent: true,
      symbol: "none",
      lineStyle: { color: colours.quiet, type: "dotted", width: 1 },
      label: { color: colours.quiet, fontSize: 11, formatter: "{b}", position: "insideEndTop", rotate: 90 },
      data: marks.map(({ at, words }) => ({ xAxis: toMilliseconds(at), name: words })),
    },
    markArea: {
      silent: true,
      label: { color: colours.ink, fontSize: 12, position: "inside", backgroundColor: colours.surface, padding: 3 },
      data: gaps.map(({ begin, end, words, hatched }) => [
        {
          xAxis: toMilliseconds(begin),
          name: end - begin > NARROW * span ? words : "",
          itemStyle: hatched
            ? { color: hatching(colours) as unknown as string }
            : { color: colours.line, opacity: 0.3 },
        },
        { xAxis: toMilliseconds(end) },
      ]),
    },
  };
}

interface TipLine {
  seriesName?: string;
  color?: unknown;
  value?: unknown;
}

function numberOf(value: unknown): number | null {
  const picked = Array.isArray(value) ? value[1] : value;
  return typeof picked === "number" ? picked : null;
}

/** A tooltip of all series at one moment of the wall clock. */
export function wallTip(colours: Palette, words: (value: number) => string): NonNullable<EChartsOption["tooltip"]> {
  return {
    trigger: "axis",
    confine: true,
    backgroundColor: colours.surface,
    borderColor: colours.line,
    textStyle: { color: colours.ink, fontSize: 12 },
    formatter: (params: unknown) => {
      const lines = (Array.isArray(params) ? params : [params]) as TipLine[];
      const [first] = lines;
      const at = Array.isArray(first?.value) ? Number(first.value[0]) * 1_000 : 0;
      const rows = lines.flatMap(({ seriesName = "", color, value }) => {
        const number = numberOf(value);
        if (number === null) return [];
        return [{ name: seriesName, value: words(number), ...(typeof color === "string" && { colour: color }) }];
      });
      return tip([formatInstant(at), `${formatLocal(at)} (your time)`], rows);
    },
  };
}
