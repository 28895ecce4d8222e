import { type ComponentProps, lazy, Suspense, useMemo, useState } from "react";
import type { Chart as DrawnChart } from "../../components/Chart";
import { Choices } from "../../components/Choices";
import { OutcomeMark } from "../../components/Glyph";
import { Empty } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { formatCount } from "../../lib/numbers";
import { useTheme } from "../../lib/theme";
import { eventLag } from "../../model/history";
import { quantileWords, shownBuckets, sumBuckets } from "../../model/lateness";
import { OUTCOME_WORDS } from "../../model/outcomes";
import { binWidth } from "../../model/rates";
import { formatInstant, formatSpan } from "../../model/ticks";
import type { ChartSpan } from "./axes";
import { frontierLines, frontierOption, inputIds, lagLines, lagOption } from "./frontierChart";
import { LineLegend } from "./Legend";
import { latenessOption } from "./latenessChart";
import { outcomesOption, shownOutcomes } from "./outcomesChart";

const LazyChart = lazy(async () => ({ default: (await import("../../components/Chart")).Chart }));

/** A chart, in whose place there is room while its library is loaded. */
function Chart(shown: ComponentProps<typeof DrawnChart>) {
  return (
    <Suspense fallback={<div className="chart" aria-busy="true" />}>
      <LazyChart {...shown} />
    </Suspense>
  );
}

/** The options of a chart depend on the theme's colours, so a change of theme makes them anew. */
function useThemed<T>(make: () => T, inputs: readonly unknown[]): T {
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `make` is a function of `inputs` and of the theme's tokens
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
      note={`Stacked: the top is ${lateOnly === "all" ? "what was received" : "what was not in time"}. Each bar is the mean of ${formatSpan(binWidth(span))} of wall clock.`}
      actions={
        <Choices
          label="Outcomes shown"
          options={[
            ["all", "All"],
            ["late", "Only not in time"],
          ]}
          value={lateOnly}
          onChange={setLateOnly}
        />
      }
    >
      {outcomes.length === 0 ? (
        <Empty title="Every row so far was in time.">
          <p>Rows that are adjusted, dropped or malformed appear here.</p>
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
      if (start === null || start === undefined) return `${id}: nothing seen yet.`;
      const cti = input?.ended
        ? "ended"
        : input?.cti === null || input?.cti === undefined
          ? "none yet"
          : formatInstant(input.cti);
      return `${id}: largest start ${formatInstant(start)}, CTI ${cti}.`;
    })
    .join(" ");
  return (
    <Panel title="CTI against the largest start" note="Everything below C is final. A flat C holds results back.">
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
      return `${id}: ${lag === null ? "not known" : formatSpan(lag)}.`;
    })
    .join(" ");
  return (
    <Panel title="CTI lag" note="M − C: how much event time of each input is not yet final.">
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
  const words = `Half of the late rows: ${quantileWords(counts, 0.5)}. 95 %: ${quantileWords(counts, 0.95)}. 99 %: ${quantileWords(counts, 0.99)}.`;
  return (
    <Panel
      title="Lateness of late rows"
      note={buckets.length === 0 ? "C minus the row's own time." : <span className="figures">{words}</span>}
    >
      {buckets.length === 0 ? (
        <Empty title="No row has been late.">
          <p>Rows that come after a CTI has passed their time are counted here by how late they were.</p>
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
