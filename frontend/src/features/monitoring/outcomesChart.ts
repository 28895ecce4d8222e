import type { BarSeriesOption, EChartsOption } from "echarts";
import { formatCompact, formatRate } from "../../lib/numbers";
import { token } from "../../lib/theme";
import type { RunHistory } from "../../model/history";
import { OUTCOME_WORDS, OUTCOMES, type Outcome } from "../../model/outcomes";
import { perSecond } from "../../model/rates";
import { toMilliseconds } from "../../model/ticks";
import { type ChartSpan, frame, gapArea, palette, valueAxis, wallAxis, wallTip } from "./axes";

type Decal = NonNullable<NonNullable<BarSeriesOption["itemStyle"]>["decal"]>;

const STRIPE = "rgba(255, 255, 255, 0.45)";

/** Patterns tell the late outcomes apart without colour; beside the many rows in time they would be specks. */
const DECALS: Partial<Record<Outcome, Decal>> = {
  adjusted: { symbol: "rect", color: STRIPE, rotation: Math.PI / 4, dashArrayX: [1, 0], dashArrayY: [2, 4] },
  dropped_late: { symbol: "rect", color: STRIPE, rotation: -Math.PI / 4, dashArrayX: [1, 0], dashArrayY: [2, 3] },
  malformed: { symbol: "rect", color: STRIPE, dashArrayX: [1, 0], dashArrayY: [2, 3] },
};

/** The outcomes that the chart has something to show of. */
export function shownOutcomes(history: RunHistory, lateOnly: boolean): Outcome[] {
  const totals = history.samples.at(-1)?.outcomes;
  const usual = (outcome: Outcome) => outcome === "on_time" || outcome === "reordered";
  return OUTCOMES.filter((outcome) => (lateOnly ? !usual(outcome) : true) && (totals?.[outcome] ?? 0) > 0);
}

/** Rows per second by outcome, stacked: the top of the stack is what was received. */
export function outcomesOption(drawn: ChartSpan, shown: readonly Outcome[]): EChartsOption {
  const { history, to, span } = drawn;
  const colours = palette();
  const patterned = !shown.includes("on_time");
  const { bins, width } = perSecond(history.samples, to, span, history.freshness);
  const series: BarSeriesOption[] = shown.map((outcome) => ({
    id: outcome,
    type: "bar",
    name: OUTCOME_WORDS[outcome].label,
    stack: "outcomes",
    barCategoryGap: "12%",
    itemStyle: { color: token(`--${outcome}`), decal: (patterned ? DECALS[outcome] : undefined) ?? { symbol: "none" } },
    data: bins.map((bin) => [toMilliseconds(bin.at + width / 2), bin.outcomes[outcome]]),
  }));
  return {
    ...frame(colours),
    xAxis: wallAxis(colours, to - span, to),
    yAxis: valueAxis(colours, { name: "rows per second", label: formatCompact, of: "rate" }),
    tooltip: wallTip(colours, (rate) => `${formatRate(rate)} rows/s`),
    series: [...series, gapArea(colours, drawn)],
  };
}
