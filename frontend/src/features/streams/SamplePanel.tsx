import { FaultList } from "../../components/notices/FaultList";
import { Empty, ErrorNote, Waiting } from "../../components/notices/Notices";
import { Panel } from "../../components/page/Panel";
import { Scroll } from "../../components/page/Scroll";
import { OutcomeMark } from "../../components/values/Glyph";
import { Instant } from "../../components/values/Instant";
import { RawText } from "../../components/values/RawText";
import { Value } from "../../components/values/Value";
import { counted } from "../../lib/numbers";
import type { Sample, SampleRow, StreamResponse } from "../../model/api";
import { reasonWords } from "../../model/run/outcomes";
import { useSample } from "./requests";

const NUMERIC = /^(long|double|decimal\b.*)$/;

const KIND_WORDS: Record<SampleRow["kind"], string> = {
  event: "event",
  edge_start: "edge start",
  edge_end: "edge end",
  cti: "CTI",
  malformed: "malformed",
};

interface Column {
  name: string;
  className: string | undefined;
}

function Row({ row, fields, showEnd }: { row: SampleRow; fields: readonly Column[]; showEnd: boolean }) {
  const span = fields.length + (showEnd ? 2 : 1);
  return (
    <tr>
      <td className="num">{row.position}</td>
      <td>{row.lane}</td>
      <td>{row.kind === "malformed" ? <OutcomeMark outcome="malformed" /> : KIND_WORDS[row.kind]}</td>
      {row.kind === "malformed" ? (
        <td colSpan={span}>
          <p>{reasonWords(row.reason)}</p>
          <p className="raw">
            <RawText text={row.raw} />
          </p>
        </td>
      ) : (
        <>
          <td>
            <Instant ticks={row.start} />
          </td>
          {showEnd ? (
            <td>
              <Instant ticks={row.end} />
            </td>
          ) : null}
          {fields.map(({ name, className }) => (
            <td key={name} className={className}>
              {row.payload === null ? "" : <Value value={row.payload[name]} />}
            </td>
          ))}
        </>
      )}
    </tr>
  );
}

function SampleTable({ rows, stream }: { rows: readonly SampleRow[]; stream: StreamResponse }) {
  const fields = Object.entries(stream.definition.fields).map(([name, type]) => ({
    name,
    className: NUMERIC.test(type) ? "num" : undefined,
  }));
  const showEnd = (stream.definition.shape ?? "point") !== "point";
  return (
    <Scroll label="Table of sample rows" tall>
      <table>
        <thead>
          <tr>
            <th className="num">Position</th>
            <th>Lane</th>
            <th>Kind</th>
            <th>Start (UTC)</th>
            {showEnd ? <th>End (UTC)</th> : null}
            {fields.map(({ name, className }) => (
              <th key={name} className={className}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={`${row.lane} ${row.position}`} row={row} fields={fields} showEnd={showEnd} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function noteOf(sample: Sample | undefined): string {
  if (sample === undefined) return "The first rows in the order of arrival";
  const malformed = sample.rows.filter((row) => row.kind === "malformed").length;
  return `The first ${counted(sample.rows.length, "row")} in the order of arrival; ${malformed} malformed`;
}

function Body({ sample, stream }: { sample: Sample; stream: StreamResponse }) {
  if (sample.rows.length > 0) return <SampleTable rows={sample.rows} stream={stream} />;
  if (sample.faults.length > 0) return null;
  return (
    <Empty title="The adapter found no rows">
      <p>Check its options above, add data to its source, then read again.</p>
    </Empty>
  );
}

/** The first rows as the adapter reads them, malformed ones with their reason. */
export function SamplePanel({ stream }: { stream: StreamResponse }) {
  const { data, error, isPending, isFetching, refetch } = useSample(stream.id);
  const faults = data?.faults ?? [];
  const again = (
    <button type="button" className="button" onClick={() => void refetch()} disabled={isFetching}>
      {isFetching ? "Reading…" : "Read again"}
    </button>
  );
  return (
    <Panel title="Sample" note={noteOf(data)} actions={again} flush>
      {isPending ? <Waiting>Reading the first rows…</Waiting> : null}
      {error !== null || faults.length > 0 ? (
        <div className="inset">
          <ErrorNote error={error} />
          <FaultList faults={faults} />
        </div>
      ) : null}
      {data === undefined ? null : <Body sample={data} stream={stream} />}
    </Panel>
  );
}
