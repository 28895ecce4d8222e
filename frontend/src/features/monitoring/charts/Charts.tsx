import { type ComponentProps, lazy, Suspense, useMemo, useState } from "react";
import { Choices } from "../../../components/actions/Choices";
import type { Chart as DrawnChart } from "../../../components/charts/Chart";
import { Empty } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { OutcomeMark } from "../../../components/values/Glyph";
import { useTheme } from "../../../lib/browser/theme";
import { formatCount } from "../../../lib/numbers";
import { eventLag } from "../../../model/run/history";
import { largestLateness, quantileWords, shownBuckets, sumBuckets } from "../../../model/run/lateness";
import { OUTCOME_WORDS } from "../../../model/run/outcomes";
import { binWidth } from "../../../model/run/rates";
import { formatInstant, formatSpan } from "../../../model/time/ticks";
import type { ChartSpan } from "./axes";
import { frontierLines, frontierOption, inputIds, lagLines, lagOption } from "./frontierChart";
import { LineLegend } from "./Legend";
import { latenessOption } from "./latenessChart";
import { outcomesOption, shownOutcomes } from "./outcomesChart";

const LazyChart = lazy(async () => ({ default: (await import("../../../components/charts/Chart")).Chart }));

/** A chart with a placeholder of the same size while its library loads. */
function Chart(shown: ComponentProps<typeof DrawnChart>) {
  return (
    <Suspense fallback={<div className="chart" aria-busy="true" />}>
      <LazyChart {...shown} />
    </Suspense>
  );
}

/** Compute chart options again when the theme changes, because they contain its colours. */
function useThemed<T>(make: () => T, inputs: readonly unknown[]): T {
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `make` depends on `inputs` and on the theme's tokens
  return useMemo(make, [theme, ...inputs]);
}

function OutcomesPanel(shown: ChartSpan) {
  const { history, to, span, gaps, marks } = shown;
  const [lateOnly, setLateOnly] = useState<"all" | "late">("all");
  const outcomes = shownOutcomes(history, lateOnly === "late");
  const option = useThemed(() => outcomesOption(shown, outcomes), [history, to, span, gaps, marks, lateOnly]);
  const totals = history.samples.at(-1)?.outcomes;
  const label = `Rows per second by outcome. Totals: ${outcomes
    .map((outcome) => `${OUTCOME_WORDS[outcome].label} ${formatCount(totals?.[outcome] ?? 0)}`)
    .join(", ")}.`;
  return (
    <Panel
      title="Rows per second by outcome"
      note={`Stacked; the top is all rows ${lateOnly === "all" ? "received" : "not on time"}. Each bar is the mean over ${formatSpan(binWidth(span))} of wall clock.`}
      actions={
        <Choices
          label="Outcomes"
          options={[
            ["all", "All"],
            ["late", "Not on time"],
          ]}
          value={lateOnly}
          onChange={setLateOnly}
        />
      }
    >
      {outcomes.length === 0 ? (
        <Empty title="All rows so far were on time">
          <p>Adjusted, dropped and malformed rows appear here.</p>
        </Empty>
      ) : (
        <>
          <Chart option={option} label={label} />
          <div className="legend">
            {outcomes.map((outcome) => (
              <OutcomeMark key={outcome} outcome={outcome} />
            ))}
          </div>
        </>
      )}
    </Panel>
  );
}

function FrontierPanel(shown: ChartSpan) {
  const { history, to, span, gaps, marks } = shown;
  const option = useThemed(() => frontierOption(shown), [history, to, span, gaps, marks]);
  const lines = useThemed(() => frontierLines(shown), [history, to, span, gaps, marks]);
  const newest = history.samples.at(-1);
  const label = inputIds(shown)
    .map((id) => {
      const input = newest?.inputs[id];
      const start = input?.largestStart;
      if (start === null || start === undefined) return `${id}: no rows yet.`;
      const cti = input?.ended
        ? "ended"
        : input?.cti === null || input?.cti === undefined
          ? "none yet"
          : formatInstant(input.cti);
      return `${id}: largest start ${formatInstant(start)}, CTI ${cti}.`;
    })
    .join(" ");
  return (
    <Panel title="CTI against the largest start" note="Everything before C is final. While C is flat, results wait.">
      <Chart option={option} label={`Event time against wall clock. ${label}`} />
      <LineLegend lines={lines} />
    </Panel>
  );
}

function LagPanel(shown: ChartSpan) {
  const { history, to, span, gaps, marks } = shown;
  const option = useThemed(() => lagOption(shown), [history, to, span, gaps, marks]);
  const lines = useThemed(() => lagLines(shown), [history, to, span, gaps, marks]);
  const newest = history.samples.at(-1);
  const label = inputIds(shown)
    .map((id) => {
      const lag = eventLag(newest?.inputs[id]);
      return `${id}: ${lag === null ? "unknown" : formatSpan(lag)}.`;
    })
    .join(" ");
  return (
    <Panel title="CTI lag" note="M − C: the event time of each input that is not final yet.">
      <Chart option={option} label={`Lag in event time. ${label}`} />
      <LineLegend lines={lines} />
    </Panel>
  );
}

function LatenessPanel({ history }: ChartSpan) {
  const counts = useMemo(
    () => sumBuckets(Object.values(history.latest?.inputs ?? {}).map((input) => input.lateness)),
    [history.latest],
  );
  const buckets = useMemo(() => shownBuckets(counts), [counts]);
  const option = useThemed(() => latenessOption(buckets), [buckets]);
  const largest = useMemo(() => largestLateness(Object.values(history.latest?.inputs ?? {})), [history.latest]);
  const quantile = (share: number) => quantileWords(counts, share, largest);
  const most = largest === null ? "" : ` Largest: ${formatSpan(largest)}.`;
  const words = `Half of the late rows: ${quantile(0.5)}. 95 %: ${quantile(0.95)}. 99 %: ${quantile(0.99)}.${most}`;
  return (
    <Panel
      title="Lateness of late rows"
      note={buckets.length === 0 ? "C minus the row's own time" : <span className="figures">{words}</span>}
    >
      {buckets.length === 0 ? (
        <Empty title="No late rows">
          <p>Rows that arrive after the CTI has passed their time appear here by lateness.</p>
        </Empty>
      ) : (
        <Chart option={option} label={`Histogram of lateness. ${words}`} />
      )}
    </Panel>
  );
}

/** The four charts of a run. */
export function Charts(shown: ChartSpan) {
  return (
    <div className="two">
      <OutcomesPanel {...shown} />
      <LatenessPanel {...shown} />
      <FrontierPanel {...shown} />
      <LagPanel {...shown} />
    </div>
  );
}
