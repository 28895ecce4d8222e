import { lazy, Suspense, useState } from "react";
import { Link, useParams } from "react-router";
import { Choices } from "../../components/Choices";
import { FootprintsPanel } from "../../components/Footprints";
import { IsoInstant } from "../../components/Instant";
import { MendLinks } from "../../components/MendLinks";
import { Empty, ErrorNote, Notice, Waiting } from "../../components/Notices";
import { PageHead } from "../../components/PageHead";
import { DesiredMark, StateMark } from "../../components/StateMark";
import { StopButton } from "../../components/StopButton";
import { isGone } from "../../lib/api";
import { type Connection, LOOKS_EVERY_S } from "../../lib/eventStream";
import { useNow } from "../../lib/now";
import { useReason, useSlug } from "../../lib/session";
import type { MendableRun, Observed, ProgressReport, RunEventShown, RunShown, RunState } from "../../model/api";
import { beganWords, lacksSome } from "../../model/beginning";
import { counted } from "../../model/counts";
import { type Freshness, freshnessTicks, recentBatches, staleWords } from "../../model/freshness";
import { heldBackWords } from "../../model/heldBack";
import type { RunHistory } from "../../model/history";
import { marksOf } from "../../model/journal";
import { withoutClock } from "../../model/noClock";
import { borderAfter } from "../../model/rates";
import { isOpen, OBSERVED_WORDS, whoActs } from "../../model/states";
import { formatClock, formatInstant, type Ticks, ticksOf } from "../../model/ticks";
import { versionWords } from "../../model/versions";
import { Charts } from "./Charts";
import { Definitions } from "./Definitions";
import { FailuresPanel } from "./FailuresPanel";
import { gapsOf, hatchedWords } from "./gaps";
import { InputsPanel } from "./InputsPanel";
import { JournalPanel } from "./JournalPanel";
import { useJournal } from "./journal";
import { type LiveRun, useLiveRun } from "./live";
import { OutputsPanel } from "./OutputsPanel";
import { QuarantinePanel } from "./QuarantinePanel";
import { RepairsPanel } from "./RepairsPanel";
import { ResultsPanel } from "./ResultsPanel";
import { RunTabs } from "./RunTabs";
import { useRun } from "./requests";
import { StartSteps } from "./StartSteps";
import { Tiles } from "./Tiles";
import { WhatIfPanel } from "./WhatIfPanel";
import { WhatRan } from "./WhatRan";

/** Loaded where the run has ended. */
const StartAgain = lazy(async () => ({ default: (await import("./StartAgain")).StartAgain }));
const VersionChange = lazy(async () => ({ default: (await import("./VersionChange")).VersionChange }));
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

/** Where it runs, in words. */
export function placeWords(run: Pick<RunShown, "dedicated">): string {
  return run.dedicated ? "in a carrier of its own" : "in the shared carrier";
}

/** Which runner carries it, in words, while it has not ended. */
function runnerWords(runner: MendableRun["runner"]): string {
  if (runner === null) return "";
  if (!runner.shared) return " of the organisation’s own runner";
  if (runner.others === 0) return " of a runner that no other organisation uses now";
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
          the figures below are the last that were reported.
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
      {observed === "failed" && domain === "user" ? <MendLinks targets={run.mend} /> : null}
    </Notice>
  );
}

/** How a run began that has not the state of the one before: for good, for its first rows hang on it. */
function Began({ report }: { report: ProgressReport }) {
  const { beginning, reading_again } = report;
  if (!beginning) return null;
  if (beginning.took_over) return null; // that is said of the change of versions
  return (
    <Notice tone={lacksSome(beginning) ? "unknown" : "busy"}>
      <p>
        <strong>{beganWords(beginning)}</strong> {beginning.sentence}
      </p>
      {reading_again ? <p>It is still reading what was read before; new results come after that.</p> : null}
    </Notice>
  );
}

function HeldBack({ report }: { report: ProgressReport }) {
  const words = heldBackWords(report);
  return words === null ? null : (
    <Notice tone="busy">
      <p>{words}</p>
    </Notice>
  );
}

/** A connection that lives says nothing of figures that stand still. */
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
  run: RunShown;
  now: Ticks;
  observed: Observed;
}

/** What the newest report says beside its figures, while the run goes on. */
function OfTheReport({ report, run, now, observed }: ReportProps) {
  return (
    <>
      <HeldBack report={report} />
      <Stale age={now - report.at} observed={observed} freshness={run.freshness} />
    </>
  );
}

