import { useEffect, useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import { Choices } from "../../../components/actions/Choices";
import { ErrorNote, Waiting } from "../../../components/notices/Notices";
import { LiveTabs } from "../../../components/page/LiveTabs";
import { PageHead } from "../../../components/page/PageHead";
import { StateMark, ToneMark } from "../../../components/values/StateMark";
import { useSlug } from "../../../lib/account/session";
import type { DashboardResponse } from "../../../model/api";
import { CONDITION_WORDS } from "../../../model/live/conditions";
import {
  contextOf,
  type PageRange,
  RANGES,
  type RangeSeconds,
  rangeOf,
  rangeParams,
  rangeShown,
  spanOf,
} from "../../../model/live/ranges";
import { tagsText } from "../../../model/live/tags";
import { formatClock, ticksOf } from "../../../model/time/ticks";
import { NoteButton } from "../notes/NoteButton";
import { NotesScope } from "../notes/NoteMarks";
import { NotesPanel } from "../notes/NotesPanel";
import { useNoteList } from "../notes/requests";
import { Brush } from "./Brush";
import { BudgetLines } from "./BudgetLine";
import { CompareChoice, useComparison } from "./comparison";
import { CrosshairScope, useCrosshair } from "./crosshair";
import { DeliveriesPanel, LanesPanel, RunsPanel } from "./DashboardTables";
import { DashboardTiles } from "./DashboardTiles";
import { HeatmapCharts } from "./HeatmapChart";
import { LagPartsChart } from "./LagPartsChart";
import { LanesCharts } from "./LanesChart";
import { OutcomesChart } from "./OutcomesChart";
import { Readout, spanWords } from "./Readout";
import { useRangeKeys } from "./rangeKeys";
import { useDashboard, useDetails, useOtherFigures } from "./requests";
import { VerdictStrip } from "./VerdictStrip";
import { WhatIf } from "./whatIf/WhatIfChart";
import "./dashboard.css";

function Head({ shown }: { shown: DashboardResponse }) {
  const slug = useSlug();
  const [worst] = shown.findings;
  const words = worst === undefined ? null : CONDITION_WORDS[worst.condition];
  const tone = words?.tone === "urgent" ? "bad" : words?.tone;
  return (
    <PageHead
      title={shown.name}
      crumb={{ to: `/t/${slug}`, label: "Live" }}
      beside={
        <>
          {shown.observed === null ? null : <StateMark observed={shown.observed} />}
          {words === null || tone === undefined ? null : <ToneMark tone={tone} label={words.label} />}
          <span className="quiet small">
            {shown.query_name} v{shown.version}
            {shown.owner === null ? "" : ` · ${shown.owner}`}
            {shown.tags.length === 0 ? "" : ` · ${tagsText(shown.tags)}`}
          </span>
        </>
      }
      actions={
        <>
          <Link className="button" to={`/t/${slug}/queries/${shown.query}`}>
            Edit query
          </Link>
          <Link className="button" to={`/t/${slug}/bindings/${shown.binding}`}>
            Settings
          </Link>
          {shown.run === null ? null : (
            <Link className="button" data-kind="primary" to={`/t/${slug}/runs/${shown.run}`}>
              Results and late rows
            </Link>
          )}
        </>
      }
    />
  );
}

/** A note at the crosshair, or now. */
function NoteHere({ shown }: { shown: DashboardResponse }) {
  const at = useCrosshair();
  return <NoteButton binding={shown.binding} at={() => at ?? ticksOf(new Date())} />;
}

interface FiguresProps {
  shown: DashboardResponse;
  range: PageRange;
  stale: boolean;
  onRange: (range: PageRange) => void;
}

function withComparison(params: URLSearchParams, choice: string): URLSearchParams {
  if (choice === "") params.delete("compare");
  else params.set("compare", choice);
  return params;
}

function Figures({ shown, range, stale, onRange }: FiguresProps) {
  const [params, setParams] = useSearchParams();
  const around = useOtherFigures(shown.binding, { seconds: contextOf(range, shown.now) }).data;
  const details = useDetails(shown.binding, range);
  const notes = useNoteList(shown.binding, shown);
  const { choices, chosen, compared } = useComparison(shown, around, params.get("compare"));
  useRangeKeys(shown, range, onRange);
  const compare = (choice: string) => setParams((known) => withComparison(known, choice), { replace: true });
  return (
    <CrosshairScope>
      <VerdictStrip shown={shown} />
      <BudgetLines binding={shown.binding} />
      {around === undefined ? null : <Brush around={around} selected={spanOf(range, shown.now)} onSelect={onRange} />}
      <div className="dashboard-bar">
        <Choices
          label="Time range of all charts"
          options={RANGES}
          value={"seconds" in range ? range.seconds : 0}
          onChange={(seconds) => onRange({ seconds: seconds as RangeSeconds })}
        />
        <CompareChoice choices={choices} chosen={chosen} onChange={compare} />
        <span className="as-of figures" data-stale={stale || undefined}>
          {stale ? "last known " : ""}
          {"seconds" in range ? formatClock(shown.now).replace("Z", " UTC") : spanWords(shown)}
        </span>
        <NoteHere shown={shown} />
        <Readout shown={shown} details={details.data} />
      </div>
      <DashboardTiles shown={shown} />
      <ErrorNote error={details.error} onRetry={() => void details.refetch()} />
      <NotesScope notes={notes.data?.annotations ?? []}>
        <div className="dashboard-charts">
          <OutcomesChart shown={shown} compared={compared} />
          {details.data === undefined ? null : (
            <>
              <HeatmapCharts shown={shown} details={details.data} compared={compared} />
              <LagPartsChart shown={shown} details={details.data} compared={compared} />
              <LanesCharts shown={shown} details={details.data} />
            </>
          )}
          <div className="wide-chart">
            <WhatIf name={shown.name} binding={shown.binding} range={range} />
          </div>
        </div>
      </NotesScope>
      <LanesPanel shown={shown} />
      <NotesPanel notes={notes} />
      <DeliveriesPanel shown={shown} />
      <RunsPanel shown={shown} />
    </CrosshairScope>
  );
}

/** A live query over all its runs and versions: can the numbers be trusted, since when not, who is to blame. */
export function DashboardPage() {
  const { binding = "" } = useParams();
  const [params, setParams] = useSearchParams();
  const [usual, setUsual] = useState<Readonly<Record<string, PageRange>>>({});
  const range = rangeOf(params) ?? usual[binding] ?? null;
  const { data: shown, error, refetch } = useDashboard(binding, range);
  useEffect(() => {
    // the range that the server chose stays while the page is open
    if (range === null && shown?.binding === binding) setUsual((known) => ({ ...known, [binding]: rangeShown(shown) }));
  }, [range, shown, binding]);
  const onRange = (next: PageRange) => {
    const compare = params.get("compare");
    setParams({ ...rangeParams(next), ...(compare !== null && { compare }) }, { replace: true });
  };
  return (
    <div className="home">
      {shown === undefined ? null : <Head shown={shown} />}
      <LiveTabs binding={binding} />
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {shown === undefined ? (
        error === null ? (
          <Waiting>Loading the figures…</Waiting>
        ) : null
      ) : (
        <Figures shown={shown} range={range ?? rangeShown(shown)} stale={error !== null} onRange={onRange} />
      )}
    </div>
  );
}
