import { Link } from "react-router";
import { Empty, ErrorNote } from "../../components/Notices";
import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import { formatCount, formatShare } from "../../lib/numbers";
import { useSlug } from "../../lib/session";
import type { AdvanceTimeSettings, InputCounts, ProgressReport, RunShown } from "../../model/api";
import {
  type DelayOutlook,
  delayOf,
  delayOutlooks,
  hasDelay,
  judgedRows,
  tellingOutlooks,
} from "../../model/delayWhatIf";
import { formatSpan, type Ticks } from "../../model/ticks";
import { useDefinition } from "./requests";

function Outlook({ outlook, rows, today }: { outlook: DelayOutlook; rows: number; today: Ticks | null }) {
  const { added, late } = outlook;
  const kept = rows - late;
  return (
    <tr>
      <th scope="row" className="num">
        {added === 0 ? "as it is" : `+ ${formatSpan(added)}`}
      </th>
      <td className="num">{today === null ? "" : formatSpan(today + added)}</td>
      <td>
        <meter className="share" min={0} max={Math.max(1, rows)} value={kept} aria-label="Share in time" />{" "}
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
  const rows = judgedRows(counts);
  const today = delayOf(advance);
  return (
    <Scroll label={`What another delay of ${name} would do`}>
      <table>
        <caption>{name}</caption>
        <thead>
          <tr>
            <th className="num">Delay</th>
            <th className="num">in all</th>
            <th>In time</th>
            <th className="num">Late rows</th>
            <th className="num">Results wait</th>
          </tr>
        </thead>
        <tbody>
          {tellingOutlooks(delayOutlooks(counts.lateness), rows).map((outlook) => (
            <Outlook key={outlook.added} outlook={outlook} rows={rows} today={today} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** What a longer delay would have kept of the rows of this run, by the lateness that it measured. */
export function WhatIfPanel({ run, report }: { run: RunShown; report: ProgressReport }) {
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
      note="Measured on the rows of this run. Delays that would change less than half a per cent are left out."
      actions={
        <Link className="button" to={`/t/${slug}/bindings/${run.binding}`}>
          Change the delay
        </Link>
      }
      flush
    >
      <ErrorNote error={ran.error} onRetry={() => void ran.refetch()} />
      {ran.isSuccess && late.length === 0 ? (
        <Empty title={inputs.length === 0 ? "No input of this run has a delay." : "No row has been late."}>
          <p>
            {inputs.length === 0
              ? "Their CTIs come from the adapter or from another input."
              : "A longer delay would keep nothing more; a shorter one would give results sooner."}
          </p>
        </Empty>
      ) : null}
      {late.map(([node, counts]) => (
        <InputOutlooks key={node} name={node} counts={counts} advance={advances.get(node)} />
      ))}
    </Panel>
  );
}
