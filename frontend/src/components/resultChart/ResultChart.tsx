import { HeatmapChart } from "echarts/charts";
import { VisualMapContinuousComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { useId, useMemo, useState } from "react";
import { useTheme } from "../../lib/browser/theme";
import { chartTitle, pointWords, rowsWords, STATE_WORDS } from "../../messages/results/chartWords";
import type { ChartResponse } from "../../model/api";
import { type ChartDefinition, groupsOf, numberText, stateOf } from "../../model/results/chart";
import { Chart } from "../charts/Chart";
import { chartOption } from "./chartOptions";
import { pointPalette, seriesColour } from "./pointStyles";
import "./resultChart.css";

echarts.use([HeatmapChart, VisualMapContinuousComponent]);

interface ResultChartProps {
  definition: ChartDefinition;
  chart: ChartResponse;
}

function Legend({ chart, kind }: { chart: ChartResponse; kind: ChartDefinition["kind"] }) {
  const palette = pointPalette();
  const groups = kind === "heat" ? [] : groupsOf(chart);
  const states = new Set(chart.points.map(stateOf));
  const dropped = chart.points.some((point) => (point.dropped ?? 0) > 0);
  const unknown = chart.points.some((point) => point.dropped === null);
  return (
    <ul className="chart-legend">
      {groups.length < 2
        ? null
        : groups.map((group, index) => (
            <li key={group}>
              <span className="key" style={{ background: seriesColour(palette, index) }} /> {group ?? "null"}
            </li>
          ))}
      {[...states].map((state) => (
        <li key={state}>
          <span className="key" data-state={state} /> {STATE_WORDS[state]}
        </li>
      ))}
      {dropped ? (
        <li>
          <span className="key" data-state="dropped" /> dropped that belonged here
        </li>
      ) : null}
      {unknown ? (
        <li>
          <span className="key" data-state="unknown" /> dropped rows not known
        </li>
      ) : null}
    </ul>
  );
}

/** Steps along the points by keyboard, with everything about the point in words. */
function PointReader({ chart, at, onMove }: { chart: ChartResponse; at: number; onMove: (at: number) => void }) {
  const id = useId();
  const point = chart.points[at];
  const words = point === undefined ? "" : pointWords(chart, point);
  return (
    <div className="point-reader">
      <label htmlFor={id}>Point</label>
      <input
        id={id}
        type="range"
        min={0}
        max={chart.points.length - 1}
        value={at}
        aria-valuetext={words}
        onChange={(event) => onMove(Number(event.target.value))}
      />
      <output htmlFor={id} className="figures">
        {words}
      </output>
    </div>
  );
}

function SingleValue({ chart }: { chart: ChartResponse }) {
  const [point] = chart.points;
  if (point === undefined) return null;
  return (
    <div className="single-value">
      <strong className="figures">{point.value === null ? "no value" : numberText(point.value)}</strong>
      <span data-state={(point.dropped ?? 0) > 0 ? "dropped" : stateOf(point)}>
        {pointWords(chart, point).split(" · ").slice(1).join(" · ")}
      </span>
    </div>
  );
}

/** The points of a chart as a picture; the table below has the same points as text. */
export function ResultChart({ definition, chart }: ResultChartProps) {
  const theme = useTheme();
  const { kind } = definition;
  const [moved, setMoved] = useState<number | null>(null);
  const at = Math.min(moved ?? chart.points.length - 1, chart.points.length - 1);
  const chosen = moved === null ? undefined : chart.points[at];
  const option = useMemo(() => {
    void theme; // a change of theme changes the colours
    return kind === "value" || kind === "table" ? null : chartOption(kind, { chart, palette: pointPalette(), chosen });
  }, [kind, chart, chosen, theme]);
  if (kind === "table") return null;
  if (option === null) return <SingleValue chart={chart} />;
  return (
    <>
      <Legend chart={chart} kind={kind} />
      <div className="result-chart">
        <Chart key={`${kind} ${chart.axis}`} option={option} label={`${chartTitle(definition)}: ${rowsWords(chart)}`} />
      </div>
      <PointReader chart={chart} at={at} onMove={setMoved} />
    </>
  );
}
