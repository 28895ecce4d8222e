import { Link } from "react-router";
import { Empty, ErrorNote } from "../../../components/notices/Notices";
import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { useSlug } from "../../../lib/account/session";
import { formatCount, formatShare } from "../../../lib/numbers";
import type { AdvanceTimeSettings, InputCounts, ProgressReport, RunResponse } from "../../../model/api";
import {
  type DelayOutlook,
  delayOf,
  delayOutlooks,
  hasDelay,
  notableOutlooks,
  rowsInTime,
} from "../../../model/run/delayWhatIf";
import { formatSpan, type Ticks } from "../../../model/time/ticks";
import { useDefinition } from "../requests";

function Outlook({ outlook, counts, today }: { outlook: DelayOutlook; counts: InputCounts; today: Ticks | null }) {
  const { added, late } = outlook;
  const rows = counts.received;
  const kept = rowsInTime(counts, late);
  return (
    <tr>
      <th scope="row" className="num">
        {added === 0 ? "current" : `+ ${formatSpan(added)}`}
      </th>
      <td className="num">{today === null ? "" : formatSpan(today + added)}</td>
      <td>
        <meter className="share" min={0} max={Math.max(1, rows)} value={kept} aria-label="Share on time" />{" "}
        <span className="figures">{formatShare(kept, rows)}</span>
      </td>
      <td className="num">{formatCount(late)}</td>
      <td className="num">{added === 0 ? "as now" : `${formatSpan(added)} longer`}</td>
    </tr>
  );
}

interface InputOutlooksProps {
  name: string;
  counts: InputCounts;
  advance: AdvanceTimeSettings | null | undefined;
}

function InputOutlooks({ name, counts, advance }: InputOutlooksProps) {
  const today = delayOf(advance);
  return (
    <Scroll label={`Effect of other delays of ${name}`}>
      <table>
        <caption>{name}</caption>
        <thead>
          <tr>
            <th className="num">Delay</th>
            <th className="num">Total</th>
            <th>On time</th>
            <th className="num">Late rows</th>
            <th className="num">Results wait</th>
          </tr>
        </thead>
        <tbody>
          {notableOutlooks(delayOutlooks(counts.lateness), counts.received).map((outlook) => (
            <Outlook key={outlook.added} outlook={outlook} counts={counts} today={today} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** The rows of this run that a longer delay would have kept, from the measured lateness. */
export function WhatIfPanel({ run, report }: { run: RunResponse; report: ProgressReport }) {
  const slug = useSlug();
  const ran = useDefinition(run.id, true);
  const advances = new Map(
    (ran.data?.inputs ?? []).map(({ node, advance, definition }) => [node, advance ?? definition.advance]),
  );
  const inputs = Object.entries(report.inputs).filter(([node]) => hasDelay(advances.get(node)));
  const late = inputs.filter(([, { lateness }]) => lateness.some((count) => count > 0));
  return (
    <Panel
      title="What if the delay were longer?"
      note="Measured on the rows of this run. Delays with an effect below 0.5 % are not listed"
      actions={
        <Link className="button" to={`/t/${slug}/bindings/${run.binding}`}>
          Edit the delay
        </Link>
      }
      flush
    >
      <ErrorNote error={ran.error} onRetry={() => void ran.refetch()} />
      {ran.isSuccess && late.length === 0 ? (
        <Empty title={inputs.length === 0 ? "No input of this run has a delay" : "No late rows"}>
          <p>
            {inputs.length === 0
              ? "Their CTIs come from the adapter or from another input."
              : "A longer delay would not keep more rows; a shorter one would emit results sooner."}
          </p>
        </Empty>
      ) : null}
      {late.map(([node, counts]) => (
        <InputOutlooks key={node} name={node} counts={counts} advance={advances.get(node)} />
      ))}
    </Panel>
  );
}