function WithoutClock({ run, report }: { run: MendableRun; report: ProgressReport | null }) {
  return withoutClock(run.without_clock, report).map((each) => (
    <Notice key={each.node} tone="unknown">
      <p>
        <strong>This run gives no result as it is.</strong> {each.message}
      </p>
      <p>{each.remedy} Then start it again.</p>
      <MendLinks targets={run.mend} />
    </Notice>
  ));
}

function NotApart() {
  return (
    <Notice tone="unknown">
      <p>
        This run is from before runs were told apart: its figures count from the first start of its binding, and some of
        its rows may be listed under “All runs of this binding” alone.
      </p>
    </Notice>
  );
}

const NOT_LIVE: Record<Exclude<Connection, "live">, string> = {
  waiting: "Connecting to the live figures…",
  broken: "Not connected: figures stand still. Trying again…",
  full: `Too many pages are watched live at once, by you or in this organisation: this one looks every ${LOOKS_EVERY_S} s instead. Close some, and it is live again.`,
};

function ConnectionNote({ connection, open }: { connection: Connection; open: boolean }) {
  if (connection === "live" || !open) return null;
  return (
    <span className="quiet small" role="status">
      {NOT_LIVE[connection]}
    </span>
  );
}

/** What the run ran, under the names of its time; the link leads to the query as it is today. */
function Ran({ run }: { run: RunShown }) {
  const slug = useSlug();
  const { binding_name, binding_name_now } = run;
  return (
    <>
      {run.query === null ? (
        <span title="This query was deleted. What the run ran is kept below.">{run.query_name} (deleted)</span>
      ) : (
        <Link to={`/t/${slug}/queries/${run.query}`} title="The query as it is today">
          {run.query_name}
        </Link>
      )}{" "}
      {versionWords(run.query_version)}
      {binding_name_now === binding_name ? null : ` · the binding is called ${binding_name_now} now`}
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
        <Ran run={run} /> · {placeWords(run)}
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
        title={open ? "No figures yet: they come with the first batch." : "This run ended before its first report."}
      >
        {open ? (
          <StartSteps steps={state.steps ?? []} now={now} />
        ) : (
          <p>The message above says why. Mend it, then start again.</p>
        )}
      </Empty>
    </div>
  );
}

/** How often there were batches lately, while the run goes on. */
function LatelyWords({ history, moving, now }: { history: RunHistory; moving: boolean; now: Ticks }) {
  return moving ? `; ${recentBatches(history.samples, now)}` : null;
}

/** Up to when charts are drawn; of a run that has ended up to its end, to mark it, where that is near its last report. */
function shownUntil(state: RunState, newest: Ticks, { now, span }: { now: Ticks; span: Ticks }): Ticks {
  if (state.ended_at === null) return Math.max(now, newest);
  const ended = ticksOf(state.ended_at);
  return borderAfter(ended - newest < span / 10 ? Math.max(ended, newest) : newest, span);
}

interface FiguresProps {
  run: RunShown;
  live: LiveRun;
  now: Ticks;
  span: Ticks;
  onSpan: (span: Ticks) => void;
  events: readonly RunEventShown[];
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
  const gaps = gapsOf({ history, since, from: to - span, to: open ? to : newest, liveUntil });
  const hatched = hatchedWords(gaps);
  const marks = marksOf(events, to - span, to);
  if (latest === null) return <NoFigures state={state} now={now} />;
  return (
    <>
      {moving ? <OfTheReport report={latest} run={run} now={now} observed={state.observed} /> : null}
      <Began report={latest} />
      {latest.of_run ? null : <NotApart />}
      <Tiles history={history} now={to} />
      <div className="row">
        <Choices label="Time shown in the charts" options={SPANS} value={span} onChange={onSpan} />
        <span className="quiet small figures">
          last report {formatInstant(Math.floor(newest / 1_000_000) * 1_000_000)}, batch {latest.batch}
          <LatelyWords history={history} moving={moving} now={now} />
        </span>
      </div>
      {unread === null ? null : <ErrorNote error={unread} />}
      {hatched === null ? null : <p className="quiet small">{hatched}</p>}
      <Charts history={history} to={to} span={span} gaps={gaps} marks={marks} />
      <WhatIfPanel run={run} report={latest} />
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
      <QuarantinePanel run={run} total={history.latest?.quarantined ?? 0} />
      <WhatRan run={run} />
      <Definitions />
    </>
  );
}

/** A run as it happens: state, figures, results, quarantine. */
export function RunPage() {
  const { run: id = "" } = useParams();
  const run = useRun(id);
  if (run.isPending) return <Waiting>Loading the run…</Waiting>;
  if (run.data === undefined || isGone(run.error))
    return <ErrorNote error={run.error} onRetry={() => void run.refetch()} />;
  return <Live key={run.data.id} run={run.data} />;
}
