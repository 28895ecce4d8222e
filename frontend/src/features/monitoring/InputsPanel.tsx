import { Instant } from "../../components/Instant";
import { Panel } from "../../components/Panel";
import { Scroll } from "../../components/Scroll";
import { formatCount, formatShare } from "../../lib/numbers";
import type { InputCounts, ProgressReport } from "../../model/api";
import { isOutcome, reasonWords } from "../../model/outcomes";
import { formatSpan } from "../../model/ticks";

function Cti({ counts }: { counts: InputCounts }) {
  if (counts.ended) return "ended: all of it is final";
  return counts.cti === null ? "none yet" : <Instant ticks={counts.cti} />;
}

function lateCount(counts: InputCounts): number {
  return Object.entries(counts.outcomes).reduce(
    (sum, [outcome, count]) =>
      isOutcome(outcome) && outcome !== "on_time" && outcome !== "reordered" ? sum + count : sum,
    0,
  );
}

function reasons(counts: InputCounts): string {
  const found = Object.entries(counts.reasons).filter(([, count]) => count > 0);
  return found.map(([reason, count]) => `${reasonWords(reason)}: ${formatCount(count)}`).join("; ");
}

function Row({ id, counts }: { id: string; counts: InputCounts }) {
  const { cti, largest_start: start } = counts;
  return (
    <tr>
      <th scope="row">{id}</th>
      <td className="num">{formatCount(counts.received)}</td>
      <td className="num">{formatShare(lateCount(counts), counts.received)}</td>
      <td>{start === null ? "nothing seen" : <Instant ticks={start} />}</td>
      <td>
        <Cti counts={counts} />
      </td>
      <td className="num nowrap">{cti === null || start === null ? "" : formatSpan(start - cti)}</td>
      <td className="message">{reasons(counts)}</td>
    </tr>
  );
}

/** Each input with its clock and why rows of it were not taken as they came. */
export function InputsPanel({ report }: { report: ProgressReport }) {
  return (
    <Panel title="Inputs" note="The input with the smallest C holds the results back." flush>
      <Scroll label="Table of inputs">
        <table>
          <thead>
            <tr>
              <th>Input</th>
              <th className="num">Received (rows)</th>
              <th className="num">Not in time</th>
              <th>M, largest start (UTC)</th>
              <th>C, CTI (UTC)</th>
              <th className="num">M − C</th>
              <th>Reasons (rows)</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(report.inputs).map(([id, counts]) => (
              <Row key={id} id={id} counts={counts} />
            ))}
          </tbody>
        </table>
      </Scroll>
    </Panel>
  );
}
