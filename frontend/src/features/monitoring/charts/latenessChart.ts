import type { EChartsOption } from "echarts";
import { tip } from "../../../components/charts/tip";
import { token } from "../../../lib/browser/theme";
import { counted, formatCompact } from "../../../lib/numbers";
import { type Bucket, bucketWords } from "../../../model/run/lateness";
import { formatSpan } from "../../../model/time/ticks";
import { stepsBetween } from "../../../model/time/timeSteps";
import { frame, palette, valueAxis } from "./axes";

/** A histogram of lateness: each bar spans twice the time of the previous one, axis marks are round times. */
export function latenessOption(buckets: readonly Bucket[]): EChartsOption {
  const colours = palette();
  const first = buckets[0]?.index ?? 0;
  const marks = stepsBetween(2 ** first, 2 ** (first + buckets.length)).map(Math.log2);
  return {
    ...frame(colours),
    xAxis: {
      type: "value",
      min: first,
      max: first + buckets.length,
      name: "lateness",
      nameLocation: "middle",
      nameGap: 26,
      nameTextStyle: { color: colours.quiet, fontSize: 12 },
      axisLabel: {
        color: colours.quiet,
        fontSize: 12,
        hideOverlap: true,
        customValues: marks,
        formatter: (place: number) => formatSpan(Math.round(2 ** place)),
      },
      axisTick: { show: true, customValues: marks, lineStyle: { color: colours.line } },
      axisLine: { lineStyle: { color: colours.line } },
      splitLine: { show: false },
    },
    yAxis: valueAxis(colours, { name: "late rows", label: formatCompact, of: "count" }),
    tooltip: {
      trigger: "axis",
      confine: true,
      backgroundColor: colours.surface,
      borderColor: colours.line,
      textStyle: { color: colours.ink, fontSize: 12 },
      formatter: (params: unknown) => {
        const [first] = (Array.isArray(params) ? params : [params]) as { dataIndex?: number }[];
        const bucket = buckets[first?.dataIndex ?? -1];
        if (bucket === undefined) return "";
        return tip([`late by ${bucketWords(bucket)}`], [{ name: "", value: counted(bucket.count, "row") }]);
      },
    },
    series: [
      {
        id: "lateness",
        name: "late rows",
        type: "bar",
        barWidth: "92%",
        itemStyle: { color: token("--accent") },
        data: buckets.map((bucket) => [bucket.index + 0.5, bucket.count]),
      },
    ],
  };
}
