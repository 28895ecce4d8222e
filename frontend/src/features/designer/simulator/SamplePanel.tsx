import { useState } from "react";
import { Choices } from "../../../components/Choices";
import { SelectField } from "../../../components/Field";
import { ErrorNote } from "../../../components/Notices";
import type { StreamDefinition } from "../../../model/api";
import { counted } from "../../../model/counts";
import { type PastedRows, pastedRows } from "../../../model/simulation/paste";
import { type EndMode, insertRows, type Sample, sampleOf } from "../../../model/simulation/sample";
import { FromQuarantine, FromRun, FromStream, Generated } from "./Sources";

export interface SamplePanelProps {
  sample: Sample;
  /** The streams that the query reads. */
  streams: readonly (readonly [string, StreamDefinition])[];
  onEdit: (change: (sample: Sample) => Sample) => void;
  onDone: () => void;
}

const WAYS = [
  ["paste", "Paste"],
  ["file", "File"],
  ["stream", "From the stream"],
  ["running", "From a run"],
  ["quarantine", "From quarantine"],
  ["generated", "Generate"],
] as const;
type Way = (typeof WAYS)[number][0];

const EXAMPLE = "start,end,plate\n10:00:03,10:00:06,a";

interface TakenProps {
  read: PastedRows;
  from: string;
  sample: Sample;
  onEdit: SamplePanelProps["onEdit"];
  onDone: () => void;
}

/** Rows that were read: instead of those that are there, or behind them. */
export function Taken({ read, from, sample, onEdit, onDone }: TakenProps) {
  const rows = counted(read.rows.length, "row");
  const take = (change: (sample: Sample) => Sample) => {
    onEdit(change);
    onDone();
  };
  return (
    <div className="stack">
      {read.notes.map((note) => (
        <p key={note} className="small">
          {note}
        </p>
      ))}
      {read.rows.length === 0 ? null : (
        <p className="row">
          <button
            type="button"
            className="button"
            data-kind="primary"
            onClick={() => take((before) => sampleOf(read.rows, `${rows} ${from}`, before.end))}
          >
            {sample.rows.length === 0 ? "Use" : "Replace the sample by"} {rows}
          </button>
          {sample.rows.length === 0 ? null : (
            <button
              type="button"
              className="button"
              onClick={() => take((before) => insertRows(before, before.rows.length, read.rows))}
            >
              Add {rows} at the end
            </button>
          )}
        </p>
      )}
    </div>
  );
}

function Paste(props: SamplePanelProps & { definition: StreamDefinition; stream: string }) {
  const [text, setText] = useState("");
  const { definition, stream } = props;
  const read = pastedRows(text, { stream, fields: definition.fields, eventTime: definition.event_time ?? null });
  return (
    <div className="stack">
      <div className="field">
        <label htmlFor="sim-paste">Rows in order of arrival</label>
        <textarea
          id="sim-paste"
          rows={7}
          value={text}
          placeholder={EXAMPLE}
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
        <p className="help">
          CSV with a head, or a JSON object on each line. Times as ISO text or ticks; the columns start, end, edge, cti,
          heartbeat, lane and arrival are Punctual's own, all others are values of {stream}.
        </p>
      </div>
      {text.trim() === "" ? null : <Taken {...props} read={read} from="pasted" />}
    </div>
  );
}

function FromFile(props: SamplePanelProps & { definition: StreamDefinition; stream: string }) {
  const [read, setRead] = useState<PastedRows | null>(null);
  const [name, setName] = useState("");
  const [error, setError] = useState<unknown>(null);
  const { definition, stream } = props;
  const take = async (file: File) => {
    const text = await file.text();
    setName(file.name);
    setRead(pastedRows(text, { stream, fields: definition.fields, eventTime: definition.event_time ?? null }));
  };
  return (
    <div className="stack">
      <div className="field">
        <label htmlFor="sim-file">A file of CSV or JSON lines</label>
        <input
          id="sim-file"
          type="file"
          accept=".csv,.txt,.json,.jsonl,.ndjson,.tsv"
          onChange={(event) => {
            const file = event.target.files?.[0];
            if (file !== undefined) take(file).then(() => setError(null), setError);
          }}
        />
      </div>
      <ErrorNote error={error} />
      {read === null ? null : <Taken {...props} read={read} from={`of ${name}`} />}
    </div>
  );
}

const ENDS = [
  ["flush", "every input ends: all that waits is let go"],
  ["stop", "stopped: inputs whose settings say final end"],
  ["none", "nothing more is known: what waits is shown as waiting"],
] as const satisfies readonly (readonly [EndMode, string])[];

const PARTS = {
  paste: Paste,
  file: FromFile,
  stream: FromStream,
  running: FromRun,
  quarantine: FromQuarantine,
  generated: Generated,
};

/** Where the rows of the sample come from, and how it ends. */
export function SamplePanel(props: SamplePanelProps) {
  const { streams, sample, onEdit } = props;
  const [way, setWay] = useState<Way>("paste");
  const [chosen, setChosen] = useState(streams[0]?.[0] ?? "");
  const definition = streams.find(([name]) => name === chosen)?.[1] ?? streams[0]?.[1];
  const stream = streams.find(([name]) => name === chosen)?.[0] ?? streams[0]?.[0];
  const Part = PARTS[way];
  if (definition === undefined || stream === undefined) {
    return <p className="quiet">The query reads no stream that exists. Name one in FROM, then rows can be given.</p>;
  }
  return (
    <div className="stack sim-sample">
      <div className="row">
        <Choices label="Where the rows come from" options={WAYS} value={way} onChange={setWay} />
      </div>
      {streams.length < 2 ? null : (
        <SelectField
          label="Rows of the stream"
          value={stream}
          options={streams.map(([name]) => [name, name] as const)}
          onChange={setChosen}
          help="Rows of JSON that say their stream keep it."
        />
      )}
      <Part key={`${way} ${stream}`} {...props} stream={stream} definition={definition} />
      <SelectField
        label="After the last row"
        value={sample.end}
        options={ENDS}
        onChange={(end) => onEdit((before) => ({ ...before, end }))}
      />
    </div>
  );
}
