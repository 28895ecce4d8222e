import { useState } from "react";
import { ReasonedButton } from "../../../components/actions/Reasoned";
import { FaultList } from "../../../components/notices/FaultList";
import { ErrorNote, Notice, Waiting } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { OutcomeMark } from "../../../components/values/Glyph";
import { Instant } from "../../../components/values/Instant";
import { counted, formatCount, formatRate, formatShare } from "../../../lib/numbers";
import type { MeasuredInput, Preflight } from "../../../model/api";
import { OUTCOMES } from "../../../model/run/outcomes";
import { formatSpan } from "../../../model/time/ticks";
import { type Designer, useDesigner } from "../page/designer";
import { useExample } from "../page/example";
import { usePreflight } from "./requests";

function reasonAgainst({ sql, faults, known }: Designer, example: boolean): string | null {
  if (example)
    return "An example has no adapter to read rows from. Create a query that reads one of your streams instead.";
  if (sql === null) return "The text has errors. Fix them first.";
  if (known.some((fault) => fault.severity === "error")) return "Fix the errors first.";
  return faults === null ? "The query is still being checked." : null;
}

function Measured({ input }: { input: MeasuredInput }) {
  const { lateness, outcomes, first, last } = input;
  return (
    <section className="stack" aria-label={`Measurements of ${input.input}`}>
      <h3>{input.input}</h3>
      <dl className="facts">
        <dt>Rows</dt>
        <dd>
          {formatCount(input.rows)}
          {input.rows_per_s === null ? null : `, ${formatRate(input.rows_per_s)} per second of event time`}
        </dd>
        {first === null || last === null ? null : (
          <>
            <dt>Starts</dt>
            <dd>
              <Instant ticks={first} /> to <Instant ticks={last} />
            </dd>
          </>
        )}
        {lateness === null ? null : (
          <>
            <dt>Lateness</dt>
            <dd>
              half {formatSpan(lateness.p50)} or less, 95 % {formatSpan(lateness.p95)}, 99 % {formatSpan(lateness.p99)},
              all {formatSpan(lateness.largest)}
            </dd>
          </>
        )}
        <dt>{input.delay === null ? "With these CTIs" : `With the delay of ${formatSpan(input.delay)}`}</dt>
        <dd>
          <ul className="inline">
            {OUTCOMES.filter((outcome) => outcomes[outcome]).map((outcome) => (
              <li key={outcome}>
                <OutcomeMark outcome={outcome} /> {formatShare(outcomes[outcome] ?? 0, input.rows)}
              </li>
            ))}
          </ul>
        </dd>
      </dl>
    </section>
  );
}

function Found({ found }: { found: Preflight }) {
  return (
    <div className="stack">
      {found.faults.length > 0 ? (
        <FaultList faults={found.faults} />
      ) : (
        <Notice tone="good">
          <p>No problems found: {counted(found.inputs.length, "input")} read and measured.</p>
        </Notice>
      )}
      {found.inputs.map((input) => (
        <Measured key={input.input} input={input} />
      ))}
      <h3>Delay of results</h3>
      <ul>
        {found.waits.map((sentence) => (
          <li key={sentence}>{sentence.replaceAll("`", "")}</li>
        ))}
      </ul>
      {found.state.length > 0 ? (
        <>
          <h3>Estimated state, from the rate of these rows</h3>
          <ul>
            {found.state.map((each) => (
              <li key={each.node}>
                <code>{each.node}</code>: at most {each.text}
              </li>
            ))}
          </ul>
        </>
      ) : null}
      <p className="quiet">Based on the first rows; later rows may differ. Nothing was started or stored.</p>
    </div>
  );
}

/** Checks before a start: reads the first rows of each input and reports problems with their times. */
export function ValidationPanel() {
  const designer = useDesigner();
  const example = useExample();
  const preflight = usePreflight();
  const [asked, setAsked] = useState<string | null>(null);
  const validate = () => {
    if (designer.sql === null) return;
    setAsked(designer.sql);
    preflight.mutate(designer.sql);
  };
  const stale = preflight.data !== undefined && asked !== designer.sql;
  const button = (
    <ReasonedButton reason={reasonAgainst(designer, example !== null)} onClick={validate}>
      {preflight.isPending ? "Reading…" : preflight.data === undefined ? "Validate" : "Validate again"}
    </ReasonedButton>
  );
  return (
    <Panel
      title="Check before starting"
      note="Reads the first rows of each input and checks their times, the delay and the amount of state"
      actions={button}
    >
      <div aria-live="polite" className="stack">
        {preflight.isPending ? <Waiting>Reading the first rows of each input…</Waiting> : null}
        <ErrorNote error={preflight.error} />
        {stale ? (
          <p className="quiet">The query has changed since. These findings are for the previous version.</p>
        ) : null}
        {preflight.data === undefined || preflight.isPending ? null : <Found found={preflight.data} />}
      </div>
    </Panel>
  );
}
