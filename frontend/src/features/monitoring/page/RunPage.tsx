import { lazy, Suspense, useState } from "react";
import { Link, useParams } from "react-router";
import { Choices } from "../../../components/actions/Choices";
import { FootprintsPanel } from "../../../components/dependencies/Footprints";
import { FixLinks } from "../../../components/notices/FixLinks";
import { Empty, ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { Anchor } from "../../../components/page/Anchor";
import { PageHead } from "../../../components/page/PageHead";
import { StopButton } from "../../../components/runControl/StopButton";
import { IsoInstant } from "../../../components/values/Instant";
import { DesiredMark, StateMark } from "../../../components/values/StateMark";
import { useReason, useSlug } from "../../../lib/account/session";
import { isGone } from "../../../lib/api/client";
import { type Connection, LOOKS_EVERY_S } from "../../../lib/api/eventStream";
import { useNow } from "../../../lib/now";
import { marksOf } from "../../../messages/run/journal";
import { hasIncompleteResults, startWords } from "../../../messages/run/startState";
import { throttledWords } from "../../../messages/run/throttling";
import { versionWords } from "../../../messages/run/versions";
import type {
  MendableRun,
  Observed,
  ProgressReport,
  RunEventResponse,
  RunResponse,
  RunState,
} from "../../../model/api";
import { type Freshness, freshnessTicks, recentBatches, staleWords } from "../../../model/run/freshness";
import { newestInSteps, type RunHistory } from "../../../model/run/history";
import { withoutClock } from "../../../model/run/noClock";
import { borderAfter, perSecond } from "../../../model/run/rates";
import { isOpen, OBSERVED_WORDS, whoActs } from "../../../model/run/states";
import { counted } from "../../../model/text/counts";
import { formatClock, formatInstant, type Ticks, ticksOf } from "../../../model/time/ticks";
import { ExecutedQuery } from "../changes/ExecutedQuery";
import { Charts } from "../charts/Charts";
import { gapsOf, hatchedWords } from "../charts/gaps";
import { WhatIfPanel } from "../charts/WhatIfPanel";
import { QuarantinePanel } from "../quarantine/QuarantinePanel";
import { RepairsPanel } from "../quarantine/RepairsPanel";
import { useRun } from "../requests";
import { OutputsPanel } from "../results/OutputsPanel";
import { ResultsPanel } from "../results/ResultsPanel";
import { Definitions } from "./Definitions";
import { FailuresPanel } from "./FailuresPanel";
import { InputsPanel } from "./InputsPanel";
import { JournalPanel } from "./JournalPanel";
import { useJournal } from "./journal";
import { type LiveRun, useLiveRun } from "./live";
import { RunTabs } from "./RunTabs";
import { StartSteps } from "./StartSteps";
import { Tiles } from "./Tiles";

/** Loaded when the run has ended. */
const StartAgain = lazy(async () => ({ default: (await import("../changes/StartAgain")).StartAgain }));
const VersionChange = lazy(async () => ({ default: (await import("../changes/VersionChange")).VersionChange }));
const MINUTE: Ticks = 60_000_000;
const SPANS: readonly (readonly [number, string])[] = [
  [MINUTE, "1 min"],
  [5 * MINUTE, "5 min"],
  [15 * MINUTE, "15 min"],
  [60 * MINUTE, "1 h"],
  [6 * 60 * MINUTE, "6 h"],
  [24 * 60 * MINUTE, "24 h"],
  [7 * 24 * 60 * MINUTE, "7 d"],
  [30 * 24 * 60 * MINUTE, "30 d"],
];

/** Return where the run executes. */
export function placeWords(run: Pick<RunResponse, "dedicated">): string {
  return run.dedicated ? "in a carrier of its own" : "in the shared carrier";
}

/** Return which runner carries the run, while it is active. */
function runnerWords(runner: MendableRun["runner"]): string {
  if (runner === null) return "";
  if (!runner.shared) return " of your organisation’s own runner";
  if (runner.others === 0) return " of a runner with no other organisation at present";
  const others = counted(runner.others, "other organisation");
  return ` of a runner shared with ${others}`;
}

function StateNotice({ state, run }: { state: RunState; run: MendableRun }) {
  const { observed, message, domain } = state;
  if (observed === "lost") {
    const since = ticksOf(state.changed_at);
    return (
      <Notice tone="unknown">
        <p>
          <strong>Unknown since {formatClock(since)}.</strong> {OBSERVED_WORDS.lost.meaning} Committed results are safe;
          the figures below are the last reported ones.
        </p>
        {message ? <p>{message}</p> : null}
      </Notice>
    );
  }
  if (message === null || message === "") return null;
  return (
    <Notice tone={OBSERVED_WORDS[observed].tone}>
      <p>
        <strong>{message}</strong>
      </p>
      {observed === "failed" ? <p>{whoActs(domain)}</p> : null}
      {observed === "failed" && domain === "user" ? <FixLinks targets={run.mend} /> : null}
    </Notice>
  );
}

/** A note on a run that started without the previous state. Shown permanently, because it affects the first results. */
function StartNotice({ report }: { report: ProgressReport }) {
  const { beginning, reading_again } = report;
  if (!beginning) return null;
  if (beginning.took_over) return null; // the panel of the version change explains this
  return (
    <Notice tone={hasIncompleteResults(beginning) ? "unknown" : "busy"}>
      <p>
        <strong>{startWords(beginning)}</strong> {beginning.sentence}
      </p>
      {reading_again ? <p>Still reading earlier rows again; new results follow afterwards.</p> : null}
    </Notice>
  );
}

function ThrottleNotice({ report }: { report: ProgressReport }) {
  const words = throttledWords(report);
  return words === null ? null : (
    <Notice tone="busy">
      <p>{words}</p>
    </Notice>
  );
}

/** Warn about stale figures; a live connection alone does not make them current. */
function Stale({ age, observed, freshness }: { age: Ticks; observed: Observed; freshness: Freshness }) {
  const words = staleWords(age, observed, freshness);
  return words === null ? null : (
    <Notice tone="unknown">
      <p>{words}</p>
    </Notice>
  );
}

interface ReportProps {
  report: ProgressReport;
  run: RunResponse;
  now: Ticks;
  observed: Observed;
}

/** Notes on the newest report, while the run is active. */
function ReportNotices({ report, run, now, observed }: ReportProps) {
  return (
    <>
      <ThrottleNotice report={report} />
      <Stale age={now - report.at} observed={observed} freshness={run.freshness} />
    </>
  );
}

function WithoutClock({ run, report }: { run: MendableRun; report: ProgressReport | null }) {
  return withoutClock(run.without_clock, report).map((each) => (
    <Notice key={each.node} tone="unknown">
      <p>
        <strong>This run can't produce results.</strong> {each.message}
      </p>
      <p>{each.remedy} Then start it again.</p>
      <FixLinks targets={run.mend} />
    </Notice>
  ));
}

function NotApart() {
  return (
    <Notice tone="unknown">
      <p>
        This run is from before runs were tracked separately. Its figures count from the first start of its binding.
        Some of its rows may be listed only under “All runs of this binding”.
      </p>
    </Notice>
  );
}

const NOT_LIVE: Record<Exclude<Connection, "live">, string> = {
  waiting: "Connecting to the live figures…",
  broken: "Disconnected: figures are not updating. Reconnecting…",
  full: `You or your organisation have too many live pages open, so this page updates every ${LOOKS_EVERY_S} s. Close some pages to get live updates.`,
};

function ConnectionNote({ connection, open }: { connection: Connection; open: boolean }) {
  if (connection === "live" || !open) return null;
  return (
    <span className="quiet small" role="status">
      {NOT_LIVE[connection]}
    </span>
  );
}

/** The query that the run executed, under its name at that time; the link leads to the current query. */
function ExecutedQueryName({ run }: { run: RunResponse }) {
  const slug = useSlug();
  const { binding_name, binding_name_now } = run;
  return (
    <>
      {run.query === null ? (
        <span title="This query was deleted. The executed version is shown below.">{run.query_name} (deleted)</span>
      ) : (
        <Link to={`/t/${slug}/queries/${run.query}`} title="Open the current query">
          {run.query_name}
        </Link>
      )}{" "}
      {versionWords(run.query_version)}
      {binding_name_now === binding_name ? null : ` · binding now named ${binding_name_now}`}
    </>
  );
}

function Head({ run, live }: { run: MendableRun; live: LiveRun }) {
  const slug = useSlug();
  const reason = useReason("operate");
  const { state, connection } = live;
  const open = isOpen(state);
  return (
    <>
      <PageHead
        title={run.binding_name}
        crumb={{ to: `/t/${slug}/runs`, label: "Runs" }}
        beside={
          <>
            <StateMark observed={state.observed} since={state.changed_at} />
            {open ? <DesiredMark desired={state.desired} /> : null}
            <ConnectionNote connection={connection} open={open} />
          </>
        }
        actions={
          open && state.desired === "running" ? (
            <StopButton binding={run.binding} name={run.binding_name} reason={reason} />
          ) : !open ? (
            <Suspense fallback={<Waiting>Loading…</Waiting>}>
              <StartAgain binding={run.binding} name={run.binding_name} />
            </Suspense>
          ) : undefined
        }
      />
      <p className="quiet small">
        <ExecutedQueryName run={run} /> · {placeWords(run)}
        {runnerWords(run.runner)} · started <IsoInstant iso={run.created_at} /> by {run.started_by ?? "the system"}
        {state.ended_at === null ? null : (
          <>
            {" "}
            · ended <IsoInstant iso={state.ended_at} />
          </>
        )}
      </p>
      <RunTabs run={run.id} />
      {state.message !== null && state.message === live.history.latest?.beginning?.sentence ? null : (
        <StateNotice state={state} run={run} />
      )}
      {open ? <WithoutClock run={run} report={live.history.latest} /> : null}
    </>
  );
}

function NoFigures({ state, now }: { state: RunState; now: Ticks }) {
  const open = isOpen(state);
  return (
    <div className="panel">
      <Empty
        title={open ? "No figures yet: they appear with the first batch" : "This run ended before its first report"}
      >
        {open ? (
          <StartSteps steps={state.steps ?? []} now={now} />
        ) : (
          <p>See the reason above. Fix it, then start again.</p>
        )}
      </Empty>
    </div>
  );
}

/** The recent interval between batches, while the run is active. */
function LatelyWords({ history, moving, now }: { history: RunHistory; moving: boolean; now: Ticks }) {
  return moving ? `; ${recentBatches(history.samples, now)}` : null;
}

/** Return the right edge of the charts; for an ended run, its end if that is close to its last report. */
function shownUntil(state: RunState, newest: Ticks, { now, span }: { now: Ticks; span: Ticks }): Ticks {
  if (state.ended_at === null) return Math.max(now, newest);
  const ended = ticksOf(state.ended_at);
  return borderAfter(ended - newest < span / 10 ? Math.max(ended, newest) : newest, span);
}

interface FiguresProps {
  run: RunResponse;
  live: LiveRun;
  now: Ticks;
  span: Ticks;
  onSpan: (span: Ticks) => void;
  events: readonly RunEventResponse[];
}

function Figures({ run, live, now, span, onSpan, events }: FiguresProps) {
  const { state, connection, unread } = live;
  const history = { ...live.history, freshness: freshnessTicks(run.freshness) };
  const { latest } = history;
  const moving = isMoving(state);
  const newest = history.samples.at(-1)?.at ?? now;
  const open = isOpen(state);
  const to = shownUntil(state, newest, { now, span });
  const liveUntil = moving && connection === "live" ? now : newest;
  const since = ticksOf(run.created_at);
  const drawn = { ...history, samples: newestInSteps(history.samples, live.step) };
  const rates = perSecond(drawn.samples, to, span, history.freshness);
  const gaps = gapsOf({ history, since, from: to - span, to: open ? to : newest, liveUntil });
  const hatched = hatchedWords(gaps);
  const marks = marksOf(events, to - span, to);
  if (latest === null) return <NoFigures state={state} now={now} />;
  return (
    <>
      {moving ? <ReportNotices report={latest} run={run} now={now} observed={state.observed} /> : null}
      <StartNotice report={latest} />
      {latest.of_run ? null : <NotApart />}
      <Tiles history={history} now={to} rates={open ? null : rates} />
      <div className="row">
        <Choices label="Time range of the charts" options={SPANS} value={span} onChange={onSpan} />
        <span className="quiet small figures">
          last report {formatInstant(Math.floor(newest / 1_000_000) * 1_000_000)}, batch {latest.batch}
          <LatelyWords history={history} moving={moving} now={now} />
        </span>
      </div>
      {unread === null ? null : <ErrorNote error={unread} />}
      {hatched === null ? null : <p className="quiet small">{hatched}</p>}
      <Charts history={drawn} to={to} span={span} gaps={gaps} marks={marks} />
      <Anchor id="what-if">
        <WhatIfPanel run={run} report={latest} />
      </Anchor>
      <InputsPanel report={latest} />
      <FailuresPanel report={latest} />
    </>
  );
}

function isMoving(state: RunState): boolean {
  return isOpen(state) && state.observed !== "lost" && state.observed !== "recovering";
}

function Live({ run }: { run: MendableRun }) {
  const [span, setSpan] = useState<Ticks>(5 * MINUTE);
  const live = useLiveRun(run, span);
  const { history, state } = live;
  const now = useNow(1_000, isOpen(state)) - live.ahead;
  const journal = useJournal(run.id, `${state.changed_at} ${state.desired} ${state.message}`);
  const events = journal.data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <>
      <Head run={run} live={live} />
      <Suspense>
        <VersionChange run={run} open={isOpen(state) && state.desired === "running"} />
      </Suspense>
      <Figures run={run} live={live} now={now} span={span} onSpan={setSpan} events={events} />
      <JournalPanel pages={journal} />
      <FootprintsPanel binding={run.binding} />
      <ResultsPanel run={run} total={history.latest?.results ?? 0} />
      <OutputsPanel run={run} />
      <RepairsPanel binding={run.binding} run={run.id} />
      <Anchor id="quarantine">
        <QuarantinePanel run={run} total={history.latest?.quarantined ?? 0} />
      </Anchor>
      <ExecutedQuery run={run} />
      <Definitions />
    </>
  );
}

/** A live run: state, figures, results, quarantine. */
export function RunPage() {
  const { run: id = "" } = useParams();
  const run = useRun(id);
  if (run.isPending) return <Waiting>Loading the run…</Waiting>;
  if (run.data === undefined || isGone(run.error))
    return <ErrorNote error={run.error} onRetry={() => void run.refetch()} />;
  return <Live key={run.data.id} run={run.data} />;
}
