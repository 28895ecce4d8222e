import { useState } from "react";
import { counted, formatCount } from "../../lib/numbers";
import { droppedWords, STATE_WORDS } from "../../messages/results/chartWords";
import type { ChartPoint, ChartResponse } from "../../model/api";
import { type ChartDefinition, numberText, positionText, stateOf, withoutDrops } from "../../model/results/chart";
import { Scroll } from "../page/Scroll";
import "./resultChart.css";

const FIRST_ROWS = 100;

function stateOfCompleteness({ dropped, provisional }: ChartPoint): "unknown" | "dropped" | "open" | "whole" {
  if (dropped === null) return "unknown";
  if (dropped > 0) return "dropped";
  return provisional > 0 ? "open" : "whole";
}

function Completeness({ chart, point }: { chart: ChartResponse; point: ChartPoint }) {
  const whole = withoutDrops(chart, point);
  const state = stateOfCompleteness(point);
  const share = whole === null || Number(whole) <= 0 ? null : (100 * Number(point.dropped)) / Number(whole);
  return (
    <span className="completeness" data-state={state}>
      <span className="share" aria-hidden="true">
        {state === "dropped" ? <span style={{ width: `${Math.max(6, share ?? 25)}%` }} /> : null}
      </span>
      {droppedWords(point)}
      {whole === null || point.dropped === 0 ? "" : `, would have been ${numberText(whole)}`}
    </span>
  );
}

interface PointsTableProps {
  definition: ChartDefinition;
  chart: ChartResponse;
  title: string;
}

/** The points of a chart as text, newest first along time. */
export function PointsTable({ definition, chart, title }: PointsTableProps) {
  const [all, setAll] = useState(false);
  const ordered = chart.axis === "time" ? chart.points.toReversed() : chart.points;
  const shown = all ? ordered : ordered.slice(0, FIRST_ROWS);
  const grouped = definition.group !== "" && chart.axis !== "none";
  return (
    <>
      <Scroll label="Table of the points" tall>
        <table className="dense">
          <thead>
            <tr>
              {chart.axis === "none" ? null : <th>{chart.axis === "time" ? `${definition.x} (UTC)` : definition.x}</th>}
              {grouped ? <th>{definition.group}</th> : null}
              <th className="num">{title}</th>
              <th className="num">Results</th>
              <th>State</th>
              <th>Dropped rows</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((point) => (
              <tr key={`${point.at} ${point.category} ${point.group}`}>
                {chart.axis === "none" ? null : <td className="nowrap">{positionText(chart, point) ?? "null"}</td>}
                {grouped ? <td>{point.group ?? <span className="quiet">null</span>}</td> : null}
                <td className="num">{point.value === null ? "no value" : numberText(point.value)}</td>
                <td className="num">{formatCount(point.rows)}</td>
                <td className="nowrap">
                  <span className="point-state" data-state={stateOf(point)}>
                    {STATE_WORDS[stateOf(point)]}
                  </span>
                  {point.incomplete > 0 ? <span className="quiet"> · may lack input</span> : null}
                </td>
                <td>
                  <Completeness chart={chart} point={point} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {shown.length < ordered.length ? (
        <p className="padded">
          <button type="button" className="button" onClick={() => setAll(true)}>
            Show all {counted(ordered.length, "point")}
          </button>
        </p>
      ) : null}
    </>
  );
}
