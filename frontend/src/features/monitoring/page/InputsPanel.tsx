import { Panel } from "../../../components/page/Panel";
import { Scroll } from "../../../components/page/Scroll";
import { Instant } from "../../../components/values/Instant";
import { formatCount, formatRest } from "../../../lib/numbers";
import type { InputCounts, ProgressReport } from "../../../model/api";
import { inTime, reasonWords } from "../../../model/run/outcomes";
import { formatSpan } from "../../../model/time/ticks";

function Cti({ counts }: { counts: InputCounts }) {
  if (counts.ended) return "ended";
  return counts.cti === null ? "none yet" : <Instant ticks={counts.cti} />;
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
      <td className="num">{formatRest(inTime(counts.outcomes), counts.received)}</td>
      <td>{start === null ? "no rows yet" : <Instant ticks={start} />}</td>
      <td>
        <Cti counts={counts} />
      </td>
      <td className="num nowrap">{cti === null || start === null ? "" : formatSpan(start - cti)}</td>
      <td className="message">{reasons(counts)}</td>
    </tr>
  );
}

/** Each input with its clock, and the reasons why rows were not accepted unchanged. */
export function InputsPanel({ report }: { report: ProgressReport }) {
  return (
    <Panel title="Inputs" note="The input with the smallest C delays the results." flush>
      <Scroll label="Table of inputs">
        <table>
          <thead>
            <tr>
              <th>Input</th>
              <th className="num">Received (rows)</th>
              <th className="num">Not on time</th>
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
