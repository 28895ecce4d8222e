import { useState } from "react";
import { FaultList } from "../../../components/FaultList";
import { OutcomeMark } from "../../../components/Glyph";
import { Instant } from "../../../components/Instant";
import { ErrorNote, Notice, Waiting } from "../../../components/Notices";
import { Panel } from "../../../components/Panel";
import { ReasonedButton } from "../../../components/Reasoned";
import { counted, formatCount, formatRate, formatShare } from "../../../lib/numbers";
import type { MeasuredInput, Preflight } from "../../../model/api";
import { OUTCOMES } from "../../../model/outcomes";
import { formatSpan } from "../../../model/ticks";
import { type Designer, useDesigner } from "../page/designer";
import { useExample } from "../page/example";
import { usePreflight } from "./requests";

function reasonAgainst({ sql, faults, known }: Designer, example: boolean): string | null {
  if (example)
    return "An example has no adapter from which rows could be read. Let it read a stream of yours in a query of your own.";
  if (sql === null) return "The text cannot be read. Mend it first.";
  if (known.some((fault) => fault.severity === "error")) return "Mend the faults first.";
  return faults === null ? "The query is still being checked." : null;
}

function Measured({ input }: { input: MeasuredInput }) {
  const { lateness, outcomes, first, last } = input;
  return (
    <section className="stack" aria-label={`What was measured of ${input.input}`}>
      <h3>{input.input}</h3>
      <dl className="facts">
        <dt>Rows</dt>
        <dd>
          {formatCount(input.rows)}
          {input.rows_per_s === null ? null : `, ${formatRate(input.rows_per_s)} a second of event time`}
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
            <dt>Behind the newest</dt>
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
          <p>Nothing to mend: {counted(found.inputs.length, "input")} read and measured.</p>
        </Notice>
      )}
      {found.inputs.map((input) => (
        <Measured key={input.input} input={input} />
      ))}
      <h3>What results wait for</h3>
      <ul>
        {found.waits.map((sentence) => (
          <li key={sentence}>{sentence.replaceAll("`", "")}</li>
        ))}
      </ul>
      {found.state.length > 0 ? (
        <>
          <h3>What is kept at a time, by the rate of these rows</h3>
          <ul>
            {found.state.map((each) => (
              <li key={each.node}>
                <code>{each.node}</code>: at most {each.text}
              </li>
            ))}
          </ul>
        </>
      ) : null}
      <p className="quiet">This is what the first rows say; later ones may differ. Nothing was started or stored.</p>
    </div>
  );
}

/** Before a start: reads the first rows of each input and says what would go wrong with their time. */
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
      title="Before a start"
      note="Reads the first rows of each input: are their times right, do they fit the delay, what will be kept?"
      actions={button}
    >
      <div aria-live="polite" className="stack">
        {preflight.isPending ? <Waiting>Reading the first rows of each input…</Waiting> : null}
        <ErrorNote error={preflight.error} />
        {stale ? <p className="quiet">The query has changed since. What stands here is of the query before.</p> : null}
        {preflight.data === undefined || preflight.isPending ? null : <Found found={preflight.data} />}
      </div>
    </Panel>
  );
}
