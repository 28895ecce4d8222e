import { useEffect } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import { Empty, ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { LiveTabs } from "../../../components/page/LiveTabs";
import { PageHead } from "../../../components/page/PageHead";
import { Panel } from "../../../components/page/Panel";
import { PointsTable } from "../../../components/resultChart/PointsTable";
import { ResultChart } from "../../../components/resultChart/ResultChart";
import { useSlug } from "../../../lib/account/session";
import { counted } from "../../../lib/numbers";

import { chartNotes, chartTitle, rowsWords } from "../../../messages/results/chartWords";
import type { ChartResponse } from "../../../model/api";
import { type ChartDefinition, chartOf, chartParams, usualMeasure } from "../../../model/results/chart";
import { ChartControls } from "./ChartControls";
import { ExportPanel } from "./ExportPanel";
import { useBindingShown, useChart } from "./requests";
import "./resultCharts.css";

function NoRows({ chart }: { chart: ChartResponse }) {
  return chart.rows_stored === 0 ? (
    <Empty title="No results yet">
      <p>Results appear when the CTI passes, for example, the end of their window.</p>
    </Empty>
  ) : (
    <Empty title="No results for this filter and range">
      <p>
        This output has {counted(chart.rows_stored, "stored result")}. Remove a filter, or choose a longer range or all
        runs.
      </p>
    </Empty>
  );
}

interface FiguresProps {
  binding: string;
  definition: ChartDefinition;
  chart: ChartResponse;
}

function Figures({ binding, definition, chart }: FiguresProps) {
  const notes = chartNotes(chart);
  const title = chartTitle(definition);
  return (
    <div className="results-layout">
      <div className="stack">
        <Panel title={title} note={rowsWords(chart)}>
          {chart.rows === 0 ? <NoRows chart={chart} /> : <ResultChart definition={definition} chart={chart} />}
          {notes.length === 0 ? null : (
            <ul className="chart-notes">
              {notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </ul>
          )}
        </Panel>
        {chart.rows === 0 ? null : (
          <Panel title="Points" note="The same points as text" flush>
            <PointsTable key={chartParams(definition).toString()} definition={definition} chart={chart} title={title} />
          </Panel>
        )}
      </div>
      <ExportPanel binding={binding} definition={definition} chart={chart} />
    </div>
  );
}

/** The results of a query over all its runs, as a chart, as a table and as files of the same definition. */
export function ResultsPage() {
  const { binding = "" } = useParams();
  const slug = useSlug();
  const [params, setParams] = useSearchParams();
  const definition = chartOf(params);
  const shown = useBindingShown(binding);
  const { data: chart, error, refetch, isPlaceholderData } = useChart(binding, definition);
  const put = (change: Partial<ChartDefinition>) =>
    setParams((known) => chartParams({ ...chartOf(known), ...change }), { replace: true });
  const undecided = !params.has("measure") && chart !== undefined && chart.rows_stored > 0;
  useEffect(() => {
    // an address without a measure gets the usual one of these columns
    if (!undecided || chart === undefined) return;
    const usual = usualMeasure(chart.columns, chartOf(new URLSearchParams(window.location.search)).run);
    setParams((known) => chartParams({ ...chartOf(known), ...usual }), { replace: true });
  }, [undecided, chart, setParams]);
  return (
    <div className="results-page">
      <PageHead
        title={shown.data === undefined ? "Results" : `Results of ${shown.data.name}`}
        crumb={{ to: `/t/${slug}/live/${binding}`, label: shown.data?.name ?? "Query" }}
        actions={
          shown.data?.latest_run ? (
            <Link className="button" to={`/t/${slug}/runs/${shown.data.latest_run.id}`}>
              Single results and late rows
            </Link>
          ) : undefined
        }
      />
      <LiveTabs binding={binding} />
      <ErrorNote error={shown.error} onRetry={() => void shown.refetch()} />
      <ChartControls binding={binding} definition={definition} chart={chart ?? null} onChange={put} />
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {error !== null && chart !== undefined ? (
        <Notice tone="unknown">
          <p>These are the last figures that could be computed.</p>
        </Notice>
      ) : null}
      {chart === undefined ? (
        error === null ? (
          <Waiting>Computing the chart…</Waiting>
        ) : null
      ) : (
        <div aria-busy={isPlaceholderData} className="results-figures">
          <Figures binding={binding} definition={definition} chart={chart} />
        </div>
      )}
    </div>
  );
}
